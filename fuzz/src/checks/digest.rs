//! What holds for digests and compact sizes.

use arbitrary::{Arbitrary, Unstructured};
use extgate::{Json, JsonDocument, JsonType, SchemaDigest};

use super::shown;
use crate::oracle;
use crate::respelled::{NumberText, Respelling, same};
use crate::spell;
use crate::value::Value;

/// A value and its spellings: white space, member order, escapes and the spelling of numbers change
/// neither digest nor compact size, any change of the value changes the digest, the naive renderings
/// agree, and a part digested within its document is digested as a document of its own.
///
/// # Panics
/// Where one of these does not hold.
pub fn check_digest(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let number = NumberText::arbitrary(&mut u).expect("never fails");
    check_number(&number);
    let respelling = Respelling::arbitrary(&mut u).expect("never fails");
    let expected = oracle::digest(&respelling.value);
    let size = oracle::compact_text(&respelling.value).len();
    for spelled in [
        &respelling.one,
        &respelling.other,
        &spell::plain(&respelling.value),
        &spell::reversed(&respelling.value),
    ] {
        let document = read(&spelled.bytes);
        let root = document.root();
        assert_eq!(
            root.digest().to_string(),
            expected,
            "{}",
            shown(&spelled.bytes)
        );
        assert_eq!(root.compact_size(), size, "{}", shown(&spelled.bytes));
        for (pointer, span) in &spelled.spans {
            let part = &spelled.bytes[span.value.clone()];
            let within = at(root, pointer).digest();
            assert_eq!(read(part).root().digest(), within, "{}", shown(part));
        }
        let digest = root.digest();
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert_eq!(SchemaDigest::from_bytes(*digest.as_bytes()), digest);
    }
    assert!(
        !same(&respelling.value, &respelling.changed),
        "{} changed nothing",
        respelling.change
    );
    let changed = spell::plain(&respelling.changed);
    let digest = read(&changed.bytes).root().digest().to_string();
    assert_eq!(
        digest,
        oracle::digest(&respelling.changed),
        "{}",
        shown(&changed.bytes)
    );
    assert_ne!(
        digest,
        expected,
        "{} at {:?} left the digest of {}",
        respelling.change,
        respelling.pointer,
        shown(&respelling.one.bytes)
    );
}

fn check_number(number: &NumberText) {
    let document = read(number.text.as_bytes());
    let root = document.root();
    assert_eq!(root.kind(), JsonType::Float, "{}", number.text);
    let value = Value::Float(number.number);
    assert_eq!(
        root.digest().to_string(),
        oracle::digest(&value),
        "{}",
        number.text
    );
    assert_eq!(
        root.compact_size(),
        oracle::compact_text(&value).len(),
        "{}",
        number.text
    );
}

fn read(bytes: &[u8]) -> JsonDocument<'_> {
    JsonDocument::new(bytes).unwrap_or_else(|refused| panic!("{refused}: {}", shown(bytes)))
}

fn at<'d>(root: Json<'d>, pointer: &str) -> Json<'d> {
    crate::value::tokens(pointer).fold(root, |value, token| match value.kind() {
        JsonType::Array => value
            .items()
            .nth(token.parse().expect("an index"))
            .expect("an item"),
        _ => value.get(&token).expect("a member"),
    })
}
