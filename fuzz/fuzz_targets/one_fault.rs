//! A manifest with one fault is refused for that reason at that place.
#![cfg_attr(fuzzing, no_main)]
extgate_fuzz::target!(check_one_fault);
