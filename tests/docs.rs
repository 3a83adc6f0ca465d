//! The documents say what the code does: their tables are read and compared with it, in both directions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use extgate::limits::{self, Limit};
use extgate::{
    ActivationTrigger, Category, Document, ExtensionClass, HookKind, JsonDocument, Permission,
    Reason, RuntimeDocument, gate,
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A table: the paragraph before it, its head, and its rows.
#[derive(Debug)]
struct Table {
    section: String,
    before: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

fn tables(path: &str) -> Vec<Table> {
    let text = read(path);
    let mut tables: Vec<Table> = Vec::new();
    let (mut section, mut before) = (String::new(), String::new());
    let mut within = false;
    for line in text.lines() {
        let line = line.strip_prefix("//!").map_or(line, str::trim_start);
        if let Some(title) = line.strip_prefix("## ") {
            title.clone_into(&mut section);
        }
        let Some(row) = line
            .strip_prefix("| ")
            .and_then(|line| line.strip_suffix('|'))
        else {
            within = false;
            if !line.is_empty() {
                line.clone_into(&mut before);
            }
            continue;
        };
        // A cell holds no bar, in code or out of it.
        let cells: Vec<String> = row.split('|').map(|cell| cell.trim().to_owned()).collect();
        if !within {
            within = true;
            tables.push(Table {
                section: section.clone(),
                before: before.clone(),
                head: cells,
                rows: Vec::new(),
            });
        } else if !cells.iter().all(|cell| cell == "---") {
            let table = tables.last_mut().expect("a table");
            assert_eq!(cells.len(), table.head.len(), "{path}: {line}");
            table.rows.push(cells);
        }
    }
    tables
}

/// The only table with that head.
fn table(path: &str, head: &[&str]) -> Table {
    let mut found = tables(path).into_iter().filter(|table| table.head == head);
    let only = found
        .next()
        .unwrap_or_else(|| panic!("{path} has a table {head:?}"));
    assert!(found.next().is_none(), "{path} has one table {head:?}");
    assert!(!only.rows.is_empty(), "{path}: {head:?} has rows");
    only
}

/// The text of a cell that is code.
fn code(cell: &str) -> &str {
    cell.strip_prefix('`')
        .and_then(|cell| cell.strip_suffix('`'))
        .unwrap_or_else(|| panic!("{cell} is code"))
}

const CRATE_PAGE: &str = "src/lib.rs";
const BEHAVIOUR: &str = "docs/behaviour.md";
const MIGRATION: &str = "docs/migration.md";

#[test]
fn the_table_of_bounds_is_that_of_the_code() {
    let table = table(BEHAVIOUR, &["constant", "value", "counts", "bounds"]);
    let said: Vec<(&str, String, &str)> = table
        .rows
        .iter()
        .map(|row| (code(&row[0]), row[1].replace(',', ""), &*row[2]))
        .collect();
    let are: Vec<(&str, String, &str)> = limits::ALL
        .iter()
        .map(|limit| (limit.name, limit.value.to_string(), limit.unit.as_str()))
        .collect();
    assert_eq!(said, are);
}

#[test]
fn the_bounds_on_the_crate_page_are_those_of_the_code() {
    let table = table(CRATE_PAGE, &["constant", "value", "counts"]);
    let are: Vec<[String; 3]> = limits::ALL
        .iter()
        .map(|limit| {
            [
                format!("[`{0}`](limits::{0})", limit.name),
                limit.value.to_string(),
                limit.unit.as_str().to_owned(),
            ]
        })
        .collect();
    let said: Vec<[String; 3]> = table
        .rows
        .iter()
        .map(|row| [row[0].clone(), row[1].replace(',', ""), row[2].clone()])
        .collect();
    assert_eq!(said, are);
}

#[test]
fn the_tests_behind_the_guarantees_exist() {
    for row in table(CRATE_PAGE, &["guarantee", "test"]).rows {
        let (file, name) = code(&row[1]).split_once("::").expect("`file::test`");
        let source = read(&format!("tests/{file}.rs"));
        let found = source
            .match_indices(&format!("fn {name}()"))
            .any(|(at, _)| source[..at].trim_end().ends_with("#[test]"));
        assert!(found, "tests/{file}.rs has the test {name}: {}", row[0]);
    }
}

#[test]
fn the_tables_of_reasons_are_those_of_the_code() {
    let sections = [
        ("1. Bytes", Category::Bytes),
        ("2. Shape", Category::Shape),
        ("5. The legacy alias", Category::LegacyAlias),
        ("3. The deferred block", Category::Deferred),
        ("4. The manifest", Category::Manifest),
        ("8. What a running extension registers", Category::Runtime),
    ];
    let tables = tables(BEHAVIOUR);
    let mut said = Vec::new();
    for (title, category) in sections {
        let mut found = tables.iter().filter(|table| {
            table.section == title && table.head == ["reason", "refused is", "bound"]
        });
        let table = found
            .next()
            .unwrap_or_else(|| panic!("{title} has its table"));
        assert!(found.next().is_none(), "{title} has one table");
        for row in &table.rows {
            assert!(!row[1].is_empty(), "{} says what is refused", row[0]);
            let bound = (!row[2].is_empty()).then(|| code(&row[2]).to_owned());
            said.push((category, code(&row[0]).to_owned(), bound));
        }
    }
    let are: Vec<(Category, String, Option<String>)> = Reason::ALL
        .iter()
        .map(|reason| {
            let bound = reason.limit().map(|limit: &Limit| limit.name.to_owned());
            (reason.category(), reason.as_str().to_owned(), bound)
        })
        .collect();
    assert_eq!(said, are, "in the order in which they rank");
}

#[test]
fn the_table_of_permissions_is_that_of_the_code() {
    let table = table(BEHAVIOUR, &["permission", "stands alone", "reserved"]);
    let said: Vec<(&str, bool, bool)> = table
        .rows
        .iter()
        .map(|row| (code(&row[0]), yes(&row[1]), yes(&row[2])))
        .collect();
    let are: Vec<(&str, bool, bool)> = Permission::ALL
        .iter()
        .map(|one| (one.as_str(), one.stands_alone(), one.is_reserved()))
        .collect();
    assert_eq!(said, are);
}

fn yes(cell: &str) -> bool {
    match cell {
        "yes" => true,
        "no" => false,
        _ => panic!("{cell} is yes or no"),
    }
}

#[test]
fn the_table_of_hooks_is_that_of_the_code() {
    let table = table(BEHAVIOUR, &["hook", "needs", "takes `tool`"]);
    let said: Vec<(&str, &str, bool)> = table
        .rows
        .iter()
        .map(|row| (code(&row[0]), code(&row[1]), yes(&row[2])))
        .collect();
    let are: Vec<(&str, &str, bool)> = HookKind::ALL
        .iter()
        .map(|one| {
            (
                one.as_str(),
                one.permission().as_str(),
                one.takes_tool_filter(),
            )
        })
        .collect();
    assert_eq!(said, are);
}

/// Each component's members in a manifest, in the order of the table.
const COMPONENTS: [(&str, &str); 6] = [
    ("nothing", ""),
    ("a hook subscription, or `lifecycle` `hook`", "hook"),
    ("providers", "providers"),
    ("tools", "tools"),
    ("context providers", "context_providers"),
    ("`lifecycle` `user`", "user"),
];

/// A valid manifest of these components.
fn manifest_of(components: &[&str]) -> Value {
    let has = |one: &str| components.contains(&one);
    let mut deferred = Map::new();
    if has("providers") {
        deferred.insert(
            "providers".into(),
            json!([
                {"id": "p", "display_name": "P", "description": "D.", "models": [{"id": "m"}]}
            ]),
        );
    }
    if has("tools") {
        deferred.insert(
            "tools".into(),
            json!([
                {"name": "t", "description": "D.", "input_schema": {}}
            ]),
        );
    }
    if has("context_providers") {
        deferred.insert(
            "context_providers".into(),
            json!([
                {"id": "c", "capability": "c", "description": "D.", "schema_version": 1}
            ]),
        );
    }
    if has("user") {
        deferred.insert("lifecycle".into(), json!("user"));
    }
    let mut hooks = Vec::new();
    if has("hook") {
        hooks.push(json!({"hook": "on_session_end"}));
    }
    json!({"extension": {
        "runtime": "process", "command": "x", "hooks": hooks, "deferred": deferred,
        "permissions": ["tools.register", "providers.register", "context_providers.register", "session.lifecycle"],
    }})
}

#[test]
fn the_table_of_classes_and_triggers_is_that_of_the_code() {
    let table = table(BEHAVIOUR, &["component", "class alone", "trigger"]);
    let judged = |components: &[&str]| {
        let gated = gate(manifest_of(components).to_string().as_bytes(), "p")
            .unwrap_or_else(|refused| panic!("{components:?}: {refused}"))
            .expect("an extension");
        (gated.class, gated.trigger)
    };
    let said: Vec<&str> = table.rows.iter().map(|row| &*row[0]).collect();
    assert_eq!(said, COMPONENTS.map(|(name, _)| name));
    for (row, (_, component)) in table.rows.iter().zip(COMPONENTS) {
        let (class, trigger) = judged(&[component]);
        assert_eq!(code(&row[1]), class.as_str());
        assert_eq!(code(&row[2]), trigger.as_str());
    }
    // The other way round: every class but the mixed one, and every trigger in its order.
    let classes: BTreeSet<&str> = table.rows.iter().map(|row| code(&row[1])).collect();
    let all = ExtensionClass::ALL
        .iter()
        .filter(|one| **one != ExtensionClass::Mixed);
    assert_eq!(classes, all.map(|one| one.as_str()).collect());
    let mut triggers: Vec<&str> = table.rows.iter().map(|row| code(&row[2])).collect();
    triggers.dedup();
    assert_eq!(
        triggers,
        ActivationTrigger::ALL.map(ActivationTrigger::as_str)
    );
    // Of two components the trigger is that of the upper row.
    for (row, (place, (_, upper))) in table.rows.iter().zip(COMPONENTS.iter().enumerate()).skip(1) {
        for (_, lower) in &COMPONENTS[place + 1..] {
            let pair = [*upper, *lower];
            if pair.contains(&"user") && (pair.contains(&"tools") || pair.contains(&"providers")) {
                continue;
            }
            let (class, trigger) = judged(&pair);
            assert_eq!(class, ExtensionClass::Mixed, "{pair:?}");
            assert_eq!(trigger.as_str(), code(&row[2]), "{pair:?}");
        }
    }
}

#[test]
fn the_digests_are_those_of_the_code() {
    for row in table(BEHAVIOUR, &["value", "digest"]).rows {
        let value = code(&row[0]);
        let document = JsonDocument::new(value.as_bytes()).expect("JSON");
        assert_eq!(
            document.root().digest().to_string(),
            code(&row[1]),
            "{value}"
        );
    }
}

/// The preimage of a number is made here from the documented bytes and text.
#[test]
fn the_texts_of_numbers_are_those_of_the_code() {
    for row in table(BEHAVIOUR, &["number", "text"]).rows {
        let (number, text) = (code(&row[0]), code(&row[1]));
        let mut preimage = vec![2];
        preimage.extend(u64::try_from(text.len()).expect("short").to_le_bytes());
        preimage.extend(text.bytes());
        let expected: Vec<u8> = Sha256::digest(&preimage).to_vec();
        let document = JsonDocument::new(number.as_bytes()).expect("JSON");
        assert_eq!(
            document.root().digest().as_bytes()[..],
            expected,
            "{number} is {text}"
        );
    }
}

#[test]
fn the_catalog_ids_are_those_of_the_code() {
    for row in table(BEHAVIOUR, &["plugin", "tool", "catalog id"]).rows {
        let (plugin, tool, expected) = (code(&row[0]), code(&row[1]), code(&row[2]));
        let mut manifest = manifest_of(&["tools"]);
        manifest["extension"]["deferred"]["tools"][0]["name"] = json!(tool);
        let gated = gate(manifest.to_string().as_bytes(), plugin)
            .expect("accepted")
            .expect("an extension");
        let minted = &gated.tools[0];
        assert_eq!(minted.catalog_id(), expected);
        assert_eq!(minted.identity(), format!("ext:{plugin}:{tool}"));
        assert_eq!(minted.runtime_name(), format!("{plugin}:{tool}"));
    }
}

/// The tables of members: the path that the line before names, and each member's row.
fn member_tables() -> Vec<(String, Vec<Vec<String>>)> {
    let head = ["member", "type", "required", "null", "example"];
    let tables: Vec<Table> = tables(BEHAVIOUR)
        .into_iter()
        .filter(|table| table.head == head)
        .collect();
    assert!(tables.len() > 10, "the tables of members are there");
    tables
        .into_iter()
        .map(|table| {
            let named = table.before.split('`').find(|part| part.starts_with('/'));
            let named = named.unwrap_or_else(|| panic!("{} names a path", table.before));
            (named.to_owned(), table.rows)
        })
        .collect()
}

/// A document in which an object of these members stands at a path, and all around it is as it must be.
fn document_with(path: &str, object: &Map<String, Value>) -> Value {
    let mut value = Value::Object(object.clone());
    let mut steps: Vec<&str> = path
        .split('/')
        .skip(1)
        .filter(|step| !step.is_empty())
        .collect();
    while let Some(step) = steps.pop() {
        if step == "0" {
            value = json!([value]);
            continue;
        }
        let mut around = json!({});
        match (&*steps.join("/"), step) {
            ("", "extension") => {}
            ("extension", _) => around = json!({"runtime": "process", "command": "x"}),
            ("extension/hooks/0", _) => around = json!({"hook": "before_message"}),
            ("extension/deferred/providers/0", _) => {
                around = json!({"id": "p", "display_name": "P"})
            }
            ("", "capabilities") => around = json!({"protocol_version": 1}),
            _ => {}
        }
        around[step] = value;
        value = around;
    }
    value
}

/// The reason for which a document's shape is refused.
fn shape_of(path: &str, object: &Map<String, Value>) -> Option<Reason> {
    let bytes = document_with(path, object).to_string();
    let refused = if path.starts_with("/extension") {
        Document::plugin(bytes.as_bytes())
            .expect("section 1 holds")
            .extension()
            .map(|manifest| assert!(manifest.is_some()))
    } else {
        RuntimeDocument::initialize_result(bytes.as_bytes())
            .expect("section 1 holds")
            .result()
            .map(|_| ())
    };
    refused.err().map(|refused| refused.reason())
}

#[test]
fn the_tables_of_members_are_those_of_the_code() {
    for (path, rows) in member_tables() {
        let example: Map<String, Value> = rows
            .iter()
            .map(|row| {
                let value = serde_json::from_str(code(&row[4])).expect("an example is JSON");
                (code(&row[0]).to_owned(), value)
            })
            .collect();
        assert_eq!(shape_of(&path, &example), None, "{path}: the examples");
        let with = |member: &str, value: Option<Value>| {
            let mut changed = example.clone();
            match value {
                Some(value) => changed.insert(member.to_owned(), value),
                None => changed.remove(member),
            };
            shape_of(&path, &changed)
        };
        for row in &rows {
            let (member, kind) = (code(&row[0]), &*row[1]);
            let missing = yes(&row[2]).then_some(Reason::MissingField);
            assert_eq!(with(member, None), missing, "{path}/{member} is missing");
            let null = (!yes(&row[3])).then_some(Reason::WrongType);
            assert_eq!(
                with(member, Some(Value::Null)),
                null,
                "{path}/{member} is null"
            );
            let wrong = |value: Value, reason: Reason| {
                assert_eq!(
                    with(member, Some(value.clone())),
                    Some(reason),
                    "{path}/{member} is {value}"
                );
            };
            let kind = kind.strip_prefix("legacy alias: ").unwrap_or(kind);
            let is = |word: &str| kind.starts_with(word);
            if is("any") {
                for value in [json!(1.5), json!([]), json!({}), json!("x"), json!(false)] {
                    assert_eq!(with(member, Some(value)), None, "{path}/{member}");
                }
                continue;
            }
            if is("string") {
                wrong(json!(1), Reason::WrongType);
                wrong(json!(["x"]), Reason::WrongType);
            } else if is("the word") {
                wrong(json!("another"), Reason::UnknownValue);
                wrong(json!({"process": null}), Reason::WrongType);
                let words = kind.split('`').skip(1).step_by(2);
                for word in words {
                    assert_eq!(
                        with(member, Some(json!(word))),
                        None,
                        "{path}/{member}: {word}"
                    );
                }
            } else if is("boolean") {
                wrong(json!("true"), Reason::WrongType);
                wrong(json!(1), Reason::WrongType);
            } else if is("u32") {
                assert_eq!(with(member, Some(json!(u32::MAX))), None);
                wrong(json!(u64::from(u32::MAX) + 1), Reason::NumberOutOfRange);
                wrong(json!(-1), Reason::NumberOutOfRange);
                wrong(json!(1.0), Reason::WrongType);
            } else if is("u64") {
                assert_eq!(with(member, Some(json!(u64::MAX))), None);
                wrong(json!(-1), Reason::NumberOutOfRange);
                wrong(json!(1.0), Reason::WrongType);
            } else if is("array") {
                wrong(json!({}), Reason::WrongType);
                wrong(json!([null]), Reason::WrongType);
            } else {
                assert!(
                    is("object") || is("deferred block"),
                    "{path}/{member}: {kind}"
                );
                wrong(json!([]), Reason::WrongType);
                wrong(json!("x"), Reason::WrongType);
            }
        }
        let unknown = with("no_such_member", Some(json!(1)));
        let closed = path.ends_with("/match").then_some(Reason::UnknownField);
        assert_eq!(unknown, closed, "{path}");
    }
}

/// The other way round: every member that the shape tables of the code know is in a table of the page.
#[test]
fn every_member_that_the_code_knows_is_documented() {
    let names: BTreeMap<String, String> = read("src/path.rs")
        .lines()
        .filter_map(|line| {
            let (variant, name) = line.trim().strip_suffix("\",")?.split_once(" = \"")?;
            Some((variant.to_owned(), name.to_owned()))
        })
        .collect();
    assert!(names.len() > 30, "the members of the code were found");
    let shape = read("src/shape.rs");
    let tables = shape.find("pub static EXTENSION").expect("the tables");
    let end = shape.find("impl Object").expect("their end");
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for place in shape[tables..end].split("Field::").skip(1) {
        let variant = place
            .split(|one: char| !one.is_alphanumeric())
            .next()
            .expect("a name");
        *known.entry(&*names[variant]).or_default() += 1;
    }
    let mut documented: BTreeMap<String, usize> = BTreeMap::new();
    for (_, rows) in member_tables() {
        for row in rows {
            *documented.entry(code(&row[0]).to_owned()).or_default() += 1;
        }
    }
    let documented: BTreeMap<&str, usize> = documented
        .iter()
        .map(|(name, count)| (&**name, *count))
        .collect();
    assert_eq!(documented, known, "as often as the code has it");
}

#[test]
fn the_differences_from_the_peer_are_those_of_the_code() {
    for row in table(MIGRATION, &["difference", "example", "here"]).rows {
        let (members, expected) = (code(&row[1]), code(&row[2]));
        let member = members.split('"').nth(1).expect("a member");
        let mut base = vec![
            ("runtime", r#""process""#),
            ("command", r#""x""#),
            (
                "permissions",
                r#"["tools.register", "providers.register", "privacy.llm_content"]"#,
            ),
        ];
        base.retain(|(name, _)| *name != member);
        let base: Vec<String> = base
            .iter()
            .map(|(name, value)| format!("\"{name}\": {value}"))
            .collect();
        let document =
            |members: &str| format!(r#"{{"extension": {{{}, {members}}}}}"#, base.join(", "));
        let refused = gate(document(members).as_bytes(), "p").expect_err(members);
        assert_eq!(refused.reason().as_str(), expected, "{members}");
        // The peer's own reader, which serde_json is, takes the document for JSON.
        assert!(
            serde_json::from_str::<Value>(&document(members)).is_ok(),
            "{members}"
        );
    }
}

macro_rules! items {
    ($($item:ident),+ $(,)?) => {{
        // That they exist is checked by the compiler.
        #[allow(unused_imports, reason = "named to show that they exist")]
        { $(use extgate::lifecycle::$item;)+ }
        [$(stringify!($item)),+]
    }};
}

#[test]
fn the_peers_items_are_here_by_their_names() {
    let table = table(MIGRATION, &["there", "here", "what is different"]);
    let exist = items![
        DeferredDeclarations,
        DeclaredExtensionTool,
        DeclaredExtensionProvider,
        DeclaredExtensionProviderModel,
        DeclaredExtensionContextProvider,
        DeferredExtensionTool,
        DeferredLifecycle,
        ExtensionClass,
        ActivationTrigger,
        DECLARED_MAX_TOOLS,
        DECLARED_MAX_PROVIDERS,
        DECLARED_MAX_PROVIDER_MODELS,
        DECLARED_MAX_CONTEXT_PROVIDERS,
        DECLARED_NAME_MAX_BYTES,
        DECLARED_DESCRIPTION_MAX_BYTES,
        DECLARED_DISPLAY_MAX_BYTES,
        DECLARED_SCHEMA_MAX_BYTES,
        classify,
        earliest_trigger,
        has_context_provider,
        validate_deferred,
        validate_manifest_deferred,
        validate_runtime_tool_declarations,
        validate_runtime_provider_declarations,
        dormant_extension_tools,
    ];
    let there: Vec<&str> = table.rows.iter().map(|row| code(&row[0])).collect();
    let here: Vec<&str> = table.rows.iter().map(|row| code(&row[1])).collect();
    assert_eq!(there, exist);
    assert_eq!(here, exist);
}
