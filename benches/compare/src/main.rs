//! The gate beside its peer, and beside what else a user might pick for parts of it: one process,
//! rounds interleaved, medians of paired ratios. Prints a Markdown table.
//!
//! ```sh
//! cargo run --release --manifest-path benches/compare/Cargo.toml
//! ```

use std::hint::black_box;
use std::time::{Duration, Instant};

use agent_engine::extensions::lifecycle::{
    classify, dormant_extension_tools, earliest_trigger, validate_runtime_provider_declarations,
    validate_runtime_tool_declarations,
};
use agent_engine::extensions::manifest::ExtensionManifest;
use agent_engine::extensions::runtime::process::{
    RegisteredExtensionToolSpec, RegisteredProviderSpec,
};
use serde::Deserialize;
use serde_json::Value;

#[path = "../../shapes/preimage.rs"]
mod preimage;
#[path = "../../shapes/mod.rs"]
mod shapes;
#[path = "../../shapes/steps.rs"]
mod steps;

use steps::PLUGIN;

const ROUNDS: usize = 31;
const ROUND: Duration = Duration::from_millis(4);

/// The peer's own order: text to value to typed manifest, then its rules.
fn peer_manifest(bytes: &[u8]) -> ExtensionManifest {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    let document: Value = serde_json::from_str(text).expect("JSON");
    let extension = document.get("extension").expect("an extension").clone();
    let manifest: ExtensionManifest = serde_json::from_value(extension).expect("a manifest");
    manifest.validate(PLUGIN).expect("valid");
    manifest
}

fn peer_validate(bytes: &[u8]) {
    let manifest = peer_manifest(bytes);
    black_box((classify(&manifest), earliest_trigger(&manifest)));
}

fn peer_full(bytes: &[u8]) {
    let manifest = peer_manifest(bytes);
    black_box((classify(&manifest), earliest_trigger(&manifest)));
    black_box(dormant_extension_tools(PLUGIN, &manifest));
}

/// The peer's initialize result, whose own type is private.
#[derive(Deserialize)]
struct PeerResult {
    protocol_version: u32,
    #[serde(default)]
    capabilities: PeerCapabilities,
}

#[derive(Default, Deserialize)]
struct PeerCapabilities {
    #[serde(default)]
    tools: Vec<RegisteredExtensionToolSpec>,
    #[serde(default)]
    providers: Vec<RegisteredProviderSpec>,
}

fn peer_match(manifest: &ExtensionManifest, bytes: &[u8]) {
    let value: Value = serde_json::from_slice(bytes).expect("JSON");
    let result: PeerResult = serde_json::from_value(value).expect("a result");
    assert_eq!(result.protocol_version, 1);
    if let Some(deferred) = &manifest.deferred {
        validate_runtime_tool_declarations(&deferred.tools, &result.capabilities.tools)
            .expect("the same tools");
        validate_runtime_provider_declarations(&deferred.providers, &result.capabilities.providers)
            .expect("the same providers");
    }
    black_box(result.capabilities.tools.len());
}

/// The part of a manifest that a typed reader with borrowed text would take.
#[derive(Deserialize)]
struct Typed<'t> {
    #[serde(borrow)]
    extension: TypedBlock<'t>,
}

#[derive(Deserialize)]
struct TypedBlock<'t> {
    #[serde(borrow)]
    command: std::borrow::Cow<'t, str>,
    #[serde(borrow, default)]
    deferred: Option<TypedDeferred<'t>>,
}

#[derive(Deserialize)]
struct TypedDeferred<'t> {
    #[serde(borrow)]
    tools: Vec<TypedTool<'t>>,
}

#[derive(Deserialize)]
struct TypedTool<'t> {
    #[serde(borrow)]
    name: std::borrow::Cow<'t, str>,
    input_schema: Value,
}

/// Nanoseconds of one call, over about [`ROUND`].
fn once(run: &mut dyn FnMut(), calls: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        run();
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
}

