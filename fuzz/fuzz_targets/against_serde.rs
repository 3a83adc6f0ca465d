//! Any bytes, against `serde_json`: the same values, or a stricter rule that is broken indeed.
#![cfg_attr(fuzzing, no_main)]
extgate_fuzz::target!(check_against_serde);
