//! The example host over the example plugins: nothing starts before a call, nothing of a refused
//! extension is registered, and no process is left over.
#![cfg(unix)]

#[path = "../examples/host/child.rs"]
mod child;
#[path = "../examples/host/frame.rs"]
mod frame;
#[path = "../examples/host/host.rs"]
mod host;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use extgate::{ActivationTrigger, ExecuteError, ExtensionClass, NoLease, Reason};
use frame::{FRAME_MAX_BYTES, FrameError, HEADER_MAX_BYTES, content_length, read_frame};
use host::{CallError, Host, Options, Session, Verdict};

/// How long a test waits where it expects an answer. An interpreter may take long on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long where it expects none.
const SHORT: Duration = Duration::from_millis(1500);

fn plugins() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/plugins")
}

/// A folder of its own for what the plugins of one test leave behind.
fn state(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("host-{test}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

/// What the example plugins are written in. Looked for once.
static INTERPRETERS: LazyLock<()> = LazyLock::new(|| {
    for interpreter in ["python3", "sh"] {
        let found = Command::new(interpreter).args(["-c", ""]).output();
        assert!(
            found.is_ok_and(|output| output.status.success()),
            "the example plugins need `{interpreter}` in PATH, and there is none that works"
        );
    }
});

fn open(state: &Path, wait: Duration) -> Host {
    LazyLock::force(&INTERPRETERS);
    let options = Options {
        start: wait,
        call: wait,
        shutdown: Duration::from_secs(5),
        state: Some(state.to_owned()),
    };
    Host::open(&plugins(), options).expect("the example plugins")
}

/// The processes that plugins have started, by plugin.
fn started(state: &Path) -> BTreeMap<String, Vec<i32>> {
    let mut started = BTreeMap::new();
    for entry in fs::read_dir(state).expect("the state folder") {
        let folder = entry.expect("an entry").path();
        let Ok(marks) = fs::read_to_string(folder.join("started")) else {
            continue;
        };
        let name = folder
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name");
        let pids = marks
            .lines()
            .map(|line| line.parse().expect("a process id"));
        started.insert(name.to_owned(), pids.collect());
    }
    started
}

/// Whether a process runs. One that has ended and waits for its parent does not.
fn runs(pid: i32) -> bool {
    if let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) {
        let state = stat
            .rsplit(") ")
            .next()
            .and_then(|rest| rest.chars().next());
        return !matches!(state, Some('Z' | 'X'));
    }
    if Path::new("/proc/self/stat").exists() {
        return false;
    }
    rustix::process::Pid::from_raw(pid)
        .is_some_and(|pid| rustix::process::test_kill_process(pid).is_ok())
}

/// Fails where one of the processes still runs after a moment.
fn all_are_gone(pids: &[i32]) {
    let patience = Instant::now() + Duration::from_secs(10);
    while pids.iter().any(|pid| runs(*pid)) {
        assert!(Instant::now() < patience, "some of {pids:?} are left over");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn call(session: &Session<'_>, host: &Host, name: &str, params: &str) -> Result<String, CallError> {
    let tool = host
        .tool(name)
        .unwrap_or_else(|| panic!("{name} is listed"));
    tool.execute(Some(session), params)
        .expect("there is a lease")
}

/// What is expected of a plugin that is listed, when its first tool is called.
enum First {
    /// It answers, and has registered so many tools.
    Answers(usize),
    /// It was started, and refused for this reason.
    Refused(Reason),
    /// It was started and failed.
    Fails(fn(&CallError) -> bool),
    /// It could not be started.
    NeverStarts(fn(&CallError) -> bool),
}

/// Every plugin with tools. A plugin that is not here fails the test.
fn expected() -> BTreeMap<&'static str, First> {
    use First::{Answers, Fails, NeverStarts, Refused};
    fn frame(error: &CallError, expected: FrameError) -> bool {
        matches!(error, CallError::Frame(found) if *found == expected)
    }
    fn malformed(error: &CallError, expected: Reason) -> bool {
        matches!(error, CallError::Malformed(found) if found.reason() == expected)
    }
    BTreeMap::from([
        ("notes", Answers(2)),
        ("clock", Answers(1)),
        (
            "changed-description",
            Refused(Reason::RegisteredToolDescriptionMismatch),
        ),
        (
            "widened-schema",
            Refused(Reason::RegisteredToolSchemaDigestMismatch),
        ),
        (
            "extra-tool",
            Refused(Reason::DeclaredAndRegisteredToolCountsDiffer),
        ),
        ("renamed-tool", Refused(Reason::DeclaredToolNotRegistered)),
        (
            "undeclared-provider",
            Refused(Reason::DeclaredAndRegisteredProviderCountsDiffer),
        ),
        (
            "two-readings",
            Fails(|error| malformed(error, Reason::DuplicateKey)),
        ),
        (
            "short-length",
            Fails(|error| malformed(error, Reason::Syntax)),
        ),
        (
            "rubbish",
            Fails(|error| frame(error, FrameError::MalformedHeader)),
        ),
        (
            "floods",
            Fails(|error| frame(error, FrameError::HeaderTooLong)),
        ),
        (
            "double-length",
            Fails(|error| frame(error, FrameError::DoubleLength)),
        ),
        (
            "missing-length",
            Fails(|error| frame(error, FrameError::MissingLength)),
        ),
        (
            "signed-length",
            Fails(|error| frame(error, FrameError::InvalidLength)),
        ),
        (
            "oversized-frame",
            Fails(|error| frame(error, FrameError::TooLong)),
        ),
        ("exits", Fails(|error| frame(error, FrameError::Closed))),
        ("late-exit", Fails(|error| frame(error, FrameError::Closed))),
        (
            "wrong-id",
            Fails(|error| matches!(error, CallError::NotAnAnswer)),
        ),
        (
            "chatter",
            Fails(|error| matches!(error, CallError::NotAnAnswer)),
        ),
        ("hangs", Fails(|error| matches!(error, CallError::TimedOut))),
        (
            "stalls",
            Fails(|error| matches!(error, CallError::TimedOut)),
        ),
        (
            "long-length",
            Fails(|error| matches!(error, CallError::TimedOut)),
        ),
        (
            "missing-command",
            NeverStarts(|error| matches!(error, CallError::Start(_))),
        ),
        (
            "outside",
            NeverStarts(|error| matches!(error, CallError::Command)),
        ),
    ])
}

#[test]
fn nothing_starts_before_a_call() {
    let state = state("nothing-starts");
    let host = open(&state, PATIENCE);
    let session = host.session();
    let mut listed = 0;
    for tool in host.tools() {
        listed += 1;
        assert!(!tool.description().is_empty());
        let none: Option<&Session<'_>> = None;
        assert_eq!(tool.execute(none, "{}").err(), Some(ExecuteError::NoLease));
        assert!(tool.execute(None::<&NoLease>, "{}").is_err());
    }
    assert_eq!(
        listed,
        expected().len() + 1,
        "each has one tool, and notes two"
    );
    assert_eq!(host.context_providers().count(), 1);
    // Parameters that are no JSON, and a tool that is not installed, start nothing either.
    assert!(matches!(
        call(&session, &host, "notes:list", "{"),
        Err(CallError::Params)
    ));
    assert!(host.tool("notes:run").is_none());
    assert_eq!(started(&state), BTreeMap::new());
    assert!(session.processes().is_empty());
}

#[test]
fn each_plugin_is_judged_by_its_manifest_alone() {
    let state = state("judged");
    let host = open(&state, PATIENCE);
    let mut seen = 0;
    for plugin in host.plugins() {
        match (&*plugin.id, &plugin.verdict) {
            ("theme", Verdict::NoExtension) => {}
            ("two-manifests", Verdict::Refused(refused)) => {
                assert_eq!(refused.reason(), Reason::DuplicateKey);
            }
            ("recent", Verdict::Dormant(dormant)) => {
                assert_eq!(dormant.class, ExtensionClass::ContextProvider);
                assert_eq!(dormant.trigger, ActivationTrigger::UserAction);
            }
            (id, Verdict::Dormant(dormant)) => {
                assert!(expected().contains_key(id), "{id} has an expectation");
                assert_eq!(dormant.class, ExtensionClass::ToolOnly);
                assert_eq!(dormant.trigger, ActivationTrigger::ExactToolActivation);
            }
            (id, Verdict::Unreadable(kind)) => panic!("{id}: {kind}"),
            (id, verdict) => panic!("{id}: {verdict:?}"),
        }
        seen += 1;
    }
    assert_eq!(seen, expected().len() + 3);
    assert_eq!(started(&state), BTreeMap::new());
}

#[test]
fn what_is_no_plugin_is_not_listed() {
    let folder = state("folders");
    let manifest = fs::read(plugins().join("notes/plugin.json")).expect("a manifest");
    let place = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("written");
    };
    place("hidden/.synaps-plugin/plugin.json", &manifest);
    place("both/.synaps-plugin/plugin.json", &manifest);
    place("both/plugin.json", b"{}");
    place("huge/plugin.json", &vec![b' '; (8 << 20) + 1]);
    place("empty/README.md", b"");
    place("plugin.json", &manifest);
    std::os::unix::fs::symlink(folder.join("hidden"), folder.join("link")).expect("a link");
    let options = Options {
        start: SHORT,
        call: SHORT,
        shutdown: SHORT,
        state: None,
    };
    let host = Host::open(&folder, options).expect("a folder");
    let seen: Vec<(&str, bool)> = host
        .plugins()
        .iter()
        .map(|plugin| (&*plugin.id, matches!(plugin.verdict, Verdict::Dormant(_))))
        .collect();
    assert_eq!(seen, [("both", true), ("hidden", true), ("huge", false)]);
    assert!(host.tool("hidden:list").is_some() && host.tool("both:list").is_some());
    assert!(host.plugins().iter().any(|plugin| matches!(
        plugin.verdict,
        Verdict::Refused(refused) if refused.reason() == Reason::DocumentTooLarge
    )));
}

#[test]
fn an_honest_extension_is_started_once_and_answers() {
    let state = state("honest");
    let host = open(&state, PATIENCE);
    let session = host.session();
    assert_eq!(
        call(&session, &host, "notes:list", "{}").expect("answered"),
        "[]"
    );
    let added = call(
        &session,
        &host,
        "notes:add",
        r#"{"text": "caf\u00e9 \"x\""}"#,
    );
    assert_eq!(added.expect("answered"), "1");
    let listed = call(&session, &host, "notes:list", "{}").expect("answered");
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed, serde_json::json!(["café \"x\""]));
    // A tool's own failure is its answer, not the end of its extension.
    let failed = call(&session, &host, "notes:add", "{}");
    assert!(matches!(failed, Err(CallError::Failed(_))), "{failed:?}");
    assert!(call(&session, &host, "clock:now", "{}").is_ok());

    let started = started(&state);
    assert_eq!(started.keys().collect::<Vec<_>>(), ["clock", "notes"]);
    assert!(started.values().all(|pids| pids.len() == 1), "{started:?}");
    let mut registered = session.registered("notes");
    registered.sort();
    assert_eq!(registered, ["add", "list"]);
    let pids: Vec<i32> = started.values().flatten().copied().collect();
    assert!(pids.iter().all(|pid| runs(*pid)), "both run");
    assert_eq!(session.processes().len(), 2);
    session.close();
    all_are_gone(&pids);
}

