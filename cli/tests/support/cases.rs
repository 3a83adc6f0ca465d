//! The cases of `cases.txt`: a document for each reason and finding.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "a module that several test programs include"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A document that has one fault or finding.
pub struct Case {
    pub code: String,
    pub manifest: Vec<u8>,
    pub runtime: Option<Vec<u8>>,
}

pub fn cases() -> Vec<Case> {
    let text = include_str!("../cases.txt");
    let (_, sections) = text.split_once("\n=== ").expect("a case");
    sections
        .split("\n=== ")
        .map(|section| {
            let (code, rest) = section.split_once('\n').expect("a document");
            let (manifest, runtime) = match rest.split_once("\n--- runtime\n") {
                Some((manifest, runtime)) => (manifest, Some(runtime)),
                None => (rest, None),
            };
            Case {
                code: code.to_owned(),
                manifest: made(manifest),
                runtime: runtime.map(made),
            }
        })
        .collect()
}

/// Replaces what stands in guillemets.
fn made(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut parts = text.trim_end_matches('\n').split('«');
    bytes.extend(parts.next().expect("text").bytes());
    for part in parts {
        let (rule, rest) = part.split_once('»').expect("a closing guillemet");
        if let Some(hex) = rule.strip_prefix("hex ") {
            for pair in hex.as_bytes().chunks(2) {
                let pair = std::str::from_utf8(pair).expect("digits");
                bytes.push(u8::from_str_radix(pair, 16).expect("two hexadecimal digits"));
            }
        } else {
            let digits = rule
                .find(|one: char| !one.is_ascii_digit())
                .expect("a sign");
            let count: usize = rule[..digits].parse().expect("a number");
            let (sign, text) = rule[digits..].split_at(1);
            let items: Vec<String> = (0..count)
                .map(|place| text.replace('#', &place.to_string()))
                .collect();
            let joint = if sign == "," { "," } else { "" };
            bytes.extend(items.join(joint).bytes());
        }
        bytes.extend(rest.bytes());
    }
    bytes
}

impl Case {
    /// Writes the case's files to a folder.
    pub fn write(&self, folder: &Path) {
        fs::write(folder.join("plugin.json"), &self.manifest).expect("written");
        let _ = fs::remove_file(folder.join("runtime.json"));
        if let Some(runtime) = &self.runtime {
            fs::write(folder.join("runtime.json"), runtime).expect("written");
        }
    }

    /// The command that shows the case.
    pub fn command(&self) -> Vec<&'static str> {
        match self.runtime {
            Some(_) => vec!["match", "plugin.json", "runtime.json"],
            None => vec!["check", "plugin.json"],
        }
    }
}

/// Runs the command line in a folder.
pub fn extgate(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_extgate"))
        .args(arguments)
        .current_dir(folder)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .output()
        .expect("it runs")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}
