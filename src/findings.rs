//! What a reviewer should see in a manifest that the gate accepts (section 11). Nothing here changes a verdict.

use alloc::string::String;
use alloc::vec::Vec;

use crate::class;
use crate::finding::{Finding, FindingCode, FindingDetail, Findings, Report, WIRE_NAME};
use crate::id;
use crate::json::Document;
use crate::manifest::{DeferredDeclarations, DeferredLifecycle, ExtensionManifest};
use crate::path::{Field, Path, Place, numbered};
use crate::reason::Side;
use crate::script;
use crate::shape;
use crate::similar;
use crate::survey;
use crate::vocabulary::{HookKind, Permission, PermissionSet};

impl Document<'_> {
    /// The findings of a document that is accepted, or that has no extension block. `plugin` is the
    /// plugin's id, of which names are made that models see.
    ///
    /// ```
    /// let bytes = br#"{"extension": {"runtime": "process", "command": "../x", "permissions": ["memory.read"]}}"#;
    /// let document = extgate::Document::plugin(bytes)?;
    /// let codes: Vec<&str> = document.findings("demo").map(|finding| finding.code().as_str()).collect();
    /// assert_eq!(codes, ["command_outside_plugin"]);
    /// # Ok::<(), extgate::Rejection>(())
    /// ```
    ///
    /// Of a document that is refused they are as far as can be told, and may mislead.
    #[must_use]
    pub fn findings(&self, plugin: &str) -> Findings {
        Findings::collect(|report| {
            for position in self.positions_of(|key| {
                key != Field::Extension.as_str()
                    && similar::is_one_step(key, Field::Extension.as_str())
            }) {
                say(
                    report,
                    FindingCode::ExtensionBlockMisspelled,
                    Place::Key(Path::ROOT.member(position)),
                );
            }
            if let Some(block) = self.extension_value()
                && block.is_object()
            {
                let extension = Path::of(Field::Extension);
                survey::survey(
                    block,
                    &shape::EXTENSION,
                    extension,
                    Side::Manifest,
                    FindingCode::UnknownMember,
                    report,
                );
                let manifest = ExtensionManifest::of(block);
                plugin_id(plugin, self.name().as_deref(), report);
                block_itself(&manifest, report);
                command(&manifest, report);
                configuration(&manifest, report);
                permissions(&manifest, report);
                if let Some(declared) = manifest.deferred() {
                    names(plugin, declared, report);
                }
            }
        })
    }
}

fn say(report: Report<'_>, code: FindingCode, place: Place) {
    report(Finding::new(code, Side::Manifest, place));
}

fn say_with(report: Report<'_>, code: FindingCode, path: Path, detail: FindingDetail) {
    report(Finding::new(code, Side::Manifest, Place::Value(path)).with(detail));
}

fn extension(field: Field) -> Path {
    Path::of(Field::Extension).field(field)
}

/// The id stands in the document's `name`, unless the caller has given another.
fn plugin_id(plugin: &str, name: Option<&str>, report: Report<'_>) {
    let path = if name == Some(plugin) {
        Path::of(Field::Name)
    } else {
        Path::ROOT
    };
    if !id::is_plugin_id(plugin)
        || plugin.starts_with('.')
        || plugin.contains(['/', '\\'])
        || plugin.trim() != plugin
    {
        say(report, FindingCode::PluginIdNotAName, Place::Value(path));
    }
    if let Some(detail) = survey::invisible(plugin) {
        say_with(report, FindingCode::InvisibleOrBidiCharacters, path, detail);
    }
    if script::is_mixed(plugin) {
        say(report, FindingCode::MixedScriptName, Place::Value(path));
    }
}

fn block_itself(manifest: &ExtensionManifest<'_>, report: Report<'_>) {
    let Some(declared) = manifest.deferred() else {
        return;
    };
    let block = declared.place.path();
    if class::declares_nothing(declared) {
        say(report, FindingCode::EmptyDeferredBlock, Place::Value(block));
    }
    if declared.lifecycle() == Some(DeferredLifecycle::User) && manifest.has_hooks() {
        say(
            report,
            FindingCode::HooksOverrideUserLifecycle,
            Place::Value(block.field(Field::Lifecycle)),
        );
    }
}

