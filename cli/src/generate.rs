//! `extgate generate`: completions for shells, and the manual page.

use std::io::{self, Write};

use clap::CommandFactory as _;

use crate::ACCEPTED;
use crate::args::{Args, Generate, Generated};

pub(crate) fn run(args: &Generate, out: &mut dyn Write) -> io::Result<u8> {
    let mut command = Args::command();
    match &args.what {
        Generated::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut command, "extgate", &mut text);
            out.write_all(&text)?;
        }
        Generated::Man {
            folder: Some(folder),
        } => clap_mangen::generate_to(command, folder)?,
        Generated::Man { folder: None } => clap_mangen::Man::new(command).render(&mut &mut *out)?,
    }
    Ok(ACCEPTED)
}
