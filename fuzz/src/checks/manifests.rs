//! What holds for generated manifests.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use arbitrary::{Arbitrary, Unstructured};
use extgate::{
    ActivationTrigger, Detail, Document, ExecuteError, ExtensionClass, ExtensionManifest, Locator,
    NoLease, Reason, Rejection, RuntimeDocument, SchemaDigest, gate, lifecycle,
    resolve_context_provider,
};

use super::bytes::rebuilt;
use super::shown;
use crate::build::Builder;
use crate::dice::Dice;
use crate::fault::OneFault;
use crate::limit::{AtTheBound, BOUNDS};
use crate::manifest::{Block, Manifest, Model, ValidManifest};
use crate::oracle;
use crate::respelled::same;
use crate::spell;
use crate::value::Value;

/// A generated manifest: accepted, every field as it was generated, class and trigger as its parts
/// say, and what is minted from it as section 10 has it.
///
/// # Panics
/// Where one of these does not hold.
pub fn check_valid_manifest(data: &[u8]) {
    let mut u = Unstructured::new(data);
    let valid = ValidManifest::arbitrary(&mut u).expect("never fails");
    let plugin = plugin_id(&mut u);
    for document in [&valid.document, &spell::reversed(&valid.value)] {
        accepted(&valid.manifest, &document.bytes, &plugin);
    }
}

fn plugin_id(u: &mut Unstructured<'_>) -> String {
    match u.below(4) {
        0 => "demo".into(),
        1 => u
            .pick(&[
                "", "a:b", "a\u{7f}", "\u{85}", "enc-a", "sha-1", ".a", "A", "\u{e9}", "a b",
            ])
            .into(),
        2 => "p".repeat(59 + u.below(3)),
        _ => crate::text::any(u),
    }
}

fn accepted(expected: &Manifest, bytes: &[u8], plugin: &str) {
    let document =
        Document::plugin(bytes).unwrap_or_else(|refused| panic!("{refused}: {}", shown(bytes)));
    assert_eq!(document.first_fault(), None, "{}", shown(bytes));
    assert_eq!(document.name().as_deref(), expected.name.as_deref());
    let manifest = document
        .extension()
        .expect("its shape is right")
        .expect("an extension");
    fields(expected, &manifest);
    assert_eq!(lifecycle::validate_manifest_deferred(&manifest), Ok(()));
    let valid = manifest
        .validate()
        .unwrap_or_else(|refused| panic!("{refused}: {}", shown(bytes)));
    let (class, trigger) = expected.class_and_trigger();
    assert_eq!(
        (valid.class().as_str(), valid.earliest_trigger().as_str()),
        (class, trigger)
    );
    let gated = gate(bytes, plugin)
        .expect("accepted")
        .expect("an extension");
    assert_eq!(
        (gated.class, gated.trigger),
        (valid.class(), valid.earliest_trigger())
    );
    assert_eq!(gated.pinned, valid.pin(plugin));
    assert_eq!(gated.pinned.plugin_id(), plugin);
    assert_eq!(gated.pinned.is_legacy(), expected.block == Block::None);
    minted(expected, &gated, plugin);
}

