//! A reported place is the text of what its pointer names.
#![cfg_attr(fuzzing, no_main)]
extgate_fuzz::target!(check_find_place);
