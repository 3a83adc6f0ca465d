//! Documents in the shapes that hosts meet, made here so that nothing has to be fetched to measure.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "a module that several programs include, each for what it needs"
)]

/// A manifest and the initialize result that matches it.
pub struct Shape {
    pub name: &'static str,
    pub manifest: Vec<u8>,
    pub runtime: Vec<u8>,
    /// The same result with the members of its schemas in order of their keys, so that every schema is
    /// spelled in another way than it was declared.
    pub respelled: Vec<u8>,
    /// How many tools the manifest declares.
    pub tools: usize,
}

/// How a document is laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    Compact,
    /// Two spaces a level, as editors write it.
    Pretty,
}

/// How a shape of that name is made.
type Make = fn(&'static str) -> Shape;

/// Every shape of the table in the README, smallest first.
const SHAPES: [(&str, Make); 7] = [
    ("legacy, no tools", legacy),
    ("8 tools of 600 B, pretty", |name| {
        tools(name, 8, 600, Layout::Pretty)
    }),
    ("32 tools of 1 KB, pretty", |name| {
        tools(name, 32, 1_000, Layout::Pretty)
    }),
    ("like real tool lists, pretty", |name| {
        real(name, Layout::Pretty)
    }),
    ("like real tool lists, compact", |name| {
        real(name, Layout::Compact)
    }),
    ("256 tools of 2 KB, compact", |name| {
        tools(name, 256, 2_000, Layout::Compact)
    }),
    ("60 tools of 60 KB, compact", |name| {
        tools(name, 60, 60_000, Layout::Compact)
    }),
];

/// All of them.
pub fn all() -> impl Iterator<Item = Shape> {
    SHAPES.iter().map(|(name, make)| make(name))
}

/// The one of that name.
pub fn named(name: &str) -> Option<Shape> {
    let (name, make) = SHAPES.iter().find(|(known, _)| *known == name)?;
    Some(make(name))
}

/// An eager extension: hooks and permissions, no tools.
pub fn legacy(name: &'static str) -> Shape {
    let manifest = br#"{
  "name": "session-notes",
  "version": "0.3.1",
  "description": "Keeps notes of a session.",
  "extension": {
    "protocol_version": 1,
    "runtime": "process",
    "command": "python3",
    "args": ["extensions/notes.py", "--stdio"],
    "permissions": ["session.lifecycle", "privacy.llm_content"],
    "hooks": [
      { "hook": "on_session_start" },
      { "hook": "before_message" }
    ]
  }
}
"#;
    Shape {
        name,
        manifest: manifest.to_vec(),
        runtime: br#"{"protocol_version":1,"capabilities":{}}"#.to_vec(),
        respelled: br#"{"capabilities":{},"protocol_version":1}"#.to_vec(),
        tools: 0,
    }
}

/// Tools whose compact schemas have about `size` bytes each.
pub fn tools(name: &'static str, count: usize, size: usize, layout: Layout) -> Shape {
    let made: Vec<Tool> = (0..count).map(|n| tool(n, size)).collect();
    shape(name, &made, layout)
}

/// Tools as four published servers list them: nine to twenty-five of them, schemas of 100 B to 4 KB,
/// most members short.
pub fn real(name: &'static str, layout: Layout) -> Shape {
    let sizes = [
        160, 240, 900, 420, 130, 300, 1_800, 260, 110, 350, 700, 190, 480, 3_600, 150, 220, 560,
        310, 130, 1_100, 270, 400, 180, 620, 240,
    ];
    let made: Vec<Tool> = sizes
        .iter()
        .enumerate()
        .map(|(n, size)| tool(n, *size))
        .collect();
    shape(name, &made, layout)
}

struct Tool {
    name: String,
    description: String,
    schema: serde_json::Value,
}

const VERBS: [&str; 8] = [
    "list", "read", "create", "update", "search", "move", "describe", "remove",
];
const NOUNS: [&str; 8] = [
    "file",
    "entity",
    "page",
    "directory",
    "relation",
    "issue",
    "snapshot",
    "message",
];

