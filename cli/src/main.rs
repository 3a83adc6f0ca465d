//! The command line of extgate.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser as _;

mod args;
mod check;
mod declare;
mod diagnostic;
mod digest;
mod drift;
mod explain;
mod generate;
mod human;
mod input;
mod json;
mod matching;
mod message;
mod sarif;
mod schema;
mod source;
mod visible;

use args::{Color, Command};

/// Everything was accepted, or is no extension.
const ACCEPTED: u8 = 0;
/// Something was refused.
const REFUSED: u8 = 1;
/// Something could not be read, or the command was misspelled.
const UNREADABLE: u8 = 2;

fn main() -> ExitCode {
    let args = args::Args::parse();
    let stdout = io::stdout();
    let choice = match args.color {
        Color::Auto => anstream::AutoStream::choice(&stdout),
        Color::Always => anstream::ColorChoice::Always,
        Color::Never => anstream::ColorChoice::Never,
    };
    let color = choice != anstream::ColorChoice::Never;
    let human = human::Human::new(color);
    let out: Box<dyn io::Write> = if color {
        Box::new(anstream::AutoStream::new(stdout.lock(), choice))
    } else {
        Box::new(stdout.lock())
    };
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    let done = match &args.command {
        Command::Check(check) => check::run(check, &human, &mut out),
        Command::Match(matching) => matching::run(matching, &human, &mut out),
        Command::Digest(digest) => digest::run(digest, &human, &mut out),
        Command::Declare(declare) => declare::run(declare, &human, &mut out),
        Command::Explain(explain) => explain::run(explain, &mut out),
        Command::Schema => schema::run(&mut out),
        Command::Generate(generate) => generate::run(generate, &mut out),
    };
    match done.and_then(|status| out.flush().map(|()| status)) {
        Ok(status) => ExitCode::from(status),
        // Who reads has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(ACCEPTED),
        Err(error) => {
            complain(&format!("cannot write: {error}"));
            ExitCode::from(UNREADABLE)
        }
    }
}

/// Says something on standard error.
fn complain(text: &str) {
    // There is nobody left to tell where standard error is closed.
    let _ = writeln!(io::stderr(), "extgate: {text}");
}

/// Says on standard error why a path gave nothing.
fn unreadable(path: &Path, error: &io::Error) {
    let error = error.to_string();
    complain(&format!(
        "{}: {}",
        visible::Visible(&input::shown(path)),
        visible::Visible(&error)
    ));
}
