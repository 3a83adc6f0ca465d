//! The properties of `extgate-fuzz` under proptest, which feeds their generators bytes and shrinks them.
//!
//! `PROPTEST_CASES` sets how many cases each property gets. A case that fails is written to
//! `proptest-regressions/`, and is tried first from then on.

use std::ops::Range;

use extgate::{Category, Reason};
use extgate_fuzz::arbitrary::{Arbitrary, Unstructured};
use extgate_fuzz::damage::Damaged;
use extgate_fuzz::fault::OneFault;
use extgate_fuzz::limit::{AtTheBound, BOUNDS};
use extgate_fuzz::runtime::Drift;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, FileFailurePersistence, TestRunner};

/// Cases of each property where `PROPTEST_CASES` does not say otherwise.
const CASES: u32 = 192;

/// Most of what generators read is one byte a choice.
const BYTES: Range<usize> = 0..1_500;

fn holds(check: impl Fn(&[u8])) {
    let mut config = Config::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    config.failure_persistence = Some(Box::new(FileFailurePersistence::Direct(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/proptest-regressions/properties.txt"
    ))));
    config.source_file = Some(file!());
    let outcome = TestRunner::new(config).run(&vec(any::<u8>(), BYTES), |data| {
        check(&data);
        Ok(())
    });
    if let Err(failed) = outcome {
        panic!("{failed}");
    }
}

/// For properties of any bytes: those of documents that were damaged.
fn holds_of_damaged(check: impl Fn(&[u8])) {
    holds(|data| {
        let damaged = Damaged::arbitrary(&mut Unstructured::new(data)).expect("never fails");
        check(&damaged.bytes);
    });
}

#[test]
fn read_bytes() {
    holds_of_damaged(extgate_fuzz::check_read_bytes);
    holds(extgate_fuzz::check_read_bytes);
}

#[test]
fn against_serde() {
    holds_of_damaged(extgate_fuzz::check_against_serde);
}

#[test]
fn valid_manifest() {
    holds(extgate_fuzz::check_valid_manifest);
}

#[test]
fn one_fault() {
    holds(extgate_fuzz::check_one_fault);
}

#[test]
fn limits() {
    holds(extgate_fuzz::check_limits);
}

#[test]
fn digest() {
    holds(extgate_fuzz::check_digest);
}

#[test]
fn keys() {
    holds(extgate_fuzz::check_keys);
    for seed in 0..600 {
        extgate_fuzz::check_keys(&noise(seed));
    }
}

#[test]
fn trigger() {
    holds(extgate_fuzz::check_trigger);
}

#[test]
fn matching() {
    holds(extgate_fuzz::check_match);
}

#[test]
fn find_place() {
    holds_of_damaged(extgate_fuzz::check_find_place);
}

#[test]
fn json_rpc() {
    holds_of_damaged(extgate_fuzz::check_json_rpc);
}

#[test]
fn report_all() {
    holds_of_damaged(extgate_fuzz::check_report_all);
}

#[cfg(feature = "serde")]
#[test]
fn stored_pin() {
    holds(|data| {
        extgate_fuzz::check_stored_pin(data, |pin| {
            let text = serde_json::to_string(pin).expect("a pin can be written");
            serde_json::from_str(&text).expect("what was written can be read")
        });
    });
}

/// Bytes that look random, the same on every run.
fn noise(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    (0..1_200)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        })
        .collect()
}

#[test]
fn every_reason_has_a_generator_and_is_given_for_what_it_makes() {
    for (number, reason) in (0_u64..).zip(Reason::ALL) {
        let tries = if *reason == Reason::DocumentTooLarge {
            2
        } else {
            24
        };
        let (mut faults, mut drifts) = (0, 0);
        for seed in 0..tries {
            let bytes = noise(number * 1_000 + seed);
            if let Some(fault) = OneFault::of(*reason, &mut Unstructured::new(&bytes)) {
                extgate_fuzz::refused_for(&fault);
                faults += 1;
            }
            if let Some(drift) = Drift::of(*reason, &mut Unstructured::new(&bytes)) {
                extgate_fuzz::drifted(&drift);
                drifts += 1;
            }
        }
        let expected = if reason.category() == Category::Runtime {
            0
        } else {
            tries
        };
        assert_eq!(faults, expected, "{reason}");
        let expected = if Drift::reasons().any(|known| known == *reason) {
            tries
        } else {
            0
        };
        assert_eq!(drifts, expected, "{reason}");
    }
}

#[test]
fn every_bound_is_kept_exactly() {
    for bound in BOUNDS {
        for seed in 0..6 {
            let bytes = noise(seed);
            extgate_fuzz::holds_at(&AtTheBound::of(*bound, &mut Unstructured::new(&bytes)));
        }
    }
    for limit in extgate::limits::ALL {
        let known = BOUNDS.iter().any(|bound| bound.constant == limit.name);
        assert!(known, "nothing is generated at the bound {}", limit.name);
    }
}

#[test]
fn every_set_of_components_has_the_least_trigger() {
    for set in 0..64 {
        for more in 0..6 {
            for spelling in [0, 37, 255] {
                let bytes = [[set, more].as_slice(), &[spelling; 200]].concat();
                extgate_fuzz::check_trigger(&bytes);
            }
        }
    }
}
