//! Attacks on the gate: generators, properties, and documents that are made to cost.
#![forbid(unsafe_code)]

pub mod families;
