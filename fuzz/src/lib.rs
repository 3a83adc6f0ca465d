//! Attacks on the gate: generators of manifests and initialize results, properties that must hold for
//! them, and documents that are made to cost.
//!
//! # For hosts that embed the gate
//!
//! The generators implement [`arbitrary::Arbitrary`], so proptest, libFuzzer or any source of bytes can
//! feed them; they never fail, and the same bytes give the same document. They know what they made: a
//! [`fault::OneFault`] carries its reason and its place, a [`runtime::Drift`] also the document that it is in.
//!
//! | generator | makes |
//! | --- | --- |
//! | [`manifest::ValidManifest`] | a manifest that is accepted: every member, class and trigger, lengths at and near every bound, text of one to four bytes a character, escapes, the legacy alias |
//! | [`fault::OneFault`] | a manifest with exactly one fault, for every [`extgate::Reason`] that can refuse one |
//! | [`limit::AtTheBound`] | a document at a bound, and one that passes it by one |
//! | [`runtime::Matching`] | a manifest and an initialize result that matches it, bare and in a JSON-RPC response |
//! | [`runtime::Drift`] | a manifest and a result with exactly one drift, for every reason that can refuse one |
//! | [`respelled::Respelling`] | a JSON value in two spellings, and another value that differs in one place |
//! | [`respelled::NumberText`] | a number's text at which conversion is hard |
//! | [`keys::ManyKeys`] | an object of up to 300 keys that are hard to tell apart, with or without one that stands twice |
//! | [`damage::Damaged`] | bytes that were a document |
//! | [`families`] | documents of a given size, each aimed at one place where time could grow |
//!
//! ```
//! use extgate_fuzz::arbitrary::{Arbitrary, Unstructured};
//! use extgate_fuzz::fault::OneFault;
//! use extgate_fuzz::runtime::Matching;
//!
//! // What a host does with a manifest: here the gate alone stands for it.
//! fn starts(manifest: &[u8]) -> bool {
//!     matches!(extgate::gate(manifest, "demo"), Ok(Some(_)))
//! }
//!
//! let choices: Vec<u8> = (0..=255).cycle().take(900).collect();
//! let mut u = Unstructured::new(&choices);
//! let matching = Matching::arbitrary(&mut u)?;
//! assert!(starts(&matching.document.bytes));
//! let fault = OneFault::of(extgate::Reason::DuplicateKey, &mut u).expect("every reason has a generator");
//! assert!(!starts(&fault.document));
//! # Ok::<(), extgate_fuzz::arbitrary::Error>(())
//! ```
//!
//! # Properties
//!
//! Each `check_*` function takes bytes and panics where its property does not hold. The tests of
//! `extgate` run them under proptest, `fuzz_targets/` under libFuzzer. What they compare the gate with
//! ([`oracle`] and the generators' own knowledge) shares no code with it.
#![forbid(unsafe_code)]

mod build;
mod checks;
pub mod damage;
mod dice;
pub mod families;
pub mod fault;
pub mod keys;
pub mod limit;
pub mod manifest;
pub mod oracle;
mod raw;
pub mod respelled;
pub mod runtime;
pub mod spell;
mod text;
pub mod value;

pub use arbitrary;
pub use checks::{
    check_against_serde, check_digest, check_find_place, check_json_rpc, check_keys, check_limits,
    check_match, check_one_fault, check_read_bytes, check_report_all, check_stored_pin,
    check_trigger, check_valid_manifest, drifted, holds_at, refused_for,
};

#[cfg(feature = "serde")]
pub use checks::check_stored_pin_as_json;

/// The `main` of a fuzz target: under libFuzzer the property on each input, otherwise a program that
/// replays the files and folders it is given.
#[macro_export]
macro_rules! target {
    ($check:ident) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| $crate::$check(data));
        #[cfg(not(fuzzing))]
        fn main() -> std::process::ExitCode {
            $crate::replay($crate::$check)
        }
    };
}

/// Runs a property on each file that the command line names, and on each in the folders that it names.
/// Fails where there is none: a replay of nothing shows nothing.
#[must_use]
pub fn replay(check: fn(&[u8])) -> std::process::ExitCode {
    let mut files: Vec<std::path::PathBuf> = std::env::args_os().skip(1).map(Into::into).collect();
    let mut replayed = 0_u64;
    while let Some(path) = files.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder that can be read");
            files.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else {
            let bytes =
                std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            check(&bytes);
            replayed += 1;
        }
    }
    println!("{replayed} inputs replayed");
    if replayed > 0 {
        std::process::ExitCode::SUCCESS
    } else {
        std::process::ExitCode::FAILURE
    }
}
