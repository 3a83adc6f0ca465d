//! Documents that are made to cost, by hand: each family aims at one place of the gate where time or
//! memory could grow faster than the bytes that it reads.
//!
//! A family is a function from a size in bytes to a document of about that size (never more than the
//! gate reads). The same size gives the same bytes. Cost is judged as a ratio to [`TYPICAL`] in the
//! same process.
//!
//! ```
//! use extgate_fuzz::families::{self, Attack};
//! for family in families::ALL.iter().filter(|family| family.attack == Attack::Read) {
//!     let document = family.document(10_000);
//!     assert!(document.len() <= 10_000, "{}", family.name);
//!     assert!(extgate::Document::plugin(&document).is_ok(), "{}", family.name);
//! }
//! ```

use std::fmt::Write as _;

/// What a family makes expensive, and so what it is measured with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Attack {
    /// `Document::plugin`: the bytes stand in the extension block, where every key is checked.
    Read,
    /// `JsonDocument::new(…)` and `root().digest()`: the document is the schema.
    Digest,
    /// `gate`: the rules of a manifest, which it keeps or breaks.
    Gate,
    /// `RuntimeDocument::initialize_result`, `result` and `admit` to [`eager_manifest`]'s pin.
    Runtime,
}

/// Documents of one kind, by size.
#[derive(Clone, Copy)]
pub struct Family {
    /// A snake_case name, unique among those of its attack.
    pub name: &'static str,
    /// What it makes expensive.
    pub attack: Attack,
    make: Make,
}

#[derive(Clone, Copy)]
enum Make {
    /// The items of a list, by number: as many as fit.
    Items(fn(usize) -> String),
    /// The members of an object, by number: as many as fit.
    Members(fn(usize) -> String),
    /// The inside of one string: as many pieces as fit.
    Text(&'static str),
    /// A document of at most that many bytes.
    Document(fn(usize) -> String),
}

impl std::fmt::Debug for Family {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}/{}", self.attack, self.name)
    }
}

impl Family {
    /// The family's document of at most `size` bytes (of at least 1,000), and of nearly that many
    /// where the family has no bound of its own.
    #[must_use]
    pub fn document(&self, size: usize) -> Vec<u8> {
        let room = size.saturating_sub(FRAME_BYTES);
        let value = match self.make {
            Make::Items(item) => list(room, item),
            Make::Members(member) => object(room, member),
            Make::Text(piece) => {
                format!("\"{}\"", piece.repeat(room.saturating_sub(2) / piece.len()))
            }
            Make::Document(document) => return document(size).into_bytes(),
        };
        match self.attack {
            Attack::Digest => value,
            _ => format!(
                "{{\"extension\":{{\"runtime\":\"process\",\"command\":\"x\",\"permissions\":[\"memory.read\"],\
                 \"config\":[{{\"key\":\"k\",\"default\":{value}}}]}}}}"
            ),
        }
        .into_bytes()
    }
}

/// More bytes than what stands around a family's value.
const FRAME_BYTES: usize = 200;

fn list(room: usize, item: fn(usize) -> String) -> String {
    joined(room, item, '[', ']')
}

fn object(room: usize, member: fn(usize) -> String) -> String {
    joined(room, member, '{', '}')
}

fn joined(room: usize, part: fn(usize) -> String, open: char, close: char) -> String {
    let mut text = String::with_capacity(room);
    text.push(open);
    for number in 0.. {
        let next = part(number);
        if text.len() + next.len() + 2 > room {
            break;
        }
        if number > 0 {
            text.push(',');
        }
        text.push_str(&next);
    }
    text.push(close);
    text
}

/// What every family is compared with: a manifest of ordinary tools, as people write them.
pub const TYPICAL: Family = Family {
    name: "typical",
    attack: Attack::Gate,
    make: Make::Document(typical),
};

/// A number that looks random, the same on every run.
const fn scrambled(number: usize) -> u64 {
    let mut state = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    state ^= state >> 31;
    state = state.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    state ^ (state >> 29)
}

/// The numbers below 2^`bits`, each once, in an order that looks random.
const fn shuffled(number: usize, bits: u32) -> u64 {
    let mask = (1 << bits) - 1;
    let mut state = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) & mask;
    state ^= state >> (bits / 2);
    state.wrapping_mul(0xBF58_476D_1CE4_E5B9) & mask
}

