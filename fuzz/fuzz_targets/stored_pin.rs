//! A pin that was stored admits and refuses the same.
#![cfg_attr(fuzzing, no_main)]
extgate_fuzz::target!(check_stored_pin_as_json);
