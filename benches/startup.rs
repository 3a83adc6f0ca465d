//! What a host waits for before its first prompt, for people: Criterion, with throughput and plots.
//!
//! ```sh
//! cargo bench --bench startup
//! ```
//! The report is `target/criterion/report/index.html`.

use std::hint::black_box;

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use extgate::{Document, JsonDocument, Reason, RuntimeDocument, gate};
use extgate_fuzz::families::{self, Attack};

mod shapes;
#[path = "shapes/steps.rs"]
mod steps;

use steps::PLUGIN;

fn throughput(bytes: &[u8]) -> Throughput {
    Throughput::Bytes(u64::try_from(bytes.len()).expect("64 bits"))
}

/// Each step of a manifest's way, and all of it, for each shape.
fn manifests(criterion: &mut Criterion) {
    for shape in shapes::all() {
        let bytes = &*shape.manifest;
        let mut group = criterion.benchmark_group(shape.name);
        group.throughput(throughput(bytes));
        group.bench_function("parse", |bencher| {
            bencher.iter(|| steps::parse(bytes));
        });
        let document = steps::parse(bytes);
        group.bench_function("validate", |bencher| {
            bencher.iter(|| {
                let valid = steps::prove(&document);
                let declared = valid
                    .manifest()
                    .deferred()
                    .map_or(0, |block| block.tools().len());
                assert_eq!(declared, shape.tools);
            });
        });
        let valid = steps::prove(&document);
        group.bench_function("classify", |bencher| {
            bencher.iter(|| black_box((valid.class(), valid.earliest_trigger())));
        });
        group.bench_function("mint with digests", |bencher| {
            bencher.iter(|| {
                assert_eq!(valid.dormant_extension_tools(PLUGIN).len(), shape.tools);
            });
        });
        group.bench_function("all of it, and a pin", |bencher| {
            bencher.iter(|| {
                let gated = gate(black_box(bytes), PLUGIN).expect("valid");
                assert_eq!(gated.expect("an extension").tools.len(), shape.tools);
            });
        });
        group.finish();
    }
}

/// An initialize result: read, and held to its pin.
fn runtimes(criterion: &mut Criterion) {
    for shape in shapes::all() {
        let bytes = &*shape.runtime;
        let pinned = steps::pin(&shape.manifest);
        let mut group = criterion.benchmark_group(format!("initialize result, {}", shape.name));
        group.throughput(throughput(bytes));
        group.bench_function("parse", |bencher| {
            bencher.iter(|| {
                let document = RuntimeDocument::initialize_result(black_box(bytes));
                let document = document.expect("JSON");
                assert_eq!(
                    document.result().expect("a result").tools().len(),
                    shape.tools
                );
            });
        });
        group.bench_function("parse and admit", |bencher| {
            bencher.iter(|| {
                assert_eq!(steps::matched(&pinned, bytes), shape.tools);
            });
        });
        group.finish();
    }
}

/// A fault at the beginning, in the middle and at the end: what is refused early costs little.
fn refusals(criterion: &mut Criterion) {
    let shape = shapes::tools("256 tools", 256, 2_000, shapes::Layout::Compact);
    let mut group = criterion.benchmark_group("refuse");
    for (name, part) in [("at the start", 0), ("in the middle", 1), ("at the end", 2)] {
        let mut bytes = shape.manifest.clone();
        let place = part * (bytes.len() - 1) / 2;
        bytes[place] = 0;
        group.throughput(throughput(&bytes[..=place]));
        group.bench_with_input(
            BenchmarkId::new("a syntax fault", name),
            &bytes,
            |bencher, bytes| {
                bencher.iter(|| {
                    let refused = Document::plugin(black_box(bytes)).expect_err("a fault");
                    assert_eq!(refused.reason(), Reason::Syntax);
                });
            },
        );
    }
    group.finish();
}

/// A start-up: every installed extension, one after the other.
fn startup(criterion: &mut Criterion) {
    let plugins = shapes::startup(100);
    let bytes: usize = plugins.iter().map(Vec::len).sum();
    let mut group = criterion.benchmark_group("start-up");
    group.throughput(Throughput::Bytes(u64::try_from(bytes).expect("64 bits")));
    group.bench_function("100 plugins", |bencher| {
        bencher.iter(|| {
            for plugin in &plugins {
                assert!(gate(black_box(plugin), PLUGIN).expect("valid").is_some());
            }
        });
    });
    group.finish();
}

/// The families that are made to cost, at 1 MB.
fn attacks(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("attacks");
    for family in families::ALL {
        let bytes = family.document(1_000_000);
        group.throughput(throughput(&bytes));
        let name = format!("{family:?}");
        match family.attack {
            Attack::Read => {
                group.bench_function(name, |bencher| {
                    bencher.iter(|| Document::plugin(black_box(&bytes)).is_ok());
                });
            }
            Attack::Digest => {
                let document = JsonDocument::new(&bytes).expect("JSON");
                group.bench_function(name, |bencher| {
                    bencher.iter(|| document.root().digest());
                });
            }
            Attack::Gate => {
                group.bench_function(name, |bencher| {
                    bencher.iter_batched(
                        || (),
                        |()| gate(black_box(&bytes), PLUGIN).is_ok(),
                        BatchSize::SmallInput,
                    );
                });
            }
            Attack::Runtime => {
                let pinned = steps::pin(families::eager_manifest());
                group.bench_function(name, |bencher| {
                    bencher.iter(|| {
                        let document = RuntimeDocument::initialize_result(black_box(&bytes))?;
                        pinned
                            .admit(document.result()?)
                            .map(|admitted| admitted.tools().len())
                    });
                });
            }
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = manifests, runtimes, refusals, startup, attacks
}
criterion_main!(benches);
