//! A key that stands twice is found, however it is spelled and whatever stands beside it.
#![cfg_attr(fuzzing, no_main)]
extgate_fuzz::target!(check_keys);