fn command(manifest: &ExtensionManifest<'_>, report: Report<'_>) {
    for (text, field) in [
        (Some(manifest.command()), Field::Command),
        (manifest.setup(), Field::Setup),
    ] {
        if text.is_some_and(leads_outside) {
            say(
                report,
                FindingCode::CommandOutsidePlugin,
                Place::Value(extension(field)),
            );
        }
    }
    if let Some(index) = inline_code(manifest) {
        say(
            report,
            FindingCode::InlineCode,
            Place::Value(extension(Field::Args).index(index)),
        );
    }
    for (position, (_, asset)) in numbered(manifest.prebuilt()) {
        let at = |field| Place::Value(extension(Field::Prebuilt).member(position).field(field));
        let secure = asset
            .url()
            .get(..8)
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://"));
        if !secure {
            say(report, FindingCode::PrebuiltNotHttps, at(Field::Url));
        }
        let digest = asset.sha256();
        if digest.len() != 64 || !digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            say(report, FindingCode::PrebuiltBadSha256, at(Field::Sha256));
        }
    }
}

/// Absolute on any system, in a home folder, or by way of a parent.
fn leads_outside(text: &str) -> bool {
    let mut characters = text.chars();
    let drive = characters
        .next()
        .is_some_and(|one| one.is_ascii_alphabetic())
        && characters.next() == Some(':');
    drive || text.starts_with(['/', '\\', '~']) || text.split(['/', '\\']).any(|part| part == "..")
}

/// What tells an interpreter that the next argument is code.
enum CodeFlag {
    /// A cluster of short options with this letter in it: `-c`, `-lc`.
    Letter(&'static [char]),
    /// One of these words, in lower case.
    Word(&'static [&'static str]),
}

const SHELL: CodeFlag = CodeFlag::Letter(&['c']);
const INTERPRETERS: &[(&str, CodeFlag)] = &[
    ("sh", SHELL),
    ("bash", SHELL),
    ("dash", SHELL),
    ("zsh", SHELL),
    ("ksh", SHELL),
    ("fish", SHELL),
    ("busybox", SHELL),
    ("python", CodeFlag::Letter(&['c'])),
    ("perl", CodeFlag::Letter(&['e', 'E'])),
    ("ruby", CodeFlag::Letter(&['e'])),
    ("lua", CodeFlag::Letter(&['e'])),
    ("php", CodeFlag::Letter(&['r'])),
    (
        "node",
        CodeFlag::Word(&["-e", "-p", "-pe", "--eval", "--print"]),
    ),
    ("bun", CodeFlag::Word(&["-e", "-p", "--eval", "--print"])),
    ("deno", CodeFlag::Word(&["eval"])),
    ("cmd", CodeFlag::Word(&["/c", "/k", "/r"])),
    (
        "powershell",
        CodeFlag::Word(&[
            "-c",
            "-command",
            "-e",
            "-ec",
            "-enc",
            "-encodedcommand",
            "/c",
            "/command",
        ]),
    ),
    (
        "pwsh",
        CodeFlag::Word(&[
            "-c",
            "-command",
            "-e",
            "-ec",
            "-enc",
            "-encodedcommand",
            "/c",
            "/command",
        ]),
    ),
];

/// The argument that says that code follows, among those before the program's own.
fn inline_code(manifest: &ExtensionManifest<'_>) -> Option<u32> {
    let program = manifest.command().rsplit(['/', '\\']).next()?;
    let program = program.to_ascii_lowercase();
    let program = program.strip_suffix(".exe").unwrap_or(&program);
    // `python3.12` is `python`.
    let program = program.trim_end_matches(|one: char| one.is_ascii_digit() || one == '.');
    let (_, flag) = INTERPRETERS.iter().find(|(name, _)| *name == program)?;
    for (index, argument) in numbered(manifest.args()) {
        let found = match flag {
            CodeFlag::Letter(letters) => {
                argument.starts_with('-')
                    && !argument.starts_with("--")
                    && argument.contains(*letters)
            }
            CodeFlag::Word(words) => {
                let argument = argument.to_ascii_lowercase();
                let word = argument.split('=').next().unwrap_or_default();
                words.contains(&word)
            }
        };
        if found {
            return Some(index);
        }
        // `busybox sh -c` names the shell first.
        if !argument.starts_with(['-', '/']) && !matches!(&*argument, "sh" | "ash") {
            return None;
        }
    }
    None
}