fn fields(expected: &Manifest, got: &ExtensionManifest<'_>) {
    assert_eq!(got.protocol_version(), expected.protocol_version);
    assert_eq!(got.command(), expected.command);
    assert_eq!(got.setup(), expected.setup.as_deref());
    assert!(got.args().eq(expected.args.iter().map(String::as_str)));
    assert!(
        got.permissions()
            .eq(expected.permissions.iter().map(String::as_str))
    );
    for permission in extgate::Permission::ALL {
        let asked = expected
            .permissions
            .iter()
            .any(|one| one == permission.as_str());
        assert_eq!(
            got.requested().contains(*permission),
            asked,
            "{permission:?}"
        );
    }
    assert_eq!(got.has_hooks(), !expected.hooks.is_empty());
    assert_eq!(got.hooks().count(), expected.hooks.len());
    for (got, expected) in got.hooks().zip(&expected.hooks) {
        assert_eq!(got.hook(), expected.hook);
        assert_eq!(got.tool(), expected.tool.as_deref());
        let matcher = expected.matcher.as_ref();
        let contains = matcher.and_then(|one| one.input_contains.as_deref());
        assert_eq!(got.input_contains().as_deref(), contains);
        equal(
            got.input_equals(),
            matcher.and_then(|one| one.input_equals.as_ref()),
        );
    }
    assert_eq!(got.config().count(), expected.config.len());
    for (got, expected) in got.config().zip(&expected.config) {
        assert_eq!(got.key(), expected.key);
        assert_eq!(got.kind().as_deref(), expected.kind.as_deref());
        assert_eq!(
            got.description().as_deref(),
            expected.description.as_deref()
        );
        assert_eq!(got.required(), expected.required);
        equal(got.default_value(), expected.default.as_ref());
        assert_eq!(got.secret_env().as_deref(), expected.secret_env.as_deref());
        assert_eq!(
            got.host_context().as_deref(),
            expected.host_context.as_deref()
        );
    }
    let assets: BTreeMap<_, _> = got
        .prebuilt()
        .map(|(host, asset)| {
            (
                host.into_owned(),
                (asset.url().to_owned(), asset.sha256().to_owned()),
            )
        })
        .collect();
    let all = expected.prebuilt.iter().cloned();
    assert_eq!(
        assets,
        all.map(|(host, url, sha256)| (host, (url, sha256)))
            .collect()
    );
    let tokens: BTreeMap<_, _> = got
        .theme_tokens()
        .map(|(name, color)| (name.into_owned(), color.into_owned()))
        .collect();
    assert_eq!(tokens, expected.theme_tokens.iter().cloned().collect());

    let Some(declared) = got.deferred() else {
        assert_eq!(expected.block, Block::None);
        return;
    };
    assert_eq!(lifecycle::validate_deferred(declared), Ok(()));
    assert_eq!(declared.is_alias(), expected.block == Block::Alias);
    assert_eq!(
        declared.lifecycle().map(|one| one.as_str()),
        expected.lifecycle.as_deref()
    );
    assert_eq!(
        lifecycle::has_context_provider(declared),
        !expected.context_providers.is_empty()
    );
    assert_eq!(declared.tools().len(), expected.tools.len());
    for (got, expected) in declared.tools().iter().zip(&expected.tools) {
        assert_eq!(
            (got.name(), got.description()),
            (&*expected.name, &*expected.description)
        );
        equal(Some(got.input_schema()), Some(&expected.input_schema));
        assert_eq!(
            got.schema_digest().to_string(),
            oracle::digest(&expected.input_schema)
        );
    }
    assert_eq!(declared.providers().len(), expected.providers.len());
    for (got, expected) in declared.providers().iter().zip(&expected.providers) {
        assert_eq!(
            (got.id(), got.display_name(), got.description()),
            (
                &*expected.id,
                &*expected.display_name,
                &*expected.description
            )
        );
        equal(got.config_schema(), expected.config_schema.as_ref());
        let models: Vec<Model> = got
            .models()
            .map(|model| Model {
                id: model.id().to_owned(),
                display_name: model.display_name().map(str::to_owned),
                capabilities: model.capabilities().map(rebuilt),
                context_window: model.context_window(),
            })
            .collect();
        assert_eq!(models.len(), expected.models.len());
        for (got, expected) in models.iter().zip(&expected.models) {
            assert_eq!(
                (&got.id, &got.display_name),
                (&expected.id, &expected.display_name)
            );
            assert_eq!(got.context_window, expected.context_window);
            match (&got.capabilities, &expected.capabilities) {
                (Some(got), Some(expected)) => assert!(same(got, expected)),
                (got, expected) => assert_eq!(got, expected),
            }
        }
    }
    assert_eq!(
        declared.context_providers().len(),
        expected.context_providers.len()
    );
    for (got, expected) in declared
        .context_providers()
        .iter()
        .zip(&expected.context_providers)
    {
        assert_eq!(
            (got.id(), got.capability()),
            (&*expected.id, &*expected.capability)
        );
        assert_eq!(got.description(), expected.description);
        assert_eq!(got.schema_version(), expected.schema_version);
    }
}

fn equal(got: Option<extgate::Json<'_>>, expected: Option<&Value>) {
    match (got, expected) {
        (Some(got), Some(expected)) => {
            assert!(
                same(&rebuilt(got), expected),
                "{} is not {expected:?}",
                got.source()
            );
        }
        (got, expected) => assert_eq!(got.is_some(), expected.is_some()),
    }
}