/// Medians: nanoseconds of each, and the ratio of each to the first in the same round.
fn race(runs: &mut [Box<dyn FnMut() + '_>]) -> (Vec<f64>, Vec<f64>) {
    let calls: Vec<u32> = runs
        .iter_mut()
        .map(|run| {
            let one = once(run, 3).max(1.0);
            (ROUND.as_secs_f64() * 1e9 / one).clamp(1.0, 100_000.0) as u32
        })
        .collect();
    let mut times = vec![Vec::new(); runs.len()];
    let mut ratios = vec![Vec::new(); runs.len()];
    for _ in 0..ROUNDS {
        let round: Vec<f64> = runs
            .iter_mut()
            .zip(&calls)
            .map(|(run, calls)| once(run, *calls))
            .collect();
        for (n, time) in round.iter().enumerate() {
            times[n].push(*time);
            ratios[n].push(time / round[0]);
        }
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    (
        times.into_iter().map(median).collect(),
        ratios.into_iter().map(median).collect(),
    )
}

fn shown(nanoseconds: f64) -> String {
    match nanoseconds {
        small if small < 1e3 => format!("{small:.0} ns"),
        middle if middle < 1e6 => format!("{:.1} us", middle / 1e3),
        large => format!("{:.2} ms", large / 1e6),
    }
}

fn main() {
    println!(
        "| document | bytes | gate, validate | peer | gate, all | peer | gate, match | peer | \
         skip (`IgnoredAny`) | `Value` | typed | sonic-rs | skip + SHA-256 |"
    );
    println!(
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    for shape in shapes::all() {
        let bytes = &shape.manifest;
        let runtime = &shape.runtime;
        let peer = peer_manifest(bytes);
        let pinned = steps::pin(bytes);
        let preimages = preimage::of_tools(bytes);
        let (times, validate) = race(&mut [
            Box::new(|| steps::validate(bytes)),
            Box::new(|| peer_validate(black_box(bytes))),
            Box::new(|| steps::skip(bytes)),
            Box::new(|| {
                black_box(serde_json::from_slice::<Value>(black_box(bytes)).expect("JSON"));
            }),
            Box::new(|| {
                let typed: Typed<'_> = serde_json::from_slice(black_box(bytes)).expect("JSON");
                let block = &typed.extension;
                let tools = block.deferred.iter().flat_map(|deferred| &deferred.tools);
                black_box((
                    block.command.len(),
                    tools
                        .map(|tool| tool.name.len() + tool.input_schema.is_object() as usize)
                        .sum::<usize>(),
                ));
            }),
            Box::new(|| {
                black_box(sonic_rs::from_slice::<sonic_rs::Value>(black_box(bytes)).expect("JSON"));
            }),
        ]);
        let (full_times, full) = race(&mut [
            Box::new(|| assert_eq!(steps::all_of_it(bytes), shape.tools)),
            Box::new(|| peer_full(black_box(bytes))),
            Box::new(|| {
                steps::skip(bytes);
                steps::hash(&preimages);
            }),
        ]);
        let (match_times, matching) = race(&mut [
            Box::new(|| assert_eq!(steps::matched(&pinned, runtime), shape.tools)),
            Box::new(|| peer_match(&peer, black_box(runtime))),
        ]);
        println!(
            "| {} | {} | {} | {:.1} x | {} | {:.1} x | {} | {:.1} x | {:.2} x | {:.2} x | {:.2} x | {:.2} x | {:.2} x |",
            shape.name,
            bytes.len(),
            shown(times[0]),
            validate[1],
            shown(full_times[0]),
            full[1],
            shown(match_times[0]),
            matching[1],
            validate[2],
            validate[3],
            validate[4],
            validate[5],
            full[2],
        );
    }
    let plugins = shapes::startup(100);
    let (times, ratios) = race(&mut [
        Box::new(|| {
            for bytes in &plugins {
                black_box(steps::all_of_it(bytes));
            }
        }),
        Box::new(|| plugins.iter().for_each(|bytes| peer_full(black_box(bytes)))),
    ]);
    println!(
        "| start-up with 100 plugins | {} | | | {} | {:.1} x | | | | | | | |",
        plugins.iter().map(Vec::len).sum::<usize>(),
        shown(times[0]),
        ratios[1]
    );
}
