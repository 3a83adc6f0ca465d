//! The command line of extgate.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

mod args;
mod check;
mod digest;
mod input;
mod matching;
mod report;
mod visible;

/// Everything was accepted, or is no extension.
const ACCEPTED: u8 = 0;
/// Something was refused.
const REFUSED: u8 = 1;
/// Something could not be read, or the command was misspelled.
const UNREADABLE: u8 = 2;

fn main() -> ExitCode {
    let args = args::Args::parse();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let done = match &args.command {
        args::Command::Check(check) => check::run(check, &mut out),
        args::Command::Match(matching) => matching::run(matching, &mut out),
        args::Command::Digest(digest) => digest::run(digest, &mut out),
    };
    match done.and_then(|status| out.flush().map(|()| status)) {
        Ok(status) => ExitCode::from(status),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::from(ACCEPTED),
        Err(error) => {
            eprintln!("extgate: cannot write: {error}");
            ExitCode::from(UNREADABLE)
        }
    }
}