fn minted(expected: &Manifest, gated: &extgate::Gated, plugin: &str) {
    let mintable =
        !plugin.is_empty() && !plugin.contains(|one: char| one == ':' || one.is_control());
    if !mintable || expected.block == Block::None {
        assert!(gated.tools.is_empty() && gated.context_providers.is_empty());
        return;
    }
    assert_eq!(gated.tools.len(), expected.tools.len());
    for (got, expected) in gated.tools.iter().zip(&expected.tools) {
        let name = &expected.name;
        assert_eq!((got.plugin_id(), got.tool_name()), (plugin, name.as_str()));
        assert_eq!(got.identity(), format!("ext:{plugin}:{name}"));
        assert_eq!(got.runtime_name(), format!("{plugin}:{name}"));
        let segments = (
            oracle::catalog_segment(plugin, 60),
            oracle::catalog_segment(name, 128),
        );
        assert_eq!(
            got.catalog_id(),
            format!("ext.{}:{}", segments.0, segments.1)
        );
        assert_eq!(got.description(), expected.description);
        let digest = oracle::digest(&expected.input_schema);
        assert_eq!(got.expected_digest().to_string(), digest);
        assert_eq!(
            digest.parse::<SchemaDigest>().as_ref(),
            Ok(got.expected_digest())
        );
        let schema = extgate::JsonDocument::new(got.parameters().as_bytes()).expect("a schema");
        assert!(same(&rebuilt(schema.root()), &expected.input_schema));
        assert_eq!(
            got.execute(None::<&NoLease>, "{}"),
            Err(ExecuteError::NoLease)
        );
    }
    assert_eq!(
        gated.context_providers.len(),
        expected.context_providers.len()
    );
    for (got, expected) in gated
        .context_providers
        .iter()
        .zip(&expected.context_providers)
    {
        assert_eq!(
            got.runtime_address(),
            format!("extension:{plugin}:{}", expected.id)
        );
        assert_eq!((got.extension_id(), got.id()), (plugin, &*expected.id));
        assert_eq!(
            (got.capability(), got.description()),
            (&*expected.capability, &*expected.description)
        );
        assert_eq!(got.schema_version(), expected.schema_version);
        let found = resolve_context_provider(&gated.context_providers, Some(&expected.id));
        assert_eq!(found, Ok(got));
    }
    let only = resolve_context_provider(&gated.context_providers, None);
    assert_eq!(only.is_ok(), expected.context_providers.len() == 1);
}

/// A manifest with one fault: refused for exactly that reason at exactly that place, and the report of
/// every fault is this one alone.
///
/// # Panics
/// Where one of these does not hold.
pub fn check_one_fault(data: &[u8]) {
    let fault = OneFault::arbitrary(&mut Unstructured::new(data)).expect("never fails");
    refused_for(&fault);
}

/// Holds the gate to a generated fault.
///
/// # Panics
/// Where it is not refused for exactly that reason at exactly that place.
pub fn refused_for(fault: &OneFault) {
    let bytes = &fault.document;
    let told = || format!("{} ({}): {}", fault.reason, fault.how, shown(bytes));
    let refused = gate(bytes, "demo")
        .err()
        .unwrap_or_else(|| panic!("accepted, yet {}", told()));
    assert_eq!(refused.reason(), fault.reason, "{}", told());
    let found = Locator::new(bytes).locate(&refused);
    assert_eq!(found.pointer, fault.pointer, "{}", told());
    assert_eq!(found.offset, fault.offset, "{}", told());
    if let Some(length) = fault.length {
        assert_eq!(found.length, length, "{}", told());
    }
    match (&fault.missing, refused.detail()) {
        (Some(missing), Detail::Missing(field)) => assert_eq!(field.as_str(), missing),
        (None, Detail::Missing(field)) => panic!("{} is missing: {}", field.as_str(), told()),
        (Some(missing), detail) => panic!("{detail:?} in place of {missing}: {}", told()),
        (None, _) => {}
    }
    if let (Some(measured), Some(allowed)) = (refused.measured(), refused.allowed()) {
        assert!(measured > allowed || measured == 0, "{}", told());
    }
    if let Ok(document) = Document::plugin(bytes) {
        let mut faults = Vec::new();
        let _ = document.check(&mut |fault: Rejection| {
            faults.push(fault);
            ControlFlow::<()>::Continue(())
        });
        assert_eq!(faults, [refused], "{}", told());
    }
}

/// Documents at a bound: what keeps it is accepted, one more is refused for its reason at its place,
/// and the gate's constant states the bound.
///
/// # Panics
/// Where one of these does not hold.
pub fn check_limits(data: &[u8]) {
    let made = AtTheBound::arbitrary(&mut Unstructured::new(data)).expect("never fails");
    holds_at(&made);
    for bound in BOUNDS {
        assert_eq!(bound.stated(), Some(bound.most), "{bound:?}");
    }
}

/// Holds the gate to documents at a bound.
///
/// # Panics
/// Where the bound is not kept exactly.
pub fn holds_at(made: &AtTheBound) {
    let judge = |bytes: &[u8]| -> Option<Rejection> {
        if made.runtime {
            let read = RuntimeDocument::initialize_result(bytes);
            read.and_then(|document| document.result().map(|_| ()))
                .err()
        } else {
            gate(bytes, "demo").err()
        }
    };
    let bound = &made.bound;
    let keeps = judge(&made.keeps.bytes);
    assert_eq!(keeps, None, "{bound:?}: {}", shown(&made.keeps.bytes));
    let bytes = &made.passes.bytes;
    let refused = judge(bytes).unwrap_or_else(|| panic!("{bound:?} is passed: {}", shown(bytes)));
    assert_eq!(
        refused.reason(),
        bound.reason(),
        "{bound:?}: {}",
        shown(bytes)
    );
    assert_eq!(refused.allowed(), Some(bound.most), "{bound:?}");
    // Levels are not measured: reading stops at the first that is too many.
    let measured = (bound.reason() != Reason::NestingTooDeep).then_some(bound.most + 1);
    assert_eq!(refused.measured(), measured, "{bound:?}");
    assert_eq!(
        refused.locate(bytes).pointer,
        made.pointer,
        "{bound:?}: {}",
        shown(bytes)
    );
}

