//! What can be asked for.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

/// Decides, from its plugin.json alone, whether an AI agent's extension may exist.
///
/// Nothing is started and nothing but the named files is opened.
#[derive(Debug, Parser)]
#[command(name = "extgate", version, max_term_width = 100)]
#[command(
    after_help = "Exit status: 0 all accepted (or no extension), 1 something refused, \
    2 usage or input error."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Give a verdict on each plugin.json.
    Check(Check),
    /// Hold what a runtime registered to what its manifest declared.
    Match(Match),
    /// Print canonical digests: of a JSON file, or of each tool that a plugin.json declares.
    Digest(Digest),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// One JSON object a line.
    Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Output {
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// Print refusals and errors only.
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Plugin {
    /// The plugin's id [default: the document's `name`, else "plugin"].
    #[arg(long, value_name = "ID")]
    pub(crate) plugin_id: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Check {
    /// Manifests, folders to search for `.synaps-plugin/plugin.json` and `plugin.json`, or `-` for
    /// standard input.
    #[arg(default_value = ".", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) plugin: Plugin,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Match {
    /// The plugin.json, or `-` for standard input.
    pub(crate) manifest: PathBuf,
    /// The initialize result, bare or in a JSON-RPC response, or `-` for standard input.
    pub(crate) runtime: PathBuf,
    #[command(flatten)]
    pub(crate) plugin: Plugin,
    #[command(flatten)]
    pub(crate) output: Output,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct Digest {
    /// JSON files, or plugin.json files whose tools are listed, or `-` for standard input.
    #[arg(default_value = "-", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output: Output,
}