fn tool(n: usize, size: usize) -> Tool {
    let (verb, noun) = (VERBS[n % 8], NOUNS[n / 8 % 8]);
    Tool {
        name: format!("{verb}_{noun}_{n}"),
        description: format!(
            "{verb} one {noun} of the workspace. Returns what was found, or says why nothing was; \
             paths are relative to the workspace's root."
        ),
        schema: schema(n, size),
    }
}

/// A schema of about `size` bytes: properties of the usual kinds, in the order in which people write them.
fn schema(n: usize, size: usize) -> serde_json::Value {
    let mut properties = serde_json::Map::new();
    let mut required = Vec::new();
    let mut used = 60;
    let mut k = 0;
    while used + 60 < size {
        let name = format!("{}_{}{}", NOUNS[(n + k) % 8], VERBS[k % 8], k);
        let text = format!("The {} to {}.", NOUNS[(n + k) % 8], VERBS[k % 8]);
        let kind = (n + k) % 5;
        let property = match kind {
            0 => serde_json::json!({"type": "string", "description": text}),
            1 => {
                serde_json::json!({"type": "integer", "description": text, "minimum": 0, "maximum": 4096 + k})
            }
            2 => {
                serde_json::json!({"type": "array", "items": {"type": "string"}, "description": text})
            }
            3 => {
                serde_json::json!({"type": "string", "enum": ["asc", "desc", "none"], "default": "asc"})
            }
            _ => serde_json::json!({
                "type": "object",
                "properties": {"head": {"type": "number", "description": text}, "tail": {"type": "boolean"}},
                "required": ["head"],
                "additionalProperties": false
            }),
        };
        used += property.to_string().len() + name.len() + 4;
        if k % 3 == 0 {
            required.push(serde_json::Value::from(name.clone()));
            used += name.len() + 3;
        }
        properties.insert(name, property);
        k += 1;
    }
    serde_json::json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false
    })
}

