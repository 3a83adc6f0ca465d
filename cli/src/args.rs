//! What can be asked for.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use extgate::FindingCode;

/// Decides, from its plugin.json alone, whether an AI agent's extension may exist.
///
/// Nothing is started, and nothing but the named files and folders is opened.
#[derive(Debug, Parser)]
#[command(
    name = "extgate",
    version,
    max_term_width = 80,
    propagate_version = true
)]
#[command(after_help = "\
Exit status: 0 all accepted (or no extension), 1 something refused or a denied finding,
2 usage or input error.

`extgate help COMMAND` says more, with examples.")]
#[command(after_long_help = "\
Examples:
  extgate check                            every plugin.json of this folder
  extgate check --deny all plugin.json     refuse what a reviewer should look at too
  extgate check --format sarif . > r.sarif a file for code scanning
  extgate match plugin.json init.json      what a runtime sent, held to what was declared
  extgate declare init.json                what to paste into plugin.json
  extgate explain wrong_type               what a reason means, and how to mend it

Exit status:
  0  everything was accepted, or is no extension
  1  something was refused, or a denied finding was found
  2  the command was misspelled, or something could not be read

Verdicts go to standard output, errors to standard error. Text of a manifest is printed
with its control and invisible characters spelled out, so it cannot change a terminal.")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// When to use color: by the terminal and NO_COLOR, or as said.
    #[arg(long, value_enum, default_value_t = Color::Auto, global = true, value_name = "WHEN")]
    pub(crate) color: Color,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Give a verdict on each plugin.json.
    #[command(after_long_help = "\
Examples:
  extgate check plugin.json
  extgate check plugins/ --format json | jq -r 'select(.verdict == \"reject\").path'
  extgate check - --plugin-id notes < plugin.json
  extgate check . --deny wire_name_collision --deny unknown_member")]
    Check(Check),
    /// Hold what a runtime registered to what its manifest declared.
    ///
    /// Lists every mismatch, and of two schemas up to ten places at which they differ.
    #[command(after_long_help = "\
Examples:
  extgate match plugin.json initialize.json
  extgate match plugin.json response.json --format json | jq '.mismatches[].differences'
  my-extension --initialize | extgate match plugin.json -")]
    Match(Match),
    /// Print canonical digests: of a JSON file, or of each tool that a plugin.json declares.
    #[command(after_long_help = "\
Examples:
  extgate digest schema.json
  extgate digest plugin.json
  jq '.capabilities.tools[0].input_schema' initialize.json | extgate digest")]
    Digest(Digest),
    /// Print what to declare in a plugin.json, from a captured initialize result.
    ///
    /// Takes a bare result, a JSON-RPC response, or the result of an MCP `tools/list`. Prints the
    /// members `permissions` and `deferred` of the extension block. What is printed passes `check`
    /// and matches the capture; a capture of which that cannot be said is refused.
    #[command(after_long_help = "\
Examples:
  extgate declare initialize.json
  extgate declare tools-list.json --command bin/server --plugin-id notes > plugin.json")]
    Declare(Declare),
    /// Say what a reason or finding means, the bound behind it, and how to mend it.
    ///
    /// Without a code, lists all of them.
    #[command(after_long_help = "\
Examples:
  extgate explain
  extgate explain oversized_declared_tool_schema unknown_member")]
    Explain(Explain),
    /// Print a JSON Schema (2020-12) of plugin.json, for editors.
    ///
    /// It refuses only what the gate refuses, but not all of it: keys that are given twice, sizes
    /// in bytes and names that repeat are beyond a schema.
    #[command(after_long_help = "\
Examples:
  extgate schema > extgate.schema.json")]
    Schema,
    /// Print completions for a shell, or the manual page.
    #[command(hide = true)]
    Generate(Generate),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// Where standard output is a terminal that shows color, and NO_COLOR is not set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
    /// One SARIF 2.1.0 log, for code scanning.
    Sarif,
}

/// The formats of commands that judge nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlainFormat {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Judging {
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// The plugin's id [default: the document's `name`, else "plugin"].
    #[arg(long, value_name = "ID")]
    pub(crate) plugin_id: Option<String>,
    /// Refuse what has this finding, or any; may be given several times.
    #[arg(long, value_name = "CODE|all", value_delimiter = ',', value_parser = denials(), hide_possible_values = true)]
    pub(crate) deny: Vec<String>,
    /// Print refusals and errors only (for people; other formats are always whole).
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// The word that denies every finding.
const ALL: &str = "all";

fn denials() -> PossibleValuesParser {
    let codes = FindingCode::ALL.iter().map(|code| code.as_str());
    PossibleValuesParser::new(codes.chain([ALL]))
}

impl Judging {
    /// Whether a finding is a refusal.
    pub(crate) fn denies(&self, code: FindingCode) -> bool {
        self.deny
            .iter()
            .any(|denied| denied == ALL || denied == code.as_str())
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Check {
    /// Manifests, folders to search for `.synaps-plugin/plugin.json` and `plugin.json`, or `-` for
    /// standard input.
    #[arg(default_value = ".", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) judging: Judging,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Match {
    /// The plugin.json, or `-` for standard input.
    pub(crate) manifest: PathBuf,
    /// The initialize result, bare or in a JSON-RPC response, or `-` for standard input.
    pub(crate) runtime: PathBuf,
    #[command(flatten)]
    pub(crate) judging: Judging,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Digest {
    /// JSON files, or plugin.json files whose tools are listed, or `-` for standard input.
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Declare {
    /// The capture, or `-` for standard input.
    pub(crate) runtime: PathBuf,
    /// Print a whole plugin.json that is started by this program.
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) command: Option<String>,
    /// The plugin's name in a whole plugin.json.
    #[arg(long, value_name = "ID", requires = "command")]
    pub(crate) plugin_id: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Explain {
    /// Codes of reasons or findings.
    #[arg(value_name = "CODE")]
    pub(crate) codes: Vec<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = PlainFormat::Human)]
    pub(crate) format: PlainFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Generate {
    #[command(subcommand)]
    pub(crate) what: Generated,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Generated {
    /// Completions for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// The manual page as roff, or all of them into a folder.
    Man {
        /// The folder.
        folder: Option<PathBuf>,
    },
}
