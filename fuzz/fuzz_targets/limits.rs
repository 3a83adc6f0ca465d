//! What keeps a bound is accepted; one more is refused.
#![cfg_attr(fuzzing, no_main)]
extgate_fuzz::target!(check_limits);
