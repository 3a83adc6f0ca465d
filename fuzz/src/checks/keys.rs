//! What holds for the keys of an object.

use std::borrow::Cow;

use arbitrary::{Arbitrary, Unstructured};
use extgate::{JsonDocument, Reason};

use super::shown;
use crate::keys::ManyKeys;
use crate::oracle;

/// An object of many keys: refused at a second occurrence where a key stands twice in whatever spelling,
/// and else read, with the digest that the naive rendering has.
///
/// # Panics
/// Where one of these does not hold.
pub fn check_keys(data: &[u8]) {
    let made = ManyKeys::arbitrary(&mut Unstructured::new(data)).expect("never fails");
    let repeated = made.repeated();
    let text = || shown(&made.document);
    match JsonDocument::new(&made.document) {
        Ok(document) => {
            assert_eq!(repeated, [0; 0], "{}", text());
            let root = document.root();
            let keys = made.keys.iter().map(Cow::from);
            assert_eq!(root.count(), made.keys.len(), "{}", text());
            assert!(root.members().map(|(key, _)| key).eq(keys), "{}", text());
            assert_eq!(
                root.digest().to_string(),
                oracle::digest(&made.value()),
                "{}",
                text()
            );
        }
        Err(refused) => {
            assert_eq!(refused.reason(), Reason::DuplicateKey, "{}", text());
            let offset = refused.locate(&made.document).offset;
            assert!(repeated.contains(&offset), "{offset}: {}", text());
        }
    }
}
