//! What matches is admitted; a drift is refused for its reason at its place.
#![cfg_attr(fuzzing, no_main)]
extgate_fuzz::target!(check_match);