fn shape(name: &'static str, made: &[Tool], layout: Layout) -> Shape {
    let listed = |schema: &dyn Fn(&serde_json::Value) -> String| {
        let tools: Vec<String> = made
            .iter()
            .map(|tool| {
                format!(
                    r#"{{"name":{},"description":{},"input_schema":{}}}"#,
                    serde_json::json!(tool.name),
                    serde_json::json!(tool.description),
                    schema(&tool.schema)
                )
            })
            .collect();
        format!("[{}]", tools.join(","))
    };
    let list = listed(&people_order);
    let manifest = format!(
        concat!(
            r#"{{"name":"workspace","version":"1.4.0","extension":{{"protocol_version":1,"runtime":"process","#,
            r#""command":"node","args":["server.js"],"permissions":["tools.register"],"#,
            r#""deferred":{{"tools":{}}}}}}}"#
        ),
        list
    );
    let result =
        |list: &str| format!(r#"{{"protocol_version":1,"capabilities":{{"tools":{list}}}}}"#);
    let runtime = result(&list);
    let respelled = result(&listed(&serde_json::Value::to_string));
    assert!(made.is_empty() || runtime != respelled);
    Shape {
        name,
        manifest: match layout {
            Layout::Compact => manifest.into_bytes(),
            Layout::Pretty => pretty(&manifest).into_bytes(),
        },
        runtime: runtime.into_bytes(),
        respelled: respelled.into_bytes(),
        tools: made.len(),
    }
}

/// A manifest that declares so many tools, providers and context providers.
pub fn every_kind(count: usize) -> Vec<u8> {
    let list = |item: &dyn Fn(usize) -> String| {
        let items: Vec<String> = (0..count).map(item).collect();
        items.join(",")
    };
    let tools = list(&|n| {
        let tool = tool(n, 300);
        format!(
            r#"{{"name":"{}","description":"{}","input_schema":{}}}"#,
            tool.name,
            tool.description,
            people_order(&tool.schema)
        )
    });
    let providers = list(&|n| {
        format!(
            r#"{{"id":"provider-{n}","display_name":"Provider {n}","description":"Models of one house.","models":[{{"id":"small","capabilities":{{"streaming":true}},"context_window":200000}},{{"id":"large","display_name":"Large"}}],"config_schema":{{"type":"object"}}}}"#
        )
    });
    let context_providers = list(&|n| {
        format!(
            r#"{{"id":"context-{n}","capability":"recall-{n}","description":"What was said before.","schema_version":1}}"#
        )
    });
    format!(
        concat!(
            r#"{{"name":"workspace","extension":{{"runtime":"process","command":"node","#,
            r#""permissions":["tools.register","providers.register","context_providers.register"],"#,
            r#""deferred":{{"tools":[{}],"providers":[{}],"context_providers":[{}]}}}}}}"#
        ),
        tools, providers, context_providers
    )
    .into_bytes()
}

/// A schema's text with members in the order in which people write them: `type` first.
fn people_order(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Object(members) => {
            let rank = |key: &str| match key {
                "type" => 0,
                "properties" => 1,
                "items" => 2,
                "description" => 3,
                "enum" => 4,
                "minimum" => 5,
                "maximum" => 6,
                "default" => 7,
                "required" => 8,
                "additionalProperties" => 9,
                _ => 10,
            };
            let mut keys: Vec<&String> = members.keys().collect();
            // Properties stand in the order of their numbers, not of their names.
            keys.sort_by_key(|key| {
                let digits: String = key.chars().filter(char::is_ascii_digit).collect();
                (rank(key), digits.parse::<usize>().unwrap_or(0))
            });
            let members: Vec<String> = keys
                .into_iter()
                .map(|key| format!("{}:{}", serde_json::json!(key), people_order(&members[key])))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        serde_json::Value::Array(items) => {
            let items: Vec<String> = items.iter().map(people_order).collect();
            format!("[{}]", items.join(","))
        }
        scalar => scalar.to_string(),
    }
}

/// Two spaces a level, members in their order.
pub fn pretty(compact: &str) -> String {
    let mut text = String::new();
    let (mut level, mut quoted, mut escaped) = (0_usize, false, false);
    let bytes = compact.as_bytes();
    for (at, one) in compact.char_indices() {
        if quoted {
            text.push(one);
            quoted = escaped || one != '"';
            escaped = one == '\\' && !escaped;
            continue;
        }
        let empty = matches!(bytes.get(at + 1), Some(b'}' | b']'));
        match one {
            '"' => {
                quoted = true;
                text.push(one);
            }
            '{' | '[' => {
                level += 1;
                text.push(one);
                if !empty {
                    line(&mut text, level);
                }
            }
            '}' | ']' => {
                level -= 1;
                if !matches!(text.chars().last(), Some('{' | '[')) {
                    line(&mut text, level);
                }
                text.push(one);
            }
            ',' => {
                text.push(one);
                line(&mut text, level);
            }
            ':' => text.push_str(": "),
            other => text.push(other),
        }
    }
    text.push('\n');
    text
}

fn line(text: &mut String, level: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n("  ", level));
}

/// A start-up with that many plugins: every shape but the largest, in turn.
pub fn startup(plugins: usize) -> Vec<Vec<u8>> {
    let shapes: Vec<Vec<u8>> = all()
        .map(|shape| shape.manifest)
        .filter(|manifest| manifest.len() < 1_000_000)
        .collect();
    (0..plugins)
        .map(|n| match n % 10 {
            // Half are small, one in ten is the largest of the rest.
            0..=4 => shapes[0].clone(),
            5 | 6 => shapes[1].clone(),
            7 | 8 => shapes[3].clone(),
            _ => shapes[2].clone(),
        })
        .collect()
}
