//! Every seed and regression of every fuzz target, replayed; a target without seeds is a fault.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use allocation_counter::measure;
use extgate::{Document, JsonDocument, Locator, RuntimeDocument, gate};
use extgate_fuzz::families::{self, Attack};

type Check = fn(&[u8]);

/// Each target, as its file is named.
const TARGETS: &[(&str, Check)] = &[
    ("against_serde", extgate_fuzz::check_against_serde),
    ("digest", extgate_fuzz::check_digest),
    ("find_place", extgate_fuzz::check_find_place),
    ("json_rpc", extgate_fuzz::check_json_rpc),
    ("keys", extgate_fuzz::check_keys),
    ("limits", extgate_fuzz::check_limits),
    ("match", extgate_fuzz::check_match),
    ("one_fault", extgate_fuzz::check_one_fault),
    ("read_bytes", extgate_fuzz::check_read_bytes),
    ("report_all", extgate_fuzz::check_report_all),
    #[cfg(feature = "serde")]
    ("stored_pin", stored_pin),
    ("trigger", extgate_fuzz::check_trigger),
    ("valid_manifest", extgate_fuzz::check_valid_manifest),
];

#[cfg(feature = "serde")]
fn stored_pin(data: &[u8]) {
    extgate_fuzz::check_stored_pin(data, |pin| {
        let text = serde_json::to_string(pin).expect("a pin can be written");
        serde_json::from_str(&text).expect("what was written can be read")
    });
}

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

/// The files of a folder in order; none where there is no folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

fn inputs(target: &str) -> Vec<Vec<u8>> {
    let seeds = files(&fuzz().join("seeds").join(target));
    assert!(!seeds.is_empty(), "{target} has no seeds");
    let regressions = files(&fuzz().join("regressions").join(target));
    let read = |path: &PathBuf| fs::read(path).expect("a file");
    seeds.iter().chain(&regressions).map(read).collect()
}

#[test]
fn every_target_has_seeds_and_holds_on_them() {
    for (target, check) in TARGETS {
        for (number, input) in inputs(target).iter().enumerate() {
            if std::panic::catch_unwind(|| check(input)).is_err() {
                panic!("{target} fails on input {number} of its seeds and regressions");
            }
        }
    }
}

/// The list above, the files of the targets, and the folders of seeds name the same targets.
#[test]
fn no_target_is_left_out() {
    let named: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let stem = |path: PathBuf| {
        path.file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned()
    };
    // Pins can be stored with the feature `serde` alone.
    let here = |name: &String| cfg!(feature = "serde") || name != "stored_pin";
    for folder in ["fuzz_targets", "seeds"] {
        let files = files(&fuzz().join(folder));
        let found: BTreeSet<_> = files.into_iter().map(stem).filter(here).collect();
        assert_eq!(found, named, "{folder}");
    }
    for folder in files(&fuzz().join("regressions")) {
        if folder.is_dir() {
            assert!(
                named.contains(&stem(folder.clone())) || !here(&stem(folder.clone())),
                "{folder:?}"
            );
        }
    }
}

/// What reading, checking and locating take of the stack does not depend on the input.
#[test]
fn deep_and_wide_documents_need_no_stack() {
    const STACK_BYTES: usize = 64 * 1024;
    let mut documents = vec![
        b"[".repeat(100_000),
        b"{\"a\":".repeat(50_000),
        b"{\"extension\":".repeat(50_000),
        [b"[".repeat(127), b"]".repeat(127)].concat(),
        [b"{\"\":".repeat(127), b"0".to_vec(), b"}".repeat(127)].concat(),
    ];
    documents.extend(inputs("read_bytes"));
    for family in families::ALL {
        documents.push(family.document(50_000));
    }
    let run = move || {
        for document in &documents {
            small(document);
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    thread
        .spawn(run)
        .expect("a thread")
        .join()
        .expect("no fault");
}

/// All that a host does with bytes, without an oracle's recursion.
fn small(bytes: &[u8]) {
    let locator = Locator::new(bytes);
    if let Err(refused) = gate(bytes, "demo") {
        let _ = locator.locate(&refused);
    }
    if let Ok(document) = JsonDocument::new(bytes) {
        let root = document.root();
        let _ = (root.digest(), root.compact_size(), root.source().len());
    }
    if let Ok(document) = Document::plugin(bytes) {
        let _ = document.check(&mut |fault: extgate::Rejection| {
            let _ = locator.locate(&fault);
            std::ops::ControlFlow::Break(())
        });
    }
    if let Ok(document) = RuntimeDocument::json_rpc_response(bytes) {
        let _ = document.result().map(|result| result.tools().len());
    }
}

/// Memory is at most six times the document, and what any document may take, for every family.
#[test]
fn what_is_made_to_cost_stays_below_the_ceiling() {
    let eager = gate(families::eager_manifest(), "demo")
        .expect("accepted")
        .expect("an extension")
        .pinned;
    for family in families::ALL {
        for size in [2_000, 20_000, 200_000, 2_000_000] {
            let document = family.document(size);
            let peak = measure(|| match family.attack {
                Attack::Read | Attack::Gate => {
                    let _ = gate(&document, "demo");
                }
                Attack::Digest => {
                    let read = JsonDocument::new(&document).expect("JSON");
                    let _ = read.root().digest();
                }
                Attack::Runtime => {
                    let read = RuntimeDocument::initialize_result(&document).expect("JSON");
                    let _ = eager.admit(read.result().expect("a result"));
                }
            })
            .bytes_max;
            let ceiling = u64::try_from(6 * document.len() + 32 * 1024).expect("64 bits");
            assert!(
                peak <= ceiling,
                "{family:?}: {peak} bytes for a document of {}, {:.2} times",
                document.len(),
                peak as f64 / document.len() as f64
            );
        }
    }
}
