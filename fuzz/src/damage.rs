//! Documents that were good, with bytes changed: what a mutating fuzzer makes of its seeds, for those
//! who have none at hand.

use arbitrary::{Arbitrary, Unstructured};

use crate::dice::Dice;
use crate::fault::OneFault;
use crate::manifest::ValidManifest;
use crate::respelled::Respelling;
use crate::runtime::{Drift, Matching};

/// Bytes that are nearly, or wholly, a document.
#[derive(Debug, Clone)]
pub struct Damaged {
    /// The bytes.
    pub bytes: Vec<u8>,
}

const TOKENS: &[&[u8]] = &[
    b"",
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"null",
    b"0",
    b"-",
    b".",
    b"e",
    b"\\u",
    b"\\ud800",
    b"\xFF",
    b"\xC3",
    b"\xE3\x80\x80",
    b" ",
    b"\n",
    b"\0",
    b"1e400",
    b"\"extension\":",
    b"{\"a\":1,\"a\":2}",
    b"18446744073709551616",
    b"-0",
    b"\"tools\":[],",
];

impl<'a> Arbitrary<'a> for Damaged {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let mut bytes = match u.below(6) {
            0 | 1 => ValidManifest::arbitrary(u)?.document.bytes,
            2 => OneFault::arbitrary(u)?.document,
            3 => Matching::arbitrary(u)?.bare.bytes,
            4 => Drift::arbitrary(u)?.runtime,
            _ => Respelling::arbitrary(u)?.other.bytes,
        };
        // What is large is damaged in the same few places, and costs no more than its reading.
        for _ in 0..u.below(6) {
            let at = u.arbitrary::<u32>()? as usize % (bytes.len() + 1);
            let cut = u.below(8).min(bytes.len() - at);
            let token = u.pick(TOKENS);
            match u.below(5) {
                0 => drop(bytes.splice(at..at + cut, token.iter().copied())),
                1 => drop(bytes.splice(at..at, token.iter().copied())),
                2 => {
                    if let Some(byte) = bytes.get_mut(at) {
                        *byte ^= 1 << u.below(8);
                    }
                }
                3 => bytes.truncate(at),
                _ => {
                    // Repeats a piece elsewhere, which is how keys come to stand twice.
                    let end = (at + u.below(60)).min(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    bytes.splice(end..end, piece);
                }
            }
        }
        Ok(Self { bytes })
    }
}