#[test]
fn nothing_of_a_refused_extension_is_registered_and_none_is_left_over() {
    let (silent, others): (Vec<_>, Vec<_>) = expected()
        .into_iter()
        .partition(|(id, _)| matches!(*id, "hangs" | "stalls" | "long-length"));
    // Who never answers takes its whole time, so these wait side by side.
    std::thread::scope(|scope| {
        for (id, first) in &silent {
            scope.spawn(move || {
                // On a busy machine an interpreter may not have come far in little time.
                let waits = [2, 8, 32].map(Duration::from_secs);
                let far = waits.iter().any(|wait| first_call(id, first, *wait));
                assert!(far, "{id} never came to its fault");
            });
        }
        for (id, first) in &others {
            assert!(first_call(id, first, PATIENCE), "{id} left no mark");
        }
    });
}

/// Calls a plugin's first tool in a session of its own. Whether it left as many marks as it has processes.
fn first_call(id: &str, first: &First, wait: Duration) -> bool {
    let state = state(&format!("first-{id}"));
    let host = open(&state, wait);
    let session = host.session();
    let tool = host
        .tools()
        .find(|tool| tool.plugin_id() == id)
        .unwrap_or_else(|| panic!("{id} is listed"));
    let outcome = tool.execute(Some(&session), "{}").expect("a lease");
    let pids: Vec<i32> = started(&state).into_values().flatten().collect();
    let mut expected_to_register = 0;
    match (first, outcome) {
        (First::Answers(tools), Ok(_)) => expected_to_register = *tools,
        (First::Refused(reason), Err(CallError::Refused(refused))) => {
            assert_eq!(refused.reason(), *reason, "{id}");
            // It is not started again.
            let again = tool.execute(Some(&session), "{}").expect("a lease");
            assert!(
                matches!(again, Err(CallError::Refused(_))),
                "{id}: {again:?}"
            );
            assert_eq!(started(&state)[id].len(), 1, "{id}");
        }
        (First::Fails(as_expected) | First::NeverStarts(as_expected), Err(error)) => {
            assert!(as_expected(&error), "{id}: {error}");
        }
        (_, outcome) => panic!("{id}: {outcome:?}"),
    }
    assert_eq!(session.registered(id).len(), expected_to_register, "{id}");
    if expected_to_register == 0 {
        // While the session lives: who is refused is killed at once.
        assert!(session.processes().is_empty(), "{id}");
        all_are_gone(&pids);
    }
    drop(session);
    all_are_gone(&pids);
    let marks = match first {
        First::NeverStarts(_) => 0,
        _ if id == "hangs" => 2,
        _ => 1,
    };
    assert!(pids.len() <= marks, "{id}: {pids:?}");
    pids.len() == marks
}

