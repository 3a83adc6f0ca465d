//! The conformance vectors: what each file holds, and what a verdict must be.
#![allow(
    unreachable_pub,
    reason = "a module that several test programs include"
)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// One conformance case.
pub struct Case {
    pub id: String,
    pub faults: Vec<String>,
    pub plugin: String,
    pub document: Vec<u8>,
    pub runtime: Option<Vec<u8>>,
    pub expect: Value,
}

/// What the gate said of a case, in the vectors' words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outcome {
    pub verdict: String,
    pub reason: Option<String>,
    pub class: Option<String>,
    pub trigger: Option<String>,
    /// Runtime name, catalog id, digest.
    pub tools: Vec<[String; 3]>,
    pub contexts: Vec<String>,
    /// `ok`, `legacy`, or the reason.
    pub runtime: Option<String>,
}

/// The files that are committed with the project.
pub const FILES: [(&str, &str); 4] = [
    ("core", include_str!("../vectors/core.jsonl")),
    ("edges", include_str!("../vectors/edges.jsonl")),
    ("respelled", include_str!("../vectors/respelled.jsonl")),
    (
        "field-reports",
        include_str!("../vectors/field-reports.jsonl"),
    ),
];

/// Cases in which the project deliberately differs: `id: why`, a line each.
const EXCEPTIONS: &str = include_str!("../vectors/exceptions.txt");

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (file, text) in FILES {
        let before = cases.len();
        for line in text.lines() {
            cases.push(case(file, line));
        }
        assert!(cases.len() > before, "{file} has no cases");
    }
    cases
}

fn case(file: &str, line: &str) -> Case {
    let case: Value = serde_json::from_str(line).expect("a vector is JSON");
    let text = |key: &str| case[key].as_str().map(str::to_owned);
    let bytes = |key: &str| text(key).map(|coded| STANDARD.decode(coded).expect("base64"));
    Case {
        id: format!("{file}/{}", text("id").expect("an id")),
        faults: case["faults"]
            .as_array()
            .expect("faults")
            .iter()
            .map(|fault| fault.as_str().expect("a fault").to_owned())
            .collect(),
        plugin: text("plugin").expect("a plugin"),
        document: bytes("doc_b64").expect("a document"),
        runtime: bytes("runtime_b64"),
        expect: case["expect"].clone(),
    }
}

/// `LegacyEager` to `legacy_eager`.
fn snake(word: &str) -> String {
    let mut snake = String::new();
    for one in word.chars() {
        if one.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(one.to_lowercase());
    }
    snake
}

const BYTE_REASONS: [&str; 6] = [
    "syntax",
    "invalid_utf8",
    "lone_surrogate",
    "nesting_too_deep",
    "number_out_of_range",
    "byte_order_mark",
];

impl Case {
    fn expected(&self) -> Outcome {
        let text = |key: &str| self.expect[key].as_str().map(str::to_owned);
        let list = |key: &str| self.expect[key].as_array().cloned().unwrap_or_default();
        let part = |tool: &Value, key: &str| tool[key].as_str().unwrap_or_default().to_owned();
        Outcome {
            verdict: text("verdict").expect("a verdict"),
            reason: text("reason"),
            class: text("class").map(|word| snake(&word)),
            trigger: text("trigger").map(|word| snake(&word)),
            tools: list("tools")
                .iter()
                .map(|tool| ["runtime_name", "tool_id", "digest"].map(|key| part(tool, key)))
                .collect(),
            contexts: list("contexts")
                .iter()
                .map(|one| one.as_str().unwrap_or_default().to_owned())
                .collect(),
            runtime: text("runtime"),
        }
    }

    /// A case of several faults names one of them, and the vectors take byte-level reasons for one
    /// another where bytes were damaged.
    fn takes(&self, expected: &Outcome, got: &Outcome) -> bool {
        let several = self.faults.len() > 1 || self.faults == ["damage"];
        let bytes = |reason: &Option<String>| {
            reason
                .as_deref()
                .is_some_and(|reason| BYTE_REASONS.contains(&reason))
        };
        let reason = expected.reason == got.reason
            || several
            || (bytes(&expected.reason)
                && bytes(&got.reason)
                && !self.faults.iter().any(|fault| fault.starts_with("raw")));
        let drifted = |outcome: &Outcome| {
            outcome
                .runtime
                .as_deref()
                .is_some_and(|runtime| !matches!(runtime, "ok" | "legacy"))
        };
        let runtime = expected.runtime == got.runtime
            || (self.faults.len() > 1 && drifted(expected) && drifted(got));
        let (mut expected, mut got) = (expected.clone(), got.clone());
        for outcome in [&mut expected, &mut got] {
            outcome.reason = None;
            outcome.runtime = None;
        }
        reason && runtime && expected == got
    }
}

/// Holds every case to its verdict. A case that is excepted must differ.
pub fn hold(gate: impl Fn(&Case) -> Outcome) {
    let exceptions: Vec<&str> = EXCEPTIONS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(": ").expect("`id: why`").0)
        .collect();
    let cases = cases();
    for exception in &exceptions {
        let known = cases.iter().any(|case| case.id == *exception);
        assert!(known, "exception {exception} names no case");
    }
    let mut wrong = Vec::new();
    for case in &cases {
        let (expected, got) = (case.expected(), gate(case));
        let excepted = exceptions.contains(&case.id.as_str());
        match (case.takes(&expected, &got), excepted) {
            (true, false) | (false, true) => {}
            (true, true) => wrong.push(format!("{}: passes, though it is excepted", case.id)),
            (false, false) => wrong.push(format!(
                "{} {:?}:\n  expected {expected:?}\n  got      {got:?}",
                case.id, case.faults
            )),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} cases:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}
