//! What an embedder may rely on: what crosses threads, what outlives the bytes, what a lease is,
//! what is shown and not shown, what a stored pin is.

use std::cell::Cell;
use std::fmt::Debug;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use extgate::*;

const MANIFEST: &str = r#"{
  "name": "notes",
  "extension": {
    "runtime": "process", "command": "bin/notes",
    "permissions": ["tools.register", "providers.register", "context_providers.register"],
    "config": [{"key": "token", "secret_env": "TOKEN", "default": "hunter2-default"}],
    "deferred": {
      "tools": [
        {"name": "add", "description": "Adds a note.", "input_schema": {"title": "needle-schema"}},
        {"name": "list", "description": "Lists notes.", "input_schema": {}}
      ],
      "providers": [{"id": "local", "display_name": "Local", "description": "Models here.",
        "models": [{"id": "small"}, {"id": "large", "context_window": 9000}],
        "config_schema": {"title": "needle-config"}}],
      "context_providers": [{"id": "recent", "capability": "memory", "description": "Recent notes.", "schema_version": 1}]
    }
  }
}"#;

const RESULT: &str = r#"{
  "protocol_version": 1,
  "capabilities": {
    "tools": [
      {"name": "list", "description": "Lists notes.", "input_schema": {}},
      {"name": "add", "description": "Adds a note.", "input_schema": {"title": "needle-schema"}}
    ],
    "providers": [{"id": "local", "display_name": "Local", "description": "Models here.",
      "models": [{"id": "large", "context_window": 9000}, {"id": "small"}],
      "config_schema": {"title": "needle-config"}}],
    "capabilities": []
  }
}"#;

fn gated() -> Gated {
    gate(MANIFEST.as_bytes(), "notes")
        .expect("accepted")
        .expect("an extension")
}

fn admission(pinned: &PinnedManifest, result: &str) -> Result<usize, Reason> {
    let document = RuntimeDocument::initialize_result(result.as_bytes())
        .map_err(|refused| refused.reason())?;
    let result = document.result().map_err(|refused| refused.reason())?;
    pinned
        .admit(result)
        .map(|admitted| admitted.tools().len())
        .map_err(|refused| refused.reason())
}

#[test]
fn everything_crosses_threads() {
    fn crosses<T: Send + Sync>() {}
    fn outlives<T: Send + Sync + 'static>() {}
    fn is_error<T: std::error::Error + Send + Sync + 'static>() {}
    crosses::<Document<'_>>();
    crosses::<RuntimeDocument<'_>>();
    crosses::<JsonDocument<'_>>();
    crosses::<Json<'_>>();
    crosses::<ExtensionManifest<'_>>();
    crosses::<ValidManifest<'_>>();
    crosses::<InitializeResult<'_>>();
    crosses::<Admitted<'_>>();
    crosses::<LeaseCall<'_>>();
    crosses::<Locator<'_>>();
    outlives::<Gated>();
    outlives::<PinnedManifest>();
    outlives::<DeferredExtensionTool>();
    outlives::<RegisteredContextProviderDescriptor>();
    outlives::<SchemaDigest>();
    outlives::<Location>();
    outlives::<PermissionSet>();
    is_error::<Rejection>();
    is_error::<ExecuteError>();
    is_error::<ContextProviderLookupError>();
    is_error::<ParseDigestError>();
    is_error::<UnknownReason>();
}