/// Keys of configuration entries, which have no bound, that are held to one another.
const MOST_KEYS_COMPARED: usize = 4_096;

fn configuration(manifest: &ExtensionManifest<'_>, report: Report<'_>) {
    let list = extension(Field::Config);
    let mut keys = Vec::new();
    for (index, entry) in numbered(manifest.config()) {
        let given = entry.default_value().is_some_and(|value| !value.is_null());
        if entry.secret_env().is_some() && given {
            say(
                report,
                FindingCode::SecretDefault,
                Place::Value(list.index(index).field(Field::Default)),
            );
        }
        if keys.len() < MOST_KEYS_COMPARED {
            keys.push((
                entry.key().into_owned(),
                list.index(index).field(Field::Key),
            ));
        }
    }
    let keys: Vec<Name<'_>> = keys.iter().map(|(key, path)| (&**key, *path)).collect();
    scripts(&keys, report);
    collisions(&keys, FindingCode::CaseCollision, lower_case, report);
}

/// Permissions whose every use stands in a manifest.
fn permissions(manifest: &ExtensionManifest<'_>, report: Report<'_>) {
    let mut used = PermissionSet::EMPTY;
    for hook in manifest.hooks() {
        if let Some(hook) = HookKind::from_name(hook.hook()) {
            used.insert(hook.permission());
        }
    }
    let unused = |permission: Permission| {
        // Without a deferred block, what is registered is known only when the extension runs.
        let registers = |count: fn(&DeferredDeclarations<'_>) -> usize| {
            manifest
                .deferred()
                .is_none_or(|declared| count(declared) > 0)
        };
        match permission {
            Permission::ToolsRegister => !registers(|declared| declared.tool_count),
            Permission::ProvidersRegister => !registers(|declared| declared.provider_count),
            Permission::ContextProvidersRegister => {
                !registers(|declared| declared.context_provider_count)
            }
            _ => {
                let of_a_hook = HookKind::ALL
                    .iter()
                    .any(|hook| hook.permission() == permission);
                of_a_hook && !used.contains(permission)
            }
        }
    };
    for (index, text) in manifest.permission_items() {
        let Some(text) = text else { continue };
        if Permission::from_name(&text.decoded()).is_some_and(unused) {
            say(
                report,
                FindingCode::UnusedPermission,
                Place::Value(extension(Field::Permissions).index(index)),
            );
        }
    }
}

/// A name with its place.
type Name<'n> = (&'n str, Path);

fn names(plugin: &str, declared: &DeferredDeclarations<'_>, report: Report<'_>) {
    let block = declared.place.path();
    let list = block.field(Field::Tools);
    let tools: Vec<Name<'_>> = numbered(declared.tools().iter())
        .map(|(index, tool)| (tool.name(), list.index(index).field(Field::Name)))
        .collect();
    scripts(&tools, report);
    for (name, path) in &tools {
        let length = plugin.len() + 1 + name.len();
        if length > WIRE_NAME.value {
            let detail = FindingDetail::Measured(length, &WIRE_NAME);
            say_with(report, FindingCode::WireNameTooLong, *path, detail);
        }
    }
    collisions(&tools, FindingCode::WireNameCollision, wire_name, report);
    collisions(&tools, FindingCode::CaseCollision, lower_case, report);
    let list = block.field(Field::Providers);
    for (index, provider) in numbered(declared.providers().iter()) {
        let at = list.index(index);
        // What people read may be of two scripts, but not within a word.
        let mut words = provider
            .display_name()
            .split(|one: char| !one.is_alphanumeric());
        if words.any(script::is_mixed) {
            say(
                report,
                FindingCode::MixedScriptName,
                Place::Value(at.field(Field::DisplayName)),
            );
        }
        let list = at.field(Field::Models);
        let models: Vec<_> = provider.models().collect();
        let models: Vec<Name<'_>> = numbered(models.iter())
            .map(|(index, model)| (model.id(), list.index(index).field(Field::Id)))
            .collect();
        scripts(&models, report);
        collisions(&models, FindingCode::CaseCollision, lower_case, report);
    }
    let list = block.field(Field::ContextProviders);
    let mut ids = Vec::new();
    for (index, one) in numbered(declared.context_providers().iter()) {
        let at = list.index(index);
        ids.push((one.id(), at.field(Field::Id)));
        scripts(&[(one.capability(), at.field(Field::Capability))], report);
    }
    collisions(&ids, FindingCode::CaseCollision, lower_case, report);
}