macro_rules! families {
    ($($attack:ident { $($name:ident = $make:expr;)+ })+) => {
        /// Every family.
        pub static ALL: &[Family] = &[
            $($(Family { name: stringify!($name), attack: Attack::$attack, make: $make },)+)+
        ];
    };
}

families! {
    Read {
        empty_arrays = Make::Items(|_| "[]".into());
        empty_objects = Make::Items(|_| "{}".into());
        empty_strings = Make::Items(|_| "\"\"".into());
        zeros = Make::Items(|_| "0".into());
        minus_zeros = Make::Items(|_| "-0".into());
        nulls = Make::Items(|_| "null".into());
        literals = Make::Items(|n| ["true", "false", "null"][scrambled(n) as usize % 3].into());
        nested_arrays = Make::Items(|_| format!("{}{}", "[".repeat(120), "]".repeat(120)));
        nested_objects = Make::Items(|_| format!("{}0{}", "{\"\":".repeat(120), "}".repeat(120)));
        one_key_objects = Make::Items(|_| "{\"\":0}".into());
        tokens_in_disorder = Make::Items(token_in_disorder);
        strings_in_disorder = Make::Items(|n| format!("\"{}\"", "x".repeat(scrambled(n) as usize % 17)));
        short_escapes = Make::Text("\\n");
        unicode_escapes = Make::Text("\\u0041");
        surrogate_escapes = Make::Text("\\ud83d\\ude00");
        escapes_and_letters = Make::Text("a\\n");
        escaped_quotes = Make::Text("\\\"\\\\");
        escaped_strings = Make::Items(|_| "\"\\n\"".into());
        two_byte_characters = Make::Text("\u{e9}");
        three_byte_characters = Make::Text("\u{20AC}");
        four_byte_characters = Make::Text("\u{1F600}");
        mixed_characters = Make::Text("a\u{e9}\u{20AC}\u{1F600}");
        spaces = Make::Items(|_| format!("0{}", " ".repeat(30)));
        line_breaks = Make::Items(|_| format!("0{}", "\r\n".repeat(15)));
        space_around_all = Make::Items(|_| " \t0\n\r".into());
        keys_ascending = Make::Members(|n| format!("\"{n:07}\":0"));
        keys_descending = Make::Members(|n| format!("\"{:07}\":0", 9_999_999 - n));
        keys_shuffled = Make::Members(|n| format!("\"{:016x}\":0", scrambled(n)));
        keys_short = Make::Members(|n| format!("\"{n:x}\":0"));
        keys_colliding = Make::Members(|n| format!("\"aaaaaaaa{:06x}bbbbbbbb\":0", shuffled(n, 24)));
        keys_colliding_in_small_objects = Make::Items(small_object_of_colliding_keys);
        keys_of_one_prefix = Make::Members(|n| format!("\"{}{:08x}\":0", "p".repeat(64), shuffled(n, 32)));
        keys_long_and_colliding = Make::Members(|n| format!("\"{0}{1:06x}{0}\":0", "p".repeat(500), shuffled(n, 24)));
        keys_escaped_in_small_objects = Make::Items(|_| "{\"\\n\":0,\"\\t\":0}".into());
        keys_escaped = Make::Members(|n| format!("\"\\u0061{:07x}\":0", shuffled(n, 28)));
        keys_escaped_and_colliding = Make::Members(|n| format!("\"{0}{1:06x}{0}\":0", "\\u0061".repeat(8), shuffled(n, 24)));
        keys_escaped_long_and_colliding = Make::Members(|n| format!("\"{0}{1:06x}{0}\":0", "\\n".repeat(500), shuffled(n, 24)));
        integers_of_18_digits = Make::Items(|_| "123456789012345678".into());
        integers_of_19_digits = Make::Items(|_| "1234567890123456789".into());
        integers_of_20_digits = Make::Items(|_| "18446744073709551615".into());
        integers_beyond = Make::Items(|_| "18446744073709551616".into());
        floats_short = Make::Items(|_| "0.5".into());
        floats_of_20_digits = Make::Items(|_| "0.12345678901234567890".into());
        floats_at_the_end_of_range = Make::Items(|_| "1.7976931348623158079e308".into());
        floats_long = Make::Items(|_| format!("0.{}1", "0".repeat(900)));
        floats_at_infinity = Make::Items(|_| format!("{}.0e0", HALF_WAY_TO_INFINITY));
        exponents_long = Make::Items(|_| format!("1e{}1", "0".repeat(900)));
        exponents_short = Make::Items(|_| "0e0".into());
    }
    Digest {
        zeros = Make::Items(|_| "0".into());
        minus_zeros = Make::Items(|_| "-0".into());
        empty_arrays = Make::Items(|_| "[]".into());
        empty_strings = Make::Items(|_| "\"\"".into());
        nested_arrays = Make::Items(|_| format!("{}{}", "[".repeat(120), "]".repeat(120)));
        nested_objects = Make::Items(|_| format!("{}0{}", "{\"\":".repeat(120), "}".repeat(120)));
        short_escapes = Make::Text("\\n");
        unicode_escapes = Make::Text("\\u0041");
        escapes_and_letters = Make::Text("a\\n");
        escaped_strings = Make::Items(|_| "\"\\n\"".into());
        one_text = Make::Text("x");
        keys_short = Make::Members(|n| format!("\"{n:x}\":0"));
        keys_short_shuffled = Make::Members(|n| format!("\"{:x}\":0", shuffled(n, 20)));
        keys_short_and_one_escaped = Make::Members(|n| format!("\"{}{n:x}\":0", if n == 0 { "\\n" } else { "" }));
        keys_descending = Make::Members(|n| format!("\"{:07}\":0", 9_999_999 - n));
        keys_shuffled = Make::Members(|n| format!("\"{:016x}\":0", scrambled(n)));
        keys_of_one_prefix = Make::Members(|n| format!("\"{}{:08x}\":0", "p".repeat(64), shuffled(n, 32)));
        keys_of_a_short_prefix = Make::Members(|n| format!("\"pppppppp{:08x}\":0", shuffled(n, 32)));
        keys_escaped = Make::Members(|n| format!("\"\\u0061{:07x}\":0", shuffled(n, 28)));
        keys_escaped_of_one_prefix = Make::Members(|n| format!("\"{}{:08x}\":0", "\\u0061".repeat(12), shuffled(n, 32)));
        keys_escaped_long = Make::Members(|n| format!("\"{}{:08x}\":0", "\\n".repeat(500), shuffled(n, 32)));
        small_objects = Make::Items(|_| "{\"b\":0,\"a\":0}".into());
        floats_short = Make::Items(|_| "0.5".into());
        floats_of_17_digits = Make::Items(|n| format!("0.{:017}", scrambled(n) % 100_000_000_000_000_000));
        floats_of_20_digits = Make::Items(|_| "0.12345678901234567890".into());
        floats_at_the_end_of_range = Make::Items(|_| "1.7976931348623158079e308".into());
        floats_subnormal = Make::Items(|_| "4.9406564584124654e-324".into());
        floats_half_way = Make::Items(|_| "9007199254740993.00000000000000000000".into());
        floats_near_half_way = Make::Items(|_| "9007199254740993.00000000000000000001".into());
        floats_half_way_below_1 = Make::Items(|_| HALF_WAY_BELOW_1.into());
        floats_half_way_long = Make::Items(|_| format!("9007199254740993.{}1", "0".repeat(700)));
        floats_half_way_to_least = Make::Items(|_| HALF_WAY_TO_LEAST.into());
        floats_below_the_least = Make::Items(|_| "1e-999".into());
    }
    Gate {
        near_every_limit = Make::Document(near_every_limit);
        descriptions_of_white_space = Make::Document(descriptions_of_white_space);
        names_alike = Make::Document(names_alike);
        hooks_and_permissions = Make::Document(hooks_and_permissions);
        theme_tokens = Make::Document(theme_tokens);
        schemas_of_floats = Make::Document(|size| schemas(size, "0.12345678901234567890"));
        schemas_of_escapes = Make::Document(|size| schemas(size, "\"\\u0041\\n\""));
        schemas_of_small_objects = Make::Document(|size| schemas(size, "{\"b\":0,\"a\":0}"));
        tools_beyond_the_bound = Make::Document(|size| extension(size, "\"tools\":", |room| list(room, |_| "{}".into())));
        unknown_members = Make::Document(|size| extension(size, "\"x\":0,\"y\":", |room| object(room, |n| format!("\"{n:x}\":0"))));
        skipped_members = Make::Document(skipped_members);
    }
    Runtime {
        eager_tools = Make::Document(|size| runtime(size, "tools", |n| format!("{{\"name\":\"t{n}\",\"description\":\"d\",\"input_schema\":{{}}}}")));
        eager_tools_of_one_name = Make::Document(|size| runtime(size, "tools", |_| "{\"name\":\"t\",\"description\":\"d\",\"input_schema\":{}}".into()));
        eager_tools_of_one_prefix = Make::Document(|size| runtime(size, "tools", |n| format!("{{\"name\":\"{}{:08x}\",\"description\":\"d\",\"input_schema\":{{}}}}", "p".repeat(56), shuffled(n, 32))));
        eager_models = Make::Document(eager_models);
        generic_capabilities = Make::Document(|size| runtime(size, "capabilities", |n| format!("{{\"kind\":\"k\",\"name\":\"n{n}\",\"permissions\":[\"memory.read\"]}}")));
        generic_permissions = Make::Document(|size| {
            runtime_value(size, "capabilities", |room| {
                let permissions = list(room.saturating_sub(60), |_| "\"memory.read\"".into());
                format!("[{{\"kind\":\"k\",\"name\":\"n\",\"permissions\":{permissions}}}]")
            })
        });
    }
}

