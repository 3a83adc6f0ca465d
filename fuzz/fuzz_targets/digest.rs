//! Spelling never changes a digest; a change of the value does.
#![cfg_attr(fuzzing, no_main)]
extgate_fuzz::target!(check_digest);
