//! Writes the seeds of every target to `seeds/`, from the conformance vectors and from the generators.
//! `cargo run -p extgate-fuzz --bin make-seeds`; the same vectors and generators give the same seeds.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use arbitrary::{Arbitrary, Unstructured};
use extgate_fuzz::fault::OneFault;
use extgate_fuzz::manifest::ValidManifest;
use extgate_fuzz::respelled::{NumberText, Respelling};
use extgate_fuzz::runtime::{Drift, Matching};

/// Documents above this are left to the generators.
const MOST_BYTES: usize = 1_000;

/// Vectors and generated documents that each target of raw bytes starts from.
const DOCUMENTS: usize = 40;

/// Inputs that each target of generated documents starts from.
const CHOICES: u64 = 24;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let vectors = vectors(&root.join("../tests/vectors"));
    let (documents, results) = generated();
    for (target, of) in [
        (
            "read_bytes",
            vec![&vectors.documents, &vectors.results, &documents, &results],
        ),
        (
            "against_serde",
            vec![&vectors.documents, &documents, &numbers()],
        ),
        (
            "find_place",
            vec![&vectors.documents, &vectors.results, &documents, &results],
        ),
        ("report_all", vec![&vectors.documents, &documents]),
        ("json_rpc", vec![&vectors.results, &results]),
    ] {
        let mut seeds = BTreeSet::new();
        for kind in of {
            // Evenly from each kind, so that each of its faults has a chance.
            let step = kind.len().div_ceil(DOCUMENTS).max(1);
            seeds.extend(kind.iter().step_by(step).cloned());
        }
        write(&root.join("seeds").join(target), &seeds);
    }
    for target in [
        "valid_manifest",
        "one_fault",
        "keys",
        "limits",
        "digest",
        "trigger",
        "match",
        "stored_pin",
    ] {
        let seeds = (0..CHOICES).map(choices).collect();
        write(&root.join("seeds").join(target), &seeds);
    }
}

/// Choices for a generator: none, all the least, all the most, and what looks random, in several lengths.
fn choices(number: u64) -> Vec<u8> {
    match number {
        0 => Vec::new(),
        1 => vec![0; 64],
        2 => vec![255; 256],
        3 => (0..=255).collect(),
        _ => noise(number, 64 << (number % 4)),
    }
}

fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..bytes)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        })
        .collect()
}

#[derive(Default)]
struct Documents {
    documents: BTreeSet<Vec<u8>>,
    results: BTreeSet<Vec<u8>>,
}

fn vectors(folder: &Path) -> Documents {
    let mut found = Documents::default();
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the vectors")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "jsonl")
        })
        .collect();
    paths.sort();
    for path in paths {
        for line in fs::read_to_string(path).expect("text").lines() {
            let case: serde_json::Value = serde_json::from_str(line).expect("a case");
            let bytes = |key: &str| case[key].as_str().map(decoded);
            keep(&mut found.documents, bytes("doc_b64"));
            keep(&mut found.results, bytes("runtime_b64"));
        }
    }
    assert!(
        !found.documents.is_empty() && !found.results.is_empty(),
        "no vectors"
    );
    found
}

fn keep(seeds: &mut BTreeSet<Vec<u8>>, document: Option<Vec<u8>>) {
    seeds.extend(document.filter(|document| document.len() <= MOST_BYTES));
}

/// Base64 with padding.
fn decoded(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.bytes().take_while(|byte| *byte != b'=');
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0);
    for digit in digits {
        let value = ALPHABET
            .iter()
            .position(|known| *known == digit)
            .expect("base64");
        held = held << 6 | value as u32;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits) as u8);
        }
    }
    bytes
}

/// One document for each reason, and some that are accepted.
fn generated() -> (BTreeSet<Vec<u8>>, BTreeSet<Vec<u8>>) {
    let (mut documents, mut results) = (BTreeSet::new(), BTreeSet::new());
    for (number, reason) in (0_u64..).zip(extgate::Reason::ALL) {
        for more in 0..3 {
            let bytes = noise(number * 3 + more, 160);
            let fault = OneFault::of(*reason, &mut Unstructured::new(&bytes));
            keep(&mut documents, fault.map(|fault| fault.document));
            let drift = Drift::of(*reason, &mut Unstructured::new(&bytes));
            keep(&mut results, drift.map(|drift| drift.runtime));
        }
    }
    for number in 0..30 {
        let bytes = noise(number, 200);
        let u = &mut Unstructured::new(&bytes);
        let valid = ValidManifest::arbitrary(u).expect("never fails");
        keep(&mut documents, Some(valid.document.bytes));
        let matching = Matching::arbitrary(u).expect("never fails");
        keep(&mut results, Some(matching.bare.bytes));
        let value = Respelling::arbitrary(u).expect("never fails");
        keep(&mut documents, Some(value.other.bytes));
    }
    (documents, results)
}

fn numbers() -> BTreeSet<Vec<u8>> {
    (0..30)
        .map(|number| {
            let bytes = noise(number, 60);
            let number =
                NumberText::arbitrary(&mut Unstructured::new(&bytes)).expect("never fails");
            number.text.into_bytes()
        })
        .collect()
}

fn write(folder: &Path, seeds: &BTreeSet<Vec<u8>>) {
    if folder.exists() {
        fs::remove_dir_all(folder).expect("old seeds go");
    }
    fs::create_dir_all(folder).expect("a folder");
    for (number, seed) in seeds.iter().enumerate() {
        fs::write(folder.join(format!("{number:03}")), seed).expect("a file");
    }
    let bytes: usize = seeds.iter().map(Vec::len).sum();
    println!("{}: {} seeds, {bytes} bytes", folder.display(), seeds.len());
}
