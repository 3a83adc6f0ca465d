//! The listing of the public API, by its names. Its signatures are compared by `.ci/public-api`, which
//! needs a nightly toolchain.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names that the crate's root hands on or holds as modules.
fn handed_on() -> BTreeSet<String> {
    let root = read("src/lib.rs");
    let mut names = BTreeSet::new();
    for item in root.split("\npub use ").skip(1) {
        let item = item.split(';').next().expect("an item");
        let (_, list) = item.split_once("::").expect("from a module");
        let list = list.trim_start_matches('{').trim_end_matches('}');
        names.extend(
            list.split(',')
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty()),
        );
    }
    for module in root.split("\npub mod ").skip(1) {
        let name = module.split([';', ' ']).next().expect("a name");
        names.insert(name.to_owned());
    }
    names
}

/// The names that the listing has at the crate's root.
fn listed() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in read("docs/public-api.txt").lines() {
        let line = line.trim_start_matches("#[non_exhaustive] ");
        let Some(item) = line.strip_prefix("pub ") else {
            continue;
        };
        let item = item.trim_start_matches("const ");
        let Some((_, path)) = ["mod ", "struct ", "enum ", "trait ", "fn ", "type "]
            .iter()
            .find_map(|kind| item.strip_prefix(kind))
            .and_then(|item| item.split_once("extgate::"))
        else {
            continue;
        };
        let end = path
            .find(|one: char| !one.is_alphanumeric() && one != '_')
            .unwrap_or(path.len());
        if !path[end..].starts_with("::") {
            names.insert(path[..end].to_owned());
        }
    }
    names
}

#[test]
fn the_listing_has_the_names_of_the_crate() {
    let (listed, handed_on) = (listed(), handed_on());
    assert!(handed_on.len() > 40, "the root's items were found");
    assert_eq!(
        listed, handed_on,
        "`.ci/public-api --bless` writes the listing anew"
    );
}