#[test]
fn what_is_minted_outlives_the_bytes() {
    let bytes = MANIFEST.as_bytes().to_vec();
    let gated = gate(&bytes, "notes")
        .expect("accepted")
        .expect("an extension");
    drop(bytes);
    let elsewhere = std::thread::spawn(move || {
        assert_eq!(gated.class, ExtensionClass::Mixed);
        assert_eq!(gated.trigger, ActivationTrigger::ProviderSelection);
        assert_eq!(gated.tools[0].identity(), "ext:notes:add");
        assert_eq!(gated.tools[0].parameters(), r#"{"title": "needle-schema"}"#);
        assert_eq!(
            gated.context_providers[0].runtime_address(),
            "extension:notes:recent"
        );
        admission(&gated.pinned, RESULT)
    });
    assert_eq!(elsewhere.join().expect("no panic"), Ok(2));
}

#[test]
fn the_same_bytes_give_the_same_values() {
    let (one, other) = (gated(), gated());
    assert_eq!(one, other);
    let spaced = MANIFEST.replace("\"Adds a note.\"", "\"Adds notes.\"");
    let third = gate(spaced.as_bytes(), "notes").unwrap().unwrap();
    assert_ne!(one.tools, third.tools);
    assert_ne!(one.pinned, third.pinned);
}

struct Counting {
    calls: AtomicUsize,
}

impl<'c> RuntimeLease<'c> for Counting {
    type Outcome = Result<String, &'static str>;

    fn call(&'c self, call: LeaseCall<'c>) -> Self::Outcome {
        self.calls.fetch_add(1, Ordering::Relaxed);
        Ok(format!(
            "{}/{} {} {}",
            call.plugin_id, call.tool_name, call.params, call.expected_digest
        ))
    }
}

#[test]
fn without_a_lease_nothing_is_called() {
    let gated = gated();
    let lease = Counting {
        calls: AtomicUsize::new(0),
    };
    let none: Option<&Counting> = None;
    for tool in &gated.tools {
        assert_eq!(tool.execute(none, "{}"), Err(ExecuteError::NoLease));
        assert!(matches!(
            tool.execute(None::<&NoLease>, "{}"),
            Err(ExecuteError::NoLease)
        ));
    }
    assert_eq!(lease.calls.load(Ordering::Relaxed), 0);
    assert!(gated.tools[0].execute(Some(&lease), "{}").is_ok());
    assert_eq!(lease.calls.load(Ordering::Relaxed), 1);
}

#[test]
fn a_lease_may_be_synchronous() {
    let gated = gated();
    let lease = Counting {
        calls: AtomicUsize::new(0),
    };
    let tool = &gated.tools[1];
    let outcome = tool
        .execute(Some(&lease), r#"{"limit": 3}"#)
        .expect("a lease");
    assert_eq!(
        outcome,
        Ok(format!(
            r#"notes/list {{"limit": 3}} {}"#,
            tool.expected_digest()
        ))
    );
}

struct Later;

impl<'c> RuntimeLease<'c> for Later {
    type Outcome = Pin<Box<dyn Future<Output = String> + Send + 'c>>;

    fn call(&'c self, call: LeaseCall<'c>) -> Self::Outcome {
        Box::pin(async move { format!("{} {}", call.tool_name, call.params) })
    }
}

#[test]
fn a_lease_may_be_asynchronous() {
    let gated = gated();
    let future = gated.tools[0].execute(Some(&Later), "{}").expect("a lease");
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    assert_eq!(
        future.as_mut().poll(&mut context),
        Poll::Ready("add {}".to_owned())
    );
}

#[test]
fn a_lease_may_be_an_object() {
    type Dynamic =
        dyn for<'c> RuntimeLease<'c, Outcome = Result<String, &'static str>> + Send + Sync;
    let held: Box<Dynamic> = Box::new(Counting {
        calls: AtomicUsize::new(0),
    });
    let gated = gated();
    let outcome = gated.tools[0].execute(Some(&*held), "{}").expect("a lease");
    assert!(outcome.is_ok_and(|text| text.starts_with("notes/add {} ")));
    let none: Option<&Dynamic> = None;
    assert_eq!(
        gated.tools[0].execute(none, "{}").err(),
        Some(ExecuteError::NoLease)
    );
}

/// A lease need not be `Sync`: who holds it in one thread may count in a cell.
struct Local(Cell<u32>);

impl<'c> RuntimeLease<'c> for Local {
    type Outcome = u32;

    fn call(&'c self, _: LeaseCall<'c>) -> u32 {
        self.0.set(self.0.get() + 1);
        self.0.get()
    }
}

#[test]
fn a_lease_may_stay_in_one_thread() {
    let lease = Local(Cell::new(0));
    let gated = gated();
    assert_eq!(gated.tools[0].execute(Some(&lease), "{}"), Ok(1));
    assert_eq!(gated.tools[1].execute(Some(&lease), "{}"), Ok(2));
}

#[test]
fn debug_shows_no_schema_default_or_parameter() {
    fn shown(value: &dyn Debug) -> String {
        format!("{value:?} {value:#?}")
    }
    let document = Document::plugin(MANIFEST.as_bytes()).unwrap();
    let manifest = document.extension().unwrap().unwrap();
    let entry = manifest.config().next().unwrap();
    let schema = manifest.deferred().unwrap().tools()[0].input_schema();
    let any = JsonDocument::new(MANIFEST.as_bytes()).unwrap();
    let runtime = RuntimeDocument::initialize_result(RESULT.as_bytes()).unwrap();
    let valid = manifest.clone().validate().unwrap();
    let gated = gated();
    let admitted = gated.pinned.admit(runtime.result().unwrap()).unwrap();
    let (tool, digest) = (&gated.tools[0], *gated.tools[0].expected_digest());
    struct Show;
    impl<'c> RuntimeLease<'c> for Show {
        type Outcome = String;
        fn call(&'c self, call: LeaseCall<'c>) -> String {
            shown(&call)
        }
    }
    let pin = shown(&gated.pinned);
    assert!(
        pin.contains(r#""list""#) && pin.contains(&digest.to_string()),
        "{pin}"
    );
    let call = tool.execute(Some(&Show), "needle-parameter").unwrap();
    assert!(call.contains(&digest.to_string()), "{call}");
    for shown in [
        shown(&document),
        shown(&any),
        shown(&runtime),
        shown(&manifest),
        shown(&valid),
        shown(&entry),
        shown(&schema),
        shown(&schema.members()),
        shown(&schema.items()),
        shown(&runtime.result().unwrap()),
        shown(&admitted),
        shown(&gated),
        shown(&Locator::new(MANIFEST.as_bytes())),
        call,
    ] {
        for hidden in ["hunter2", "needle"] {
            assert!(!shown.contains(hidden), "{hidden} in {shown}");
        }
        assert!(!shown.trim().is_empty());
    }
}

#[test]
fn a_refusal_repeats_nothing_of_the_input() {
    for (from, to) in [
        (r#""command": "bin/notes""#, r#""command": 7, "needle": 1"#),
        ("\"tools.register\"", "\"needle\""),
        ("\"name\": \"add\"", "\"name\": \"needle needle\""),
        ("\"schema_version\": 1", "\"schema_version\": 0"),
    ] {
        let changed = MANIFEST.replace(from, to);
        let refused = gate(changed.as_bytes(), "notes").expect_err("refused");
        let said = format!("{refused} {refused:?} {}", refused.reason());
        assert!(!said.contains("needle"), "{said}");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    for (said, part) in [
        (ExecuteError::NoLease.to_string(), "nothing was started"),
        (
            ContextProviderLookupError::NotRegistered.to_string(),
            "no such context provider",
        ),
        (
            ContextProviderLookupError::Ambiguous.to_string(),
            "more than one",
        ),
        (
            "x".parse::<SchemaDigest>().unwrap_err().to_string(),
            "64 lower-case",
        ),
        ("x".parse::<Reason>().unwrap_err().to_string(), "reason"),
    ] {
        assert!(said.contains(part), "{said}");
    }
    for reason in Reason::ALL {
        assert_eq!(reason.as_str().parse(), Ok(*reason));
        assert_eq!(reason.to_string(), reason.as_str());
        assert!(reason.explanation().ends_with('.') && reason.mend().ends_with('.'));
    }
}

/// Every type that has a wire name or a word is shown by it.
#[test]
fn words_are_shown_as_they_are_written() {
    for one in Permission::ALL {
        assert_eq!(one.to_string(), one.as_str());
        assert_eq!(Permission::from_name(one.as_str()), Some(*one));
    }
    for one in HookKind::ALL {
        assert_eq!(one.to_string(), one.as_str());
        assert_eq!(HookKind::from_name(one.as_str()), Some(*one));
    }
    for one in ExtensionClass::ALL {
        assert_eq!(one.to_string(), one.as_str());
    }
    for one in ActivationTrigger::ALL {
        assert_eq!(one.to_string(), one.as_str());
    }
    assert_eq!(Category::LegacyAlias.to_string(), "legacy_alias");
    assert_eq!(Side::Runtime.to_string(), "runtime");
    assert_eq!(DeferredLifecycle::Hook.to_string(), "hook");
    assert_eq!(limits::ALL[0].unit.to_string(), "bytes");
}

#[test]
fn permissions_are_a_set() {
    let set: PermissionSet = Permission::ALL.iter().copied().collect();
    assert!(set.iter().eq(Permission::ALL.iter().copied()));
    let some: PermissionSet = [
        Permission::SessionDrive,
        Permission::MemoryRead,
        Permission::SessionDrive,
    ]
    .into_iter()
    .collect();
    assert_eq!(format!("{some:?}"), r#"{"memory.read", "session.drive"}"#);
    assert!(some.contains(Permission::MemoryRead) && !some.contains(Permission::MemoryWrite));
    assert_eq!(PermissionSet::default(), PermissionSet::EMPTY);
    assert_eq!(PermissionSet::EMPTY.iter().count(), 0);
}

#[test]
fn what_is_allowed_can_be_requested() {
    for name in Permission::REQUESTABLE {
        assert!(Permission::from_name(name).is_some_and(|one| !one.is_reserved()));
    }
    let changed = MANIFEST.replace("tools.register", "tools.regster");
    let refused = gate(changed.as_bytes(), "notes").expect_err("refused");
    let mut all = Vec::new();
    let document = Document::plugin(changed.as_bytes()).expect("JSON");
    let _ = document.check(&mut |fault: Rejection| {
        all.push(fault.to_string());
        std::ops::ControlFlow::<()>::Continue(())
    });
    assert_eq!(all.first(), Some(&refused.to_string()));
    let unknown = all
        .iter()
        .find(|said| said.contains("does not exist"))
        .expect("said");
    assert!(
        unknown.contains("`session.drive`") && !unknown.contains("`tools.override`"),
        "{unknown}"
    );
}

#[test]
fn a_pin_says_what_changed_since_it_was_approved() {
    let pin = |text: &str| gate(text.as_bytes(), "notes").unwrap().unwrap().pinned;
    let approved = pin(MANIFEST);
    let changes = |text: &str| {
        pin(text)
            .changes_since(&approved)
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(changes(MANIFEST), Vec::<String>::new());
    for (from, to, expected) in [
        (
            "Adds a note.",
            "Adds notes.",
            vec![r#"tool "add" has another description"#],
        ),
        (
            r#""input_schema": {}"#,
            r#""input_schema": {"a": 1}"#,
            vec![r#"tool "list" has another schema"#],
        ),
        (
            r#""name": "list""#,
            r#""name": "show""#,
            vec![r#"tool "show" is new"#, r#"tool "list" is gone"#],
        ),
        ("9000", "9001", vec![r#"provider "local" has changed"#]),
        (
            "needle-config",
            "other",
            vec![r#"provider "local" has changed"#],
        ),
        (
            r#""id": "local""#,
            r#""id": "remote""#,
            vec![r#"provider "remote" is new"#, r#"provider "local" is gone"#],
        ),
        (
            r#"["tools.register", "#,
            r#"["memory.read", "tools.register", "#,
            vec!["permission `memory.read` is new"],
        ),
        // Order and white space are no change.
        (
            r#"{"id": "small"}, {"id": "large", "context_window": 9000}"#,
            r#"{"id": "large", "context_window": 9000}, {"id":"small"}"#,
            vec![],
        ),
    ] {
        let text = MANIFEST.replacen(from, to, 1);
        assert_ne!(text, MANIFEST, "{from} stands in the manifest");
        assert_eq!(changes(&text), expected, "{to}");
    }
    let legacy = pin(
        r#"{"extension": {"runtime": "process", "command": "x", "permissions": ["tools.register"]}}"#,
    );
    assert!(legacy.is_legacy() && !approved.is_legacy());
    assert_eq!(
        legacy.changes_since(&approved),
        [
            PinChange::PromiseRemoved,
            PinChange::PermissionRemoved(Permission::ProvidersRegister),
            PinChange::PermissionRemoved(Permission::ContextProvidersRegister),
            PinChange::ToolRemoved("add"),
            PinChange::ToolRemoved("list"),
            PinChange::ProviderRemoved("local"),
        ]
    );
    assert!(
        approved
            .changes_since(&legacy)
            .contains(&PinChange::PromiseAdded)
    );
    let other = gate(MANIFEST.as_bytes(), "other").unwrap().unwrap().pinned;
    assert_eq!(other.changes_since(&approved), [PinChange::Plugin]);
    assert_eq!(
        PinChange::ToolAdded("a\u{202E}b\n").to_string(),
        r#"tool "a\u{202e}b\n" is new"#
    );
}

#[test]
fn a_result_says_its_protocol_version() {
    for version in [0, 1, 7, u32::MAX] {
        let bytes = format!("{{\"protocol_version\": {version}}}");
        let document = RuntimeDocument::initialize_result(bytes.as_bytes()).unwrap();
        assert_eq!(document.result().unwrap().protocol_version(), version);
    }
}

/// A schema is compared by value: as text where that is the same, by digest where it is not.
#[test]
fn a_schema_is_held_to_its_value_and_not_to_its_spelling() {
    let manifest = |schema: &str| {
        format!(
            r#"{{"extension": {{"runtime": "process", "command": "x", "permissions": ["tools.register"],
            "deferred": {{"tools": [{{"name": "t", "description": "d", "input_schema": {schema}}}]}}}}}}"#
        )
    };
    let result = |schema: &str| {
        format!(
            r#"{{"protocol_version":1,"capabilities":{{"tools":[{{"name":"t","description":"d","input_schema":{schema}}}]}}}}"#
        )
    };
    let declared = r#"{ "a b": [1, 20.5, {"c": "d  e", "": null}], "type": "object" }"#;
    let pinned = gate(manifest(declared).as_bytes(), "notes")
        .unwrap()
        .unwrap()
        .pinned;
    for same in [
        declared,
        r#"{"a b":[1,20.5,{"c":"d  e","":null}],"type":"object"}"#,
        "{\n\t\"a b\" : [ 1 , 20.5 , { \"c\" : \"d  e\" , \"\" : null } ] , \"type\" : \"object\"\r\n}",
        r#"{"type":"object","a b":[1,20.5,{"":null,"c":"d  e"}]}"#,
        r#"{"\u0061 b":[1,20.50,{"c":"d  e","":null}],"type":"object"}"#,
    ] {
        assert_eq!(admission(&pinned, &result(same)), Ok(1), "{same}");
        // However it was declared, too.
        let other = gate(manifest(same).as_bytes(), "notes")
            .unwrap()
            .unwrap()
            .pinned;
        assert_eq!(other, pinned, "{same}");
        assert_eq!(admission(&other, &result(declared)), Ok(1), "{same}");
    }
    for other in [
        r#"{"ab":[1,20.5,{"c":"d  e","":null}],"type":"object"}"#,
        r#"{"a b":[1,20.5,{"c":"d e","":null}],"type":"object"}"#,
        r#"{"a b":[120.5,{"c":"d  e","":null}],"type":"object"}"#,
        r#"{"a b":[1,20.5,{"c":"d  e","":null},{}],"type":"object"}"#,
        r#"{"a b":[1,20.5,{"c":"d  e"}],"type":"object"}"#,
        r#"{"a b":[1,20.5,{"c":"d  e","":null}],"type":"object","b":1}"#,
        r#"{"a b":[1,20.5,{"c":"d  e","":null}]}"#,
        r#"{"a b":[1,20.5,{"c":"d  e","":"null"}],"type":"object"}"#,
    ] {
        assert_eq!(
            admission(&pinned, &result(other)),
            Err(Reason::RegisteredToolSchemaDigestMismatch),
            "{other}"
        );
    }
}

#[test]
fn a_pin_lists_the_promised_tools() {
    let gated = gated();
    let names: Vec<&str> = gated.pinned.tools().map(|(name, _)| name).collect();
    assert_eq!(names, ["add", "list"]);
    for ((_, digest), tool) in gated.pinned.tools().zip(&gated.tools) {
        assert_eq!(digest, tool.expected_digest());
    }
    assert_eq!(gated.pinned.plugin_id(), "notes");
    assert!(gated.pinned.requested().contains(Permission::ToolsRegister));
}

#[cfg(feature = "serde")]
mod stored {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_stored_pin_is_read_again_and_holds_the_runtime() {
        let pinned = gated().pinned;
        let text = serde_json::to_string(&pinned).expect("written");
        let read: PinnedManifest = serde_json::from_str(&text).expect("read");
        assert_eq!(read, pinned);
        assert_eq!(admission(&read, RESULT), Ok(2));
        assert_eq!(
            admission(&read, &RESULT.replace("Lists notes.", "Lists notes!")),
            Err(Reason::RegisteredToolDescriptionMismatch)
        );
        // Readers that own the text, and readers that walk a value, agree.
        let value: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(
            serde_json::from_value::<PinnedManifest>(value).expect("read"),
            pinned
        );
    }

    /// What version 0.1 writes. Later versions must read it, or refuse it by its format number.
    #[test]
    fn the_stored_format_does_not_change() {
        let stored = serde_json::to_value(gated().pinned).expect("written");
        assert_eq!(
            stored,
            json!({
                "format": 1,
                "plugin": "notes",
                "requested": ["tools.register", "providers.register", "context_providers.register"],
                "promise": {
                    "place": "native",
                    "tools": [
                        {"name": "add", "description": "Adds a note.",
                         "schema": "3446c4cec2853444bb89e6c23edc9d916dedf37d33458efc3fdde5a11ea7257c"},
                        {"name": "list", "description": "Lists notes.",
                         "schema": "6c449f91c1adbf3945ad078f5f875c0c1f133f246c4588668faffbe23a3c195f"},
                    ],
                    "providers": [{
                        "id": "local", "display_name": "Local", "description": "Models here.",
                        "models": [
                            {"id": "small", "display_name": null, "capabilities": null, "context_window": null},
                            {"id": "large", "display_name": null, "capabilities": null, "context_window": 9000},
                        ],
                        "config_schema": "beb17024c200ba2b9148ca1514dafa65e4581873765f7f810319e9b8c2cdeb68",
                    }],
                },
            })
        );
    }

    #[test]
    fn a_stored_pin_of_another_format_is_refused() {
        let good = serde_json::to_value(gated().pinned).expect("written");
        let refused = |change: &dyn Fn(&mut Value)| {
            let mut changed = good.clone();
            change(&mut changed);
            assert_ne!(changed, good);
            serde_json::from_value::<PinnedManifest>(changed)
                .expect_err("refused")
                .to_string()
        };
        for format in [
            json!(0),
            json!(2),
            json!(1.0),
            json!("1"),
            json!(null),
            json!(u64::MAX),
        ] {
            refused(&|pin| pin["format"] = format.clone());
        }
        assert!(refused(&|pin| pin["format"] = json!(2)).contains("another format than 1"));
        refused(&|pin| {
            pin.as_object_mut().unwrap().remove("format");
        });
        refused(&|pin| pin["later"] = json!(true));
        refused(&|pin| pin["promise"]["later"] = json!(true));
        refused(&|pin| pin["promise"]["tools"][0]["later"] = json!(true));
        refused(&|pin| pin["requested"][0] = json!("tools.regster"));
        refused(&|pin| pin["promise"]["tools"][0]["schema"] = json!("26A0"));
    }

    #[test]
    fn a_stored_pin_of_what_no_manifest_promises_is_refused() {
        let good = serde_json::to_value(gated().pinned).expect("written");
        let changes: [&dyn Fn(&mut Value); 8] = [
            &|pin| pin["promise"]["tools"][1]["name"] = json!("add"),
            &|pin| pin["promise"]["tools"][0]["name"] = json!("a b"),
            &|pin| pin["promise"]["providers"][0]["id"] = json!("Local"),
            &|pin| {
                let one = pin["promise"]["providers"][0].clone();
                pin["promise"]["providers"]
                    .as_array_mut()
                    .unwrap()
                    .push(one);
            },
            &|pin| pin["promise"]["providers"][0]["models"] = json!([]),
            &|pin| pin["promise"]["providers"][0]["models"][1]["id"] = json!("small"),
            &|pin| {
                pin["promise"]["tools"] = (0..257)
                    .map(|n| json!({"name": format!("t{n}"), "description": "d", "schema": "0".repeat(64)}))
                    .collect();
            },
            &|pin| pin["requested"] = json!(["tools.override"]),
        ];
        for (number, change) in changes.iter().enumerate() {
            let mut changed = good.clone();
            change(&mut changed);
            let refused = serde_json::from_value::<PinnedManifest>(changed)
                .expect_err(&format!("change {number} is refused"));
            assert!(
                refused.to_string().contains("no valid manifest"),
                "{refused}"
            );
        }
    }
}
