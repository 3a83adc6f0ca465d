//! The trigger is the least of the components', in whatever order they stand.
#![cfg_attr(fuzzing, no_main)]
extgate_fuzz::target!(check_trigger);