/// 2^1024 - 2^970 less one, the largest integer that rounds to a finite double.
const HALF_WAY_TO_INFINITY: &str = "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497791";

/// 1 - 2^-54, half way between the largest double below 1 and 1.
const HALF_WAY_BELOW_1: &str = "0.999999999999999944488848768742172978818416595458984375";

/// 2^-1075, half way to the least double, with one more digit.
const HALF_WAY_TO_LEAST: &str = "2.47032822920623272088284396434110686182529901307162382212792841250337753635104375932649918180817996189898282347722858865463328355177969898199387398005390939063150356595155702263922908583924491051844359318028499365361525003193704576782492193656236698636584807570015857692699037063119282795585513329278343384093519780155312465972635795746227664652728272200563740064854999770965994704540208281662262378573934507363390079677619305775067401763246736009689513405355374585166611342237666786041621596804619144672918403005300575308490487653917113865916462395249126236538818796362393732804238910186723484976682350898633885879256283027559956575244555072551893136908362547791869486679949683240497058210285131854513962138377228261454376934125320985913276672363281251e-324";

fn token_in_disorder(number: usize) -> String {
    match scrambled(number) % 12 {
        0 => "0".into(),
        1 => "-1.5e3".into(),
        2 => "\"\"".into(),
        3 => "\"a\\nb\"".into(),
        4 => "true".into(),
        5 => "null".into(),
        6 => "[]".into(),
        7 => "{}".into(),
        8 => "{\"k\":[0]}".into(),
        9 => "123456789012".into(),
        10 => "\"a longer text of some words\"".into(),
        _ => "[ {\"a\" : \"\u{e9}\"} ]".into(),
    }
}

