//! What holds for reports of faults and for their places.

use std::ops::ControlFlow;

use extgate::{
    Category, Document, Location, Locator, Place, Reason, Rejection, RuntimeDocument, gate,
};

use super::shown;
use crate::oracle::{self, Parsed};

fn faults(document: &Document<'_>, most: usize) -> Vec<Rejection> {
    let mut faults = Vec::new();
    let _ = document.check(&mut |fault: Rejection| {
        faults.push(fault);
        if faults.len() < most {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    faults
}

/// The most faults whose places are looked at: finding each walks the document again.
const LOOKED_AT: usize = 40;

/// Every place that is reported, of a manifest and of an initialize result: offset, line, column and
/// length lie in the document and agree with a naive count, and the bytes are the value, or the key,
/// that the pointer names.
///
/// # Panics
/// Where one of these does not hold.
pub fn check_find_place(data: &[u8]) {
    let parsed = Parsed::read(data);
    let locator = Locator::new(data);
    let look = |fault: &Rejection| {
        let found = locator.locate(fault);
        assert_eq!(found, fault.locate(data));
        in_the_document(data, &found);
        names(data, fault, &found, &parsed);
    };
    match Document::plugin(data) {
        Err(refused) => look(&refused),
        Ok(document) => faults(&document, LOOKED_AT).iter().for_each(look),
    }
    for read in [
        RuntimeDocument::initialize_result,
        RuntimeDocument::json_rpc_response,
    ] {
        match read(data) {
            Err(refused) => look(&refused),
            Ok(document) => {
                let mut faults = Vec::new();
                let _ = document.check(&mut |fault: Rejection| {
                    faults.push(fault);
                    if faults.len() < LOOKED_AT {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break(())
                    }
                });
                faults.iter().for_each(look);
            }
        }
    }
}

fn in_the_document(data: &[u8], found: &Location) {
    assert!(
        found.offset + found.length <= data.len(),
        "{found:?}: {}",
        shown(data)
    );
    let before = &data[..found.offset];
    let lines = before.split(|byte| *byte == b'\n').count();
    assert_eq!(found.line, lines, "{found:?}: {}", shown(data));
    let last = before
        .rsplit(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    // In what is no UTF-8 a character is whatever is no continuation of one.
    let characters = match core::str::from_utf8(last) {
        Ok(text) => text.chars().count(),
        Err(_) => last.iter().filter(|byte| **byte & 0xC0 != 0x80).count(),
    };
    assert_eq!(found.column, characters + 1, "{found:?}: {}", shown(data));
}

fn names(data: &[u8], fault: &Rejection, found: &Location, parsed: &serde_json::Result<Parsed>) {
    let text = &data[found.offset..found.offset + found.length];
    let told = || {
        format!(
            "{fault:?} at {found:?}, {:?}: {}",
            String::from_utf8_lossy(text),
            shown(data)
        )
    };
    let on_key = match fault.place() {
        Place::Key(_) => true,
        Place::Value(_) => false,
        Place::Byte(at) => {
            assert_eq!(found.offset, at as usize, "{}", told());
            fault.reason() == Reason::DuplicateKey
        }
    };
    if let Place::Byte(_) = fault.place() {
        match fault.reason() {
            Reason::DuplicateKey => {}
            Reason::LoneSurrogate => {
                assert!(text.starts_with(b"\\u") && text.len() == 6, "{}", told())
            }
            // Letters and digits behind the number, which end no number, are shown with it.
            Reason::NumberOutOfRange => {
                let token = core::str::from_utf8(text).expect("a number");
                let number = (1..=token.len())
                    .rev()
                    .find_map(|end| token[..end].parse::<f64>().ok());
                assert!(number.is_some_and(f64::is_infinite), "{}", told());
            }
            Reason::NestingTooDeep => assert!(matches!(text, b"[" | b"{"), "{}", told()),
            _ => assert!(text.len() <= 4, "{}", told()),
        }
    }
    if on_key {
        let key: String =
            serde_json::from_slice(text).unwrap_or_else(|error| panic!("{error}: {}", told()));
        let last = crate::value::tokens(&found.pointer).last();
        assert_eq!(last, Some(key), "{}", told());
    } else if let Place::Value(_) = fault.place() {
        let parsed = match parsed {
            Ok(parsed) => parsed,
            Err(error) if oracle::is_range(error) => return,
            Err(error) => panic!("{error}, yet {}", told()),
        };
        let named = parsed
            .at(&found.pointer)
            .unwrap_or_else(|| panic!("no such value: {}", told()));
        let there = Parsed::read(text).unwrap_or_else(|error| panic!("{error}: {}", told()));
        // Outside the extension block keys may repeat; the first is what the gate keeps.
        assert_eq!(*named, there, "{}", told());
    }
}

/// The report of every fault: its first is the reason of the refusal, categories come in the order in
/// which they rank, nothing is reported twice, a sink that stops is asked no more, and there are no
/// more faults than bytes.
///
/// # Panics
/// Where one of these does not hold.
pub fn check_report_all(data: &[u8]) {
    let document = match Document::plugin(data) {
        Ok(document) => document,
        Err(refused) => {
            assert_eq!(gate(data, "demo").err(), Some(refused));
            return;
        }
    };
    let all = faults(&document, usize::MAX);
    let told = || format!("{all:?}: {}", shown(data));
    let refused = document
        .extension()
        .and_then(|manifest| manifest.map_or(Ok(()), |manifest| manifest.validate().map(|_| ())))
        .err();
    assert_eq!(all.first(), refused.as_ref(), "{}", told());
    assert_eq!(document.first_fault(), refused, "{}", told());
    assert_eq!(gate(data, "demo").err(), refused, "{}", told());
    assert!(all.len() <= data.len(), "{}", told());
    assert!(
        all.iter()
            .all(|fault| !matches!(fault.place(), Place::Byte(_))),
        "{}",
        told()
    );
    assert!(
        all.iter()
            .all(|fault| fault.reason().category() != Category::Runtime),
        "{}",
        told()
    );
    let ranked = all
        .windows(2)
        .all(|pair| pair[0].reason().category() <= pair[1].reason().category());
    assert!(ranked, "{}", told());
    let mut seen = std::collections::HashSet::new();
    assert!(all.iter().all(|fault| seen.insert(fault)), "{}", told());
    for most in [1, 2, 3] {
        let some = faults(&document, most);
        assert_eq!(some, all[..most.min(all.len())], "{}", told());
    }
}