fn scripts(names: &[Name<'_>], report: Report<'_>) {
    for (name, path) in names {
        if script::is_mixed(name) {
            say(report, FindingCode::MixedScriptName, Place::Value(*path));
        }
    }
}

fn lower_case(name: &str) -> String {
    name.to_lowercase()
}

/// A name as model APIs take it.
fn wire_name(name: &str) -> String {
    name.chars()
        .map(|one| {
            let kept = one.is_ascii_alphanumeric() || matches!(one, '_' | '-');
            if kept { one } else { '_' }
        })
        .collect()
}

/// Names that differ, but not once they are folded: each later one, with the first of them.
fn collisions(names: &[Name<'_>], code: FindingCode, fold: fn(&str) -> String, report: Report<'_>) {
    let mut folded: Vec<(String, usize)> = names
        .iter()
        .enumerate()
        .map(|(place, (name, _))| (fold(name), place))
        .collect();
    folded.sort();
    let mut found: Vec<(usize, Path)> = Vec::new();
    for run in folded.chunk_by(|(one, _), (other, _)| one == other) {
        let mut run = run
            .iter()
            .filter_map(|(_, place)| Some((*place, names.get(*place)?)));
        let Some((_, first)) = run.next() else {
            continue;
        };
        found.extend(
            run.filter(|(_, (name, _))| *name != first.0)
                .map(|(place, _)| (place, first.1)),
        );
    }
    found.sort_unstable_by_key(|(place, _)| *place);
    for (place, first) in found {
        if let Some((_, path)) = names.get(place) {
            say_with(report, code, *path, FindingDetail::Other(first));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    fn of(block: &str) -> Vec<(String, String)> {
        of_document(&format!(
            r#"{{"name":"demo","extension":{{"runtime":"process",{block}}}}}"#
        ))
    }

    fn of_document(text: &str) -> Vec<(String, String)> {
        let document = Document::plugin(text.as_bytes()).unwrap();
        assert_eq!(document.first_fault(), None, "{text}");
        let name = document.name().unwrap_or_default().into_owned();
        let locator = crate::Locator::new(text.as_bytes());
        document
            .findings(&name)
            .map(|one| (one.code().to_string(), locator.place(one.place()).pointer))
            .collect()
    }

    fn found(block: &str, expected: &[(&str, &str)]) {
        let got = of(block);
        let got: Vec<(&str, &str)> = got.iter().map(|(a, b)| (&**a, &**b)).collect();
        assert_eq!(got, expected, "{block}");
    }

    const MEMORY: &str = r#""permissions":["memory.read"]"#;

    #[test]
    fn commands() {
        for (command, outside) in [
            ("node", false),
            ("bin/x", false),
            ("./bin/x", false),
            ("a..b/c", false),
            ("/usr/bin/node", true),
            ("../x", true),
            ("a/../../x", true),
            ("a\\\\..\\\\x", true),
            ("C:\\\\x", true),
            ("~/x", true),
        ] {
            let expected = [("command_outside_plugin", "/extension/command")];
            let expected = if outside { &expected[..] } else { &[] };
            found(&format!(r#""command":"{command}",{MEMORY}"#), expected);
        }
    }

    #[test]
    fn code_in_arguments() {
        for (command, args, index) in [
            ("sh", r#"["-c","x"]"#, Some(0)),
            ("bash", r#"["--norc","-lc","x"]"#, Some(1)),
            ("python3.12", r#"["-u","-c","x"]"#, Some(1)),
            ("python3", r#"["server.py","-c","x"]"#, None),
            ("node", r#"["--eval=x"]"#, Some(0)),
            ("node", r#"["server.js"]"#, None),
            ("cmd.exe", r#"["/C","x"]"#, Some(0)),
            (
                "PowerShell",
                r#"["-NoProfile","-EncodedCommand","x"]"#,
                Some(1),
            ),
            ("busybox", r#"["sh","-c","x"]"#, Some(1)),
            ("deno", r#"["eval","x"]"#, Some(0)),
            ("bin/notes", r#"["-c","x"]"#, None),
        ] {
            let at = index.map(|index| format!("/extension/args/{index}"));
            let expected: Vec<(&str, &str)> = at.iter().map(|at| ("inline_code", &**at)).collect();
            found(
                &format!(r#""command":"{command}","args":{args},{MEMORY}"#),
                &expected,
            );
        }
    }

    #[test]
    fn permissions_without_a_use() {
        found(
            r#""command":"x","permissions":["tools.register","tools.intercept","session.lifecycle"],
            "hooks":[{"hook":"on_session_end"}]"#,
            &[("unused_permission", "/extension/permissions/1")],
        );
        found(
            r#""command":"x","permissions":["tools.register","providers.register","memory.read"],
            "deferred":{"tools":[{"name":"t","description":"d","input_schema":{}}]}"#,
            &[("unused_permission", "/extension/permissions/1")],
        );
    }

    #[test]
    fn names_that_meet() {
        let tools = |names: &[&str]| {
            let tools: Vec<String> = names
                .iter()
                .map(|name| format!(r#"{{"name":"{name}","description":"d","input_schema":{{}}}}"#))
                .collect();
            format!(
                r#""command":"x","permissions":["tools.register"],"deferred":{{"tools":[{}]}}"#,
                tools.join(",")
            )
        };
        found(
            &tools(&["a.b", "a/b", "a_b"]),
            &[
                ("wire_name_collision", "/extension/deferred/tools/1/name"),
                ("wire_name_collision", "/extension/deferred/tools/2/name"),
            ],
        );
        found(
            &tools(&["Read", "read"]),
            &[("case_collision", "/extension/deferred/tools/1/name")],
        );
        found(&tools(&["a-b", "a_b"]), &[]);
        found(
            &tools(&["p\u{430}y"]),
            &[("mixed_script_name", "/extension/deferred/tools/0/name")],
        );
        // `demo_` and 59 bytes are 64.
        found(&tools(&[&"n".repeat(59)]), &[]);
        found(
            &tools(&[&"n".repeat(60)]),
            &[("wire_name_too_long", "/extension/deferred/tools/0/name")],
        );
    }

    #[test]
    fn schemas_are_read_to_their_ends() {
        found(
            r##""command":"x","permissions":["tools.register"],"deferred":{"tools":[
            {"name":"t","description":"d","input_schema":{"properties":{"p\u200b":{"description":["x",{"y":"\u202e"}]}},
            "items":{"$ref":"https://example.test/s.json"},"not":{"$ref":"#/$defs/a"}}}]}"##,
            &[
                (
                    "invisible_or_bidi_characters",
                    "/extension/deferred/tools/0/input_schema/properties/p\u{200b}",
                ),
                (
                    "invisible_or_bidi_characters",
                    "/extension/deferred/tools/0/input_schema/properties/p\u{200b}/description/1/y",
                ),
                (
                    "external_schema_reference",
                    "/extension/deferred/tools/0/input_schema/items/$ref",
                ),
            ],
        );
    }

    #[test]
    fn the_block_by_another_name() {
        let got = of_document(r#"{"Extension":{},"extensions":1,"description":"d"}"#);
        let expected = ["/Extension", "/extensions"]
            .map(|at| ("extension_block_misspelled".to_string(), at.to_string()));
        assert_eq!(got, expected);
    }

    #[test]
    fn what_is_beyond_the_most_is_counted() {
        let unknown: Vec<String> = (0..1_500).map(|n| format!("\"u{n}\":0")).collect();
        let text = format!(
            r#"{{"extension":{{"runtime":"process","command":"x",{MEMORY},{}}}}}"#,
            unknown.join(",")
        );
        let document = Document::plugin(text.as_bytes()).unwrap();
        let findings = document.findings("demo");
        assert_eq!((findings.len(), findings.omitted()), (Findings::MOST, 500));
    }
}