/// Sixteen keys are as many as are compared one by one.
fn small_object_of_colliding_keys(_: usize) -> String {
    let mut object = String::from("{");
    for key in 0..16 {
        let comma = if key == 0 { "" } else { "," };
        let _ = write!(object, "{comma}\"aaaaaaaa{key:x}bbbbbbbb\":0");
    }
    object + "}"
}

/// An extension block with one more member, whose value is made for the room that is left.
fn extension(size: usize, member: &str, value: impl Fn(usize) -> String) -> String {
    let value = value(size.saturating_sub(FRAME_BYTES));
    format!(
        "{{\"extension\":{{\"runtime\":\"process\",\"command\":\"x\",\"permissions\":[\"memory.read\",\"tools.register\"],{member}{value}}}}}"
    )
}

fn typical(size: usize) -> String {
    extension(size, "\"deferred\":", |room| {
        let tools = joined(
            room.saturating_sub(20),
            |n| {
                format!(
                    r#"
        {{
          "name": "search_notes_{n}",
          "description": "Searches the notes of a project and returns those that match best, newest first.",
          "input_schema": {{
            "type": "object",
            "properties": {{
              "query": {{ "type": "string", "description": "Words that a note must have, in any order." }},
              "limit": {{ "type": "integer", "minimum": 1, "maximum": 100, "default": 20 }},
              "tags": {{ "type": "array", "items": {{ "type": "string" }}, "uniqueItems": true }},
              "archived": {{ "type": "boolean", "default": false }}
            }},
            "required": ["query"],
            "additionalProperties": false
          }}
        }}"#
                )
            },
            '[',
            ']',
        );
        format!("{{\"tools\":{tools}}}")
    })
}

