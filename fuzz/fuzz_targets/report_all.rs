//! The report of every fault begins with the refusal, is ranked, and repeats nothing.
#![cfg_attr(fuzzing, no_main)]
extgate_fuzz::target!(check_report_all);
