//! The properties: one function each, from bytes to a panic where the property does not hold.

mod bytes;
mod digest;
mod keys;
mod manifests;
mod places;
mod runtimes;

pub use bytes::{check_against_serde, check_read_bytes};
pub use digest::check_digest;
pub use keys::check_keys;
pub use manifests::{
    check_limits, check_one_fault, check_trigger, check_valid_manifest, holds_at, refused_for,
};
pub use places::{check_find_place, check_report_all};
#[cfg(feature = "serde")]
pub use runtimes::check_stored_pin_as_json;
pub use runtimes::{check_json_rpc, check_match, check_stored_pin, drifted};

/// A document in a message, cut where it is long.
fn shown(bytes: &[u8]) -> String {
    const MOST: usize = 4_000;
    let text = String::from_utf8_lossy(bytes);
    match text.char_indices().nth(MOST) {
        Some((cut, _)) => format!("{}… ({} bytes)", &text[..cut], bytes.len()),
        None => text.into_owned(),
    }
}