/// Text of that many bytes, in characters of four and of one.
fn wide(bytes: usize) -> String {
    "\u{1F600}".repeat(bytes / 4) + &"x".repeat(bytes % 4)
}

fn near_every_limit(size: usize) -> String {
    let tool = |n: usize| {
        let name = format!("{n:04}{}", wide(60));
        let schema = size.saturating_sub(FRAME_BYTES) / 300;
        format!(
            "{{\"name\":\"{name}\",\"description\":\"{}\",\"input_schema\":{{\"d\":\"{}\"}}}}",
            wide(1024.min(size / 1000)),
            "x".repeat(schema.clamp(1_300, 65_500) - 1_290)
        )
    };
    let tools = (0..256.min(size / 3000 + 1))
        .map(tool)
        .collect::<Vec<_>>()
        .join(",");
    let model = |n: usize| {
        format!(
            "{{\"id\":\"{n:04}{}\",\"display_name\":\"{}\",\"capabilities\":{{\"{}\":true}},\"context_window\":18446744073709551615}}",
            wide(60),
            wide(256),
            wide(128)
        )
    };
    let provider = |n: usize| {
        let models = (0..64).map(model).collect::<Vec<_>>().join(",");
        format!(
            "{{\"id\":\"{n:02}{}\",\"display_name\":\"{}\",\"description\":\"{}\",\"models\":[{models}],\"config_schema\":{{}}}}",
            "p".repeat(62),
            wide(256),
            wide(1024)
        )
    };
    let left = size.saturating_sub(tools.len());
    let providers = (0..16.min(left / 45_000))
        .map(provider)
        .collect::<Vec<_>>()
        .join(",");
    let context = |n: usize| {
        format!(
            "{{\"id\":\"{n}{}\",\"capability\":\"{}\",\"description\":\"{}\",\"schema_version\":4294967295}}",
            "c".repeat(127),
            wide(128),
            wide(1024)
        )
    };
    let contexts = (0..8.min(left / 100_000))
        .map(context)
        .collect::<Vec<_>>()
        .join(",");
    format!(
        "{{\"extension\":{{\"runtime\":\"process\",\"command\":\"x\",\"permissions\":[\"tools.register\",\"providers.register\",\"context_providers.register\"],\
         \"deferred\":{{\"tools\":[{tools}],\"providers\":[{providers}],\"context_providers\":[{contexts}]}}}}}}"
    )
}

fn deferred_tools(size: usize, tool: fn(usize) -> String) -> String {
    extension(size, "\"deferred\":", |room| {
        format!("{{\"tools\":{}}}", list(room.saturating_sub(20), tool))
    })
}

fn descriptions_of_white_space(size: usize) -> String {
    deferred_tools(size, |n| {
        format!(
            "{{\"name\":\"t{n}\",\"description\":\"{}x\",\"input_schema\":{{}}}}",
            "\u{3000}".repeat(341)
        )
    })
}

fn names_alike(size: usize) -> String {
    deferred_tools(size, |n| {
        format!(
            "{{\"name\":\"{}{:04x}\",\"description\":\"d\",\"input_schema\":{{}}}}",
            "p".repeat(60),
            shuffled(n, 16)
        )
    })
}

fn hooks_and_permissions(size: usize) -> String {
    let half = size.saturating_sub(FRAME_BYTES) / 2;
    let hooks = list(half, |_| "{\"hook\":\"before_message\"}".into());
    let permissions = list(half, |_| "\"privacy.llm_content\"".into());
    format!(
        "{{\"extension\":{{\"runtime\":\"process\",\"command\":\"x\",\"hooks\":{hooks},\"permissions\":{permissions}}}}}"
    )
}