#[test]
fn a_dropped_session_leaves_no_process_over() {
    let state = state("dropped");
    let host = open(&state, PATIENCE);
    let session = host.session();
    assert!(call(&session, &host, "notes:list", "{}").is_ok());
    assert!(call(&session, &host, "clock:now", "{}").is_ok());
    let pids: Vec<i32> = started(&state).into_values().flatten().collect();
    assert_eq!(pids.len(), 2);
    drop(session);
    all_are_gone(&pids);
}

#[test]
fn who_does_not_read_its_input_is_timed_out() {
    let state = state("unread");
    let host = open(&state, SHORT);
    let session = host.session();
    // More than a pipe holds, to an extension that has stopped reading.
    let params = format!(r#"{{"filler": "{}"}}"#, "x".repeat(4 << 20));
    let outcome = call(&session, &host, "stalls:read", &params);
    assert!(matches!(outcome, Err(CallError::TimedOut)), "{outcome:?}");
    let pids: Vec<i32> = started(&state).into_values().flatten().collect();
    all_are_gone(&pids);
}

#[test]
fn a_length_is_exactly_one_decimal_number() {
    for (header, expected) in [
        ("Content-Length: 12", Ok(12)),
        ("content-length:12", Ok(12)),
        ("CONTENT-LENGTH: \t12 ", Ok(12)),
        ("Content-Type: x\r\nContent-Length: 0", Ok(0)),
        ("Content-Length: 4194304", Ok(FRAME_MAX_BYTES)),
        ("Content-Length: 4194305", Err(FrameError::TooLong)),
        (
            "Content-Length: 99999999999999999999999",
            Err(FrameError::TooLong),
        ),
        (
            "Content-Length: 12\r\nContent-Length: 12",
            Err(FrameError::DoubleLength),
        ),
        (
            "Content-Length: 12\ncontent-length: 13",
            Err(FrameError::DoubleLength),
        ),
        ("Content-Type: x", Err(FrameError::MissingLength)),
        ("", Err(FrameError::MissingLength)),
        ("Content-Length: ", Err(FrameError::InvalidLength)),
        ("Content-Length: +12", Err(FrameError::InvalidLength)),
        ("Content-Length: -1", Err(FrameError::InvalidLength)),
        ("Content-Length: 1 2", Err(FrameError::InvalidLength)),
        ("Content-Length: 12, 12", Err(FrameError::InvalidLength)),
        ("Content-Length: 0x12", Err(FrameError::InvalidLength)),
        ("Content-Length: 1.0", Err(FrameError::InvalidLength)),
        ("Content-Length: \u{0661}", Err(FrameError::InvalidLength)),
        ("Content-Length", Err(FrameError::MalformedHeader)),
        ("Content-Length : 12", Err(FrameError::MalformedHeader)),
        (" Content-Length: 12", Err(FrameError::MalformedHeader)),
        (": 12", Err(FrameError::MalformedHeader)),
        ("Content-Length: 12\r\n{}", Err(FrameError::MalformedHeader)),
    ] {
        assert_eq!(content_length(header.as_bytes()), expected, "{header:?}");
    }
    assert_eq!(
        content_length(b"Content-Length: \xFF"),
        Err(FrameError::MalformedHeader)
    );
}

#[test]
fn frames_are_read_one_after_the_other() {
    let mut stream: &[u8] =
        b"Content-Length: 2\r\n\r\n{}Content-Length: 0\n\nContent-Length: 3\r\n\r\n[1]";
    assert_eq!(read_frame(&mut stream), Ok(b"{}".to_vec()));
    assert_eq!(read_frame(&mut stream), Ok(Vec::new()));
    assert_eq!(read_frame(&mut stream), Ok(b"[1]".to_vec()));
    assert_eq!(read_frame(&mut stream), Err(FrameError::Closed));
    for (mut stream, expected) in [
        (&b"Content-Length: 3\r\n\r\n[]"[..], FrameError::Truncated),
        (b"Content-Length: 3\r\n", FrameError::Truncated),
        (b"C", FrameError::Truncated),
        (b"\r\n", FrameError::MissingLength),
        (b"\n\n", FrameError::MissingLength),
        (&[b'x'; 2 * HEADER_MAX_BYTES], FrameError::HeaderTooLong),
    ] {
        assert_eq!(read_frame(&mut stream), Err(expected));
    }
    assert_eq!(frame::frame(b"{}"), b"Content-Length: 2\r\n\r\n{}");
}

/// A length that nothing follows costs no memory.
#[test]
fn a_promised_length_takes_no_memory() {
    let peak = allocation_counter::measure(|| {
        let mut stream: &[u8] = b"Content-Length: 4194304\r\n\r\n[";
        assert_eq!(read_frame(&mut stream), Err(FrameError::Truncated));
    })
    .bytes_max;
    assert!(peak < 16 * 1024, "{peak} bytes");
}
