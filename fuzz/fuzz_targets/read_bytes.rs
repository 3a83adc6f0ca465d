//! Any bytes, as each kind of document: no panic, bounds hold, the same answer twice.
#![cfg_attr(fuzzing, no_main)]
extgate_fuzz::target!(check_read_bytes);
