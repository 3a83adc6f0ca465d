//! Time per byte of every family in [`extgate_fuzz::families`], as a ratio to a typical document that is
//! read in the same process, worst first. `attack-cost [BYTES]`, 1,000,000 by default; use `--release`.

use std::hint::black_box;
use std::time::Instant;

use extgate::{Document, JsonDocument, PinnedManifest, RuntimeDocument, gate};
use extgate_fuzz::families::{self, Attack, Family, TYPICAL};

/// Rounds of which the median is taken; each family's and the typical document take turns.
const ROUNDS: usize = 9;

fn main() {
    let size = std::env::args()
        .nth(1)
        .map_or(1_000_000, |text| text.parse().expect("a number of bytes"));
    let eager = gate(families::eager_manifest(), "demo")
        .expect("accepted")
        .expect("an extension")
        .pinned;
    let typical = TYPICAL.document(size);
    let mut lines: Vec<(f64, String)> = families::ALL
        .iter()
        .map(|family| {
            let document = family.document(size);
            let mut own = Vec::new();
            let mut ratios = Vec::new();
            for _ in 0..ROUNDS {
                let base = per_byte(&typical, |bytes| {
                    black_box(Document::plugin(black_box(bytes)).is_ok());
                });
                let cost = per_byte(&document, |bytes| run(family, bytes, &eager));
                own.push(cost);
                ratios.push(cost / base);
            }
            let (cost, ratio) = (median(&mut own), median(&mut ratios));
            let name = format!("{family:?}");
            let line = format!(
                "{ratio:7.2} x typical {cost:8.2} ns a byte  {name} ({} bytes)",
                document.len()
            );
            (ratio, line)
        })
        .collect();
    lines.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, line) in lines {
        println!("{line}");
    }
}

fn run(family: &Family, bytes: &[u8], eager: &PinnedManifest) {
    match family.attack {
        Attack::Read => {
            black_box(Document::plugin(bytes).is_ok());
        }
        Attack::Digest => {
            let document = JsonDocument::new(bytes).expect("JSON");
            black_box(document.root().digest());
        }
        Attack::Gate => {
            black_box(gate(bytes, "demo").is_ok());
        }
        Attack::Runtime => {
            let document = RuntimeDocument::initialize_result(bytes).expect("JSON");
            let result = document.result().expect("a result");
            black_box(eager.admit(result).is_ok());
        }
    }
}

/// Nanoseconds a byte of one run, or of as many as take a millisecond.
fn per_byte(bytes: &[u8], work: impl Fn(&[u8])) -> f64 {
    let start = Instant::now();
    let mut runs = 0_u32;
    while runs == 0 || start.elapsed().as_micros() < 1_000 {
        work(bytes);
        runs += 1;
    }
    start.elapsed().as_nanos() as f64 / f64::from(runs) / bytes.len() as f64
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