fn theme_tokens(size: usize) -> String {
    extension(size, "\"theme_tokens\":", |room| {
        object(room, |n| format!("\"t{n:x}\":\"#fff\""))
    })
}

/// As many tools as the bound allows, each with a list of one kind of item.
fn schemas(size: usize, item: &str) -> String {
    extension(size, "\"deferred\":", |room| {
        let each = (room / 256).clamp(200, 40_000);
        let items = each.saturating_sub(90) / (item.len() + 1);
        let schema = vec![item; items].join(",");
        let tools = (0..256.min(room / each))
            .map(|n| {
                format!("{{\"name\":\"t{n}\",\"description\":\"d\",\"input_schema\":{{\"e\":[{schema}]}}}}")
            })
            .collect::<Vec<_>>()
            .join(",");
        format!("{{\"tools\":[{tools}]}}")
    })
}

fn skipped_members(size: usize) -> String {
    let skipped = list(size.saturating_sub(FRAME_BYTES), token_in_disorder);
    format!(
        "{{\"skipped\":{skipped},\"extension\":{{\"runtime\":\"process\",\"command\":\"x\",\"permissions\":[\"memory.read\"]}}}}"
    )
}

/// A manifest without a deferred block, to which the runtime families are admitted.
#[must_use]
pub const fn eager_manifest() -> &'static [u8] {
    br#"{"extension":{"runtime":"process","command":"x","permissions":["tools.register","providers.register","memory.read"]}}"#
}

fn runtime_value(size: usize, list: &str, value: impl Fn(usize) -> String) -> String {
    let room = size
        .min(extgate::limits::INITIALIZE_RESULT_MAX_BYTES)
        .saturating_sub(FRAME_BYTES);
    let value = value(room);
    format!("{{\"protocol_version\":1,\"capabilities\":{{\"{list}\":{value}}}}}")
}

fn runtime(size: usize, name: &str, item: fn(usize) -> String) -> String {
    runtime_value(size, name, |room| list(room, item))
}

fn eager_models(size: usize) -> String {
    runtime_value(size, "providers", |room| {
        let models = list(room.saturating_sub(100), |n| {
            format!("{{\"id\":\"{:08x}\"}}", shuffled(n, 32))
        });
        format!(
            "[{{\"id\":\"p\",\"display_name\":\"p\",\"description\":\"p\",\"models\":{models}}}]"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use extgate::{JsonDocument, RuntimeDocument, gate, limits};

    #[test]
    fn each_family_reaches_the_code_that_it_aims_at() {
        let eager = gate(eager_manifest(), "demo").unwrap().unwrap().pinned;
        for family in ALL.iter().chain([&TYPICAL]) {
            for size in [1_000, 60_000, 200_000] {
                let document = family.document(size);
                let name = format!("{family:?} of {size}");
                assert!(document.len() <= limits::DOCUMENT_MAX_BYTES, "{name}");
                match family.attack {
                    Attack::Read | Attack::Digest => {
                        assert!(document.len() <= size, "{name}");
                        assert!(document.len() + 2_500 > size, "{name}: {}", document.len());
                        assert!(JsonDocument::new(&document).is_ok(), "{name}");
                    }
                    Attack::Gate => {
                        // Rules may refuse; the bytes and shapes must not.
                        if let Err(refused) = gate(&document, "demo") {
                            let category = refused.reason().category();
                            let aimed = matches!(category, extgate::Category::Deferred)
                                || family.name == "tools_beyond_the_bound";
                            assert!(aimed, "{name}: {refused}");
                        }
                    }
                    Attack::Runtime => {
                        let read = RuntimeDocument::initialize_result(&document).unwrap();
                        if let Err(refused) = eager.admit(read.result().unwrap()) {
                            assert_eq!(family.name, "eager_tools_of_one_name", "{refused}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn names_are_unique() {
        for (place, one) in ALL.iter().enumerate() {
            let same = |other: &&Family| (other.name, other.attack) == (one.name, one.attack);
            assert!(!ALL[..place].iter().any(|other| same(&other)), "{one:?}");
        }
    }
}
