//! Bytes from files, folders and standard input, never more than a bound and one byte.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow::{self, Continue};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use walkdir::{DirEntry, WalkDir};

/// The name of a manifest's file.
const MANIFEST: &str = "plugin.json";

/// Reads a file, or standard input for `-`: all of it, or one byte more than the bound.
pub(crate) fn read(path: &Path, bound: usize) -> io::Result<Vec<u8>> {
    if is_stdin(path) {
        static WAS_READ: AtomicBool = AtomicBool::new(false);
        if WAS_READ.swap(true, Ordering::Relaxed) {
            return Err(io::Error::other("standard input was read already"));
        }
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

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// A path for output: standard input by its own name.
pub(crate) fn shown(path: &Path) -> String {
    if is_stdin(path) {
        "<stdin>".into()
    } else {
        path.to_string_lossy().into_owned()
    }
}

/// A manifest to be read, or why there is none.
pub(crate) type Found = Result<PathBuf, (PathBuf, io::Error)>;

/// Hands out the manifests that a path names: itself, or, of a folder, every `plugin.json` in it, in the
/// order of names, until the taker breaks off. Links to folders are not followed, nor is a link to a file
/// that leads out of the folder.
pub(crate) fn manifests(
    path: &Path,
    take: &mut dyn FnMut(Found) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if is_stdin(path) || !path.is_dir() {
        return take(Ok(path.to_owned()));
    }
    let mut any = false;
    let mut others = 0_usize;
    for entry in WalkDir::new(path).sort_by_file_name() {
        let found = match entry {
            Ok(entry) if entry.file_name() == MANIFEST => manifest(path, entry),
            Ok(entry) => {
                let is_json = entry.path().extension() == Some(OsStr::new("json"));
                others += usize::from(is_json && entry.file_type().is_file());
                None
            }
            Err(error) => {
                let place = error.path().unwrap_or(path).to_owned();
                let error = error
                    .into_io_error()
                    .unwrap_or_else(|| io::Error::other("cannot be walked"));
                Some(Err((place, error)))
            }
        };
        if let Some(found) = found {
            any = true;
            take(found)?;
        }
    }
    if any {
        return Continue(());
    }
    take(Err((path.to_owned(), io::Error::other(nothing(others)))))
}

/// A file of a manifest's name, if it is one.
fn manifest(root: &Path, entry: DirEntry) -> Option<Found> {
    let kind = entry.file_type();
    if kind.is_file() {
        return Some(Ok(entry.into_path()));
    }
    if !kind.is_symlink() {
        return None;
    }
    let inside = || -> io::Result<bool> {
        let target = entry.path().canonicalize()?;
        Ok(target.starts_with(root.canonicalize()?))
    };
    Some(match inside() {
        Ok(true) => Ok(entry.into_path()),
        Ok(false) => Err((
            entry.into_path(),
            io::Error::other(
                "a link that leads out of the folder is not followed; name it to have it checked",
            ),
        )),
        Err(error) => Err((entry.into_path(), error)),
    })
}

fn nothing(others: usize) -> String {
    let beside = match others {
        0 => "nor another .json file".to_owned(),
        1 => "but 1 other .json file: name it to check it".to_owned(),
        _ => format!("but {others} other .json files: name them to check them"),
    };
    format!("no {MANIFEST} in it, {beside}")
}
