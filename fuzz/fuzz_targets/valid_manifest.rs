//! A generated manifest is accepted, every field as it was generated.
#![cfg_attr(fuzzing, no_main)]
extgate_fuzz::target!(check_valid_manifest);
