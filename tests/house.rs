//! How the core is built: its modules know one another in one direction only.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which modules each module names in its code, tests aside. A module is its path, such as `json::scan`.
fn knowledge() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    let sources: BTreeMap<String, String> = files
        .iter()
        .map(|file| {
            let path = file.strip_prefix(&root).expect("below the root");
            let mut parts: Vec<&str> = path
                .iter()
                .map(|part| part.to_str().expect("a name"))
                .collect();
            let last = parts.pop().expect("a file");
            if last != "mod.rs" && last != "lib.rs" {
                parts.push(last.trim_end_matches(".rs"));
            }
            let source = fs::read_to_string(file).expect("a source file");
            (parts.join("::"), code(&source))
        })
        .collect();
    sources
        .iter()
        .map(|(module, code)| (module.clone(), named(module, code, &sources)))
        .collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
}

/// A source without comments, without its tests, and without what it only hands on.
fn code(source: &str) -> String {
    let tests = source.find("#[cfg(test)]\nmod ").unwrap_or(source.len());
    let lines: Vec<&str> = source[..tests]
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//"))
        .collect();
    lines
        .join(" ")
        .split_inclusive(';')
        .filter(|item| !item.trim_start().starts_with("pub use "))
        .collect()
}

/// The modules that a code names by `crate::`, by `super::`, or as its own child.
fn named(module: &str, code: &str, sources: &BTreeMap<String, String>) -> BTreeSet<String> {
    let parent = module.rsplit_once("::").map_or("", |(parent, _)| parent);
    let mut found = BTreeSet::new();
    for (prefix, base) in [("crate::", ""), ("super::", parent), ("use ", module)] {
        for (at, _) in code.match_indices(prefix) {
            let boundary = code[..at]
                .chars()
                .next_back()
                .is_none_or(|one| !one.is_alphanumeric() && one != '_' && one != ':');
            if !boundary {
                continue;
            }
            for path in paths(&code[at + prefix.len()..]) {
                let mut known = base.to_owned();
                for step in path {
                    let deeper = if known.is_empty() {
                        step.to_owned()
                    } else {
                        format!("{known}::{step}")
                    };
                    if !sources.contains_key(&deeper) {
                        break;
                    }
                    known = deeper;
                }
                if known != module && (prefix != "use " || known != base) {
                    found.insert(known);
                }
            }
        }
    }
    found
}

/// The paths with which a text begins: one, or those of a group in braces.
fn paths(text: &str) -> Vec<Vec<&str>> {
    match text.strip_prefix('{') {
        Some(group) => {
            let end = group.find('}').unwrap_or(group.len());
            group[..end]
                .split(',')
                .map(|one| steps(one.trim()))
                .collect()
        }
        None => vec![steps(text)],
    }
}

fn steps(text: &str) -> Vec<&str> {
    let end = text
        .find(|one: char| !one.is_alphanumeric() && one != '_' && one != ':')
        .unwrap_or(text.len());
    text[..end]
        .split("::")
        .filter(|step| !step.is_empty())
        .collect()
}

#[test]
fn modules_know_one_another_in_one_direction() {
    let mut knows = knowledge();
    // A reader that found nothing would find no circle either.
    for (module, known) in [
        ("rules", "manifest"),
        ("rules", "id"),
        ("matching", "rules"),
        ("pin", "matching"),
        ("json", "json::scan"),
        ("json::scan", "json::keys"),
        ("json::locate", "json"),
    ] {
        assert!(knows[module].contains(known), "{module} uses {known}");
    }
    // The root only hands on; who took its items from there would know everything at once.
    knows.remove("");
    for (module, known) in &knows {
        assert!(!known.contains(""), "{module} names an item by the root");
    }
    while let Some(settled) = knows
        .iter()
        .find(|(_, known)| known.iter().all(|one| !knows.contains_key(one)))
        .map(|(module, _)| module.clone())
    {
        knows.remove(&settled);
    }
    // What is left is in a circle, or stands above one.
    while let Some(above) = knows
        .keys()
        .find(|module| !knows.values().any(|known| known.contains(*module)))
        .cloned()
    {
        knows.remove(&above);
    }
    assert!(knows.is_empty(), "these are in a circle: {knows:#?}");
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The compiler holds the core to these; here it is held to asking the compiler.
#[test]
fn the_core_forbids_unsafe_code_and_panics() {
    let root = read("src/lib.rs");
    assert!(root.contains("#![forbid(unsafe_code)]"));
    assert!(root.contains("#![no_std]"));
    let denied = root
        .split_once("deny(")
        .and_then(|(_, rest)| rest.split_once(')'))
        .map(|(denied, _)| denied)
        .expect("what is denied");
    for lint in [
        "unwrap_used",
        "expect_used",
        "panic",
        "unreachable",
        "indexing_slicing",
        "string_slice",
        "as_conversions",
        "disallowed_methods",
    ] {
        assert!(denied.contains(&format!("clippy::{lint}")), "{lint}");
    }
    let disallowed = read("clippy.toml");
    for method in [
        "copy_from_slice",
        "split_at",
        "Vec::remove",
        "String::drain",
    ] {
        assert!(disallowed.contains(&format!("::{method}\"")), "{method}");
    }
}

#[test]
fn the_core_depends_on_little() {
    let manifest = read("Cargo.toml");
    let dependencies: Vec<&str> = manifest
        .split_once("\n[dependencies]\n")
        .and_then(|(_, rest)| rest.split_once("\n["))
        .map(|(table, _)| table)
        .expect("the dependencies")
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let [hash, serde] = dependencies[..] else {
        panic!("{dependencies:?}");
    };
    assert!(hash.starts_with("sha2 = ") && hash.contains("default-features = false"));
    assert!(serde.starts_with("serde = ") && serde.contains("optional = true"));
    assert!(
        manifest.contains("\ndefault = []\n"),
        "no feature is on by default"
    );
}

/// The map of the code has every file of the core, and no other.
#[test]
fn every_file_is_on_the_map() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(&root.join("src"), &mut files);
    let are: BTreeSet<String> = files
        .iter()
        .map(|file| {
            let path = file.strip_prefix(root).expect("below the root");
            path.to_str().expect("a name").replace('\\', "/")
        })
        .collect();
    let said: BTreeSet<String> = read("CONTRIBUTING.md")
        .lines()
        .filter_map(|line| line.strip_prefix("| `src/"))
        .map(|rest| format!("src/{}", rest.split('`').next().expect("a name")))
        .collect();
    let missing: Vec<&String> = are.difference(&said).collect();
    let gone: Vec<&String> = said.difference(&are).collect();
    assert!(
        missing.is_empty() && gone.is_empty(),
        "the map in CONTRIBUTING.md lacks {missing:?}, and has {gone:?}, which are gone"
    );
}
