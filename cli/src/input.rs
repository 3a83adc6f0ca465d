//! Bytes from files, folders and standard input, never more than a bound and one byte.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// Reads a file, or standard input for `-`: all of it, or one byte more than the bound.
pub(crate) fn read(path: &Path, bound: usize) -> io::Result<Vec<u8>> {
    if is_stdin(path) {
        return take(io::stdin().lock(), bound, 0);
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
    take(file, bound, size.min(bound))
}

fn take(source: impl Read, bound: usize, expected: usize) -> io::Result<Vec<u8>> {
    let most = u64::try_from(bound).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::with_capacity(expected + 1);
    source.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A manifest to be read, or why there is none.
pub(crate) type Found = Result<PathBuf, (PathBuf, io::Error)>;

/// The manifests that a path names: itself, or, of a folder, every `plugin.json` in it, in the order of
/// names. Links are not followed within a folder.
pub(crate) fn manifests(path: &Path) -> Vec<Found> {
    if is_stdin(path) || !path.is_dir() {
        return vec![Ok(path.to_owned())];
    }
    let mut found = Vec::new();
    for entry in WalkDir::new(path).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.file_type().is_file() && entry.file_name() == "plugin.json" => {
                found.push(Ok(entry.into_path()));
            }
            Ok(_) => {}
            Err(error) => {
                let place = error.path().unwrap_or(path).to_owned();
                let error = error
                    .into_io_error()
                    .unwrap_or_else(|| io::Error::other("cannot be walked"));
                found.push(Err((place, error)));
            }
        }
    }
    if found.is_empty() {
        found.push(Err((
            path.to_owned(),
            io::Error::new(
                io::ErrorKind::NotFound,
                "no plugin.json in this folder or below it",
            ),
        )));
    }
    found
}