/// Sets of components: the trigger is the least of theirs, whatever the order of members, and one
/// component more never makes it later; triggers are ordered as the table has them.
///
/// # Panics
/// Where one of these does not hold.
pub fn check_trigger(data: &[u8]) {
    for pair in ActivationTrigger::ALL.windows(2) {
        assert!(pair[0] < pair[1], "{pair:?}");
    }
    let mut u = Unstructured::new(data);
    let set = written(u.below(64) as u8);
    let more = 1 << u.below(6);
    let (class, trigger) = classified(set, &mut u);
    let (_, later) = classified(written(set | more), &mut u);
    // Without a component an extension starts with the host: its first component only ever delays it.
    if trigger != ActivationTrigger::Eager {
        assert!(
            later <= trigger,
            "{set:06b} with {more:06b}: {later} after {trigger}"
        );
    }
    let alone: Vec<_> = (0..6)
        .map(|bit| set & 1 << bit)
        .filter(|part| *part != 0)
        .map(|part| classified(part, &mut u))
        .collect();
    let least = alone.iter().map(|(_, trigger)| *trigger).min();
    assert_eq!(
        trigger,
        least.unwrap_or(ActivationTrigger::Eager),
        "{set:06b}"
    );
    // Hook subscriptions and the hook lifecycle are one component.
    let kinds: Vec<_> = alone.iter().map(|(class, _)| class.as_str()).collect();
    let first = kinds.first().copied().unwrap_or("legacy_eager");
    let expected = if kinds.iter().all(|kind| *kind == first) {
        first
    } else {
        "mixed"
    };
    assert_eq!(class.as_str(), expected, "{set:06b}");
}

/// What one of the six bits puts into a manifest.
const COMPONENTS: [&str; 6] = [
    "tools",
    "providers",
    "context_providers",
    "hooks",
    "lifecycle hook",
    "lifecycle user",
];

/// The set that can be written: of the two lifecycles one, and that is the hook's.
const fn written(set: u8) -> u8 {
    if set & 0b11_0000 == 0b11_0000 {
        set & 0b01_1111
    } else {
        set
    }
}

/// Class and trigger of a manifest with these components, by the gate and by its parts. What the rules
/// refuse is classified all the same.
fn classified(set: u8, u: &mut Unstructured<'_>) -> (ExtensionClass, ActivationTrigger) {
    let has = |name: &str| {
        COMPONENTS
            .iter()
            .enumerate()
            .any(|(bit, one)| *one == name && set & 1 << bit != 0)
    };
    let count = |name: &str, u: &mut Unstructured<'_>| if has(name) { 1 + u.below(2) } else { 0 };
    let mut manifest = Manifest::plain();
    manifest.block = Block::Native;
    let tools = count("tools", u);
    manifest.tools = crate::manifest::tools(u, tools);
    let providers = count("providers", u);
    manifest.providers = crate::manifest::providers(u, providers, 1);
    let contexts = count("context_providers", u);
    manifest.context_providers = crate::manifest::context_providers(u, contexts);
    let hooks = count("hooks", u);
    manifest.hooks = (0..hooks).map(|_| crate::manifest::hook(u)).collect();
    let lifecycle = ["hook", "user"]
        .into_iter()
        .find(|word| has(&format!("lifecycle {word}")));
    manifest.lifecycle = lifecycle.map(str::to_owned);
    manifest.permissions.extend(manifest.needed());
    let value = manifest.value(&mut Builder::new(u));
    let mut seen = None;
    for bytes in [spell::spell(&value, u).bytes, spell::reversed(&value).bytes] {
        let document = Document::plugin(&bytes).expect("JSON");
        let read = document
            .extension()
            .expect("its shape is right")
            .expect("an extension");
        let got = (extgate::classify(&read), extgate::earliest_trigger(&read));
        let words = (got.0.as_str(), got.1.as_str());
        assert_eq!(words, manifest.class_and_trigger(), "{}", shown(&bytes));
        assert_eq!(*seen.get_or_insert(got), got, "{}", shown(&bytes));
        if let Ok(valid) = read.validate() {
            assert_eq!((valid.class(), valid.earliest_trigger()), got);
        }
    }
    seen.expect("two spellings")
}
