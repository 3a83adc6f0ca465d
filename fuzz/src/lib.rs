//! Attacks on the gate: generators, properties, and documents that are made to cost.
#![forbid(unsafe_code)]

mod build;
mod checks;
pub mod damage;
mod dice;
pub mod families;
pub mod fault;
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
    check_against_serde, check_digest, check_find_place, check_json_rpc, check_limits, check_match,
    check_one_fault, check_read_bytes, check_report_all, check_stored_pin, check_trigger,
    check_valid_manifest, drifted, holds_at, refused_for,
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
