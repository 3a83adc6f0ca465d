//! `Content-Length` frames on a stream that nobody trusts.

use std::fmt;
use std::io::{self, BufRead, Read};

/// The longest body, in bytes: the bound of an initialize result.
pub(crate) const FRAME_MAX_BYTES: usize = extgate::limits::INITIALIZE_RESULT_MAX_BYTES;

/// The longest header, in bytes, its blank line included.
pub(crate) const HEADER_MAX_BYTES: usize = 4096;

/// Why there is no frame. After any of these the stream cannot be read on: where the next frame begins is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameError {
    /// The stream ended between two frames.
    Closed,
    /// The stream ended within a frame.
    Truncated,
    /// The header has no end within [`HEADER_MAX_BYTES`].
    HeaderTooLong,
    /// A header line is not `name: value` in ASCII.
    MalformedHeader,
    /// There is no `Content-Length`.
    MissingLength,
    /// There is more than one `Content-Length`, equal or not.
    DoubleLength,
    /// The length is not a decimal number.
    InvalidLength,
    /// The length is more than [`FRAME_MAX_BYTES`].
    TooLong,
    /// The stream cannot be read.
    Unreadable(io::ErrorKind),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed => f.write_str("the stream ended"),
            Self::Truncated => f.write_str("the stream ended within a frame"),
            Self::HeaderTooLong => write!(f, "a header of more than {HEADER_MAX_BYTES} bytes"),
            Self::MalformedHeader => f.write_str("a header line that is not `name: value`"),
            Self::MissingLength => f.write_str("a frame without Content-Length"),
            Self::DoubleLength => f.write_str("a frame with two Content-Length"),
            Self::InvalidLength => f.write_str("a Content-Length that is no number"),
            Self::TooLong => write!(f, "a frame of more than {FRAME_MAX_BYTES} bytes"),
            Self::Unreadable(kind) => write!(f, "the stream cannot be read: {kind}"),
        }
    }
}

impl std::error::Error for FrameError {}

/// A body with its header.
pub(crate) fn frame(body: &[u8]) -> Vec<u8> {
    let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    frame.extend_from_slice(body);
    frame
}

/// The length that a header gives. The header is its lines, without the blank one; lines end in CR LF, or
/// LF alone.
pub(crate) fn content_length(header: &[u8]) -> Result<usize, FrameError> {
    let header = std::str::from_utf8(header).map_err(|_| FrameError::MalformedHeader)?;
    let mut length = None;
    for line in header.lines() {
        let (name, value) = line.split_once(':').ok_or(FrameError::MalformedHeader)?;
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(FrameError::MalformedHeader);
        }
        if !name.eq_ignore_ascii_case("content-length") {
            continue;
        }
        let value = value.trim_matches([' ', '\t']);
        if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(FrameError::InvalidLength);
        }
        // More digits than fit are too long, whatever they say.
        let value: usize = value.parse().map_err(|_| FrameError::TooLong)?;
        if length.replace(value).is_some() {
            return Err(FrameError::DoubleLength);
        }
    }
    match length {
        None => Err(FrameError::MissingLength),
        Some(length) if length > FRAME_MAX_BYTES => Err(FrameError::TooLong),
        Some(length) => Ok(length),
    }
}

/// Whether a header that has been read so far ends here, with its blank line.
pub(crate) fn is_whole(header: &[u8]) -> bool {
    header.ends_with(b"\n\r\n") || header.ends_with(b"\n\n") || header == b"\r\n" || header == b"\n"
}

/// Reads one frame and gives its body. Takes memory as bytes arrive, not as a length promises them.
pub(crate) fn read_frame(stream: &mut impl BufRead) -> Result<Vec<u8>, FrameError> {
    let mut header = Vec::new();
    while !is_whole(&header) {
        if header.len() == HEADER_MAX_BYTES {
            return Err(FrameError::HeaderTooLong);
        }
        let mut byte = [0];
        match stream.read_exact(&mut byte) {
            Ok(()) => header.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(if header.is_empty() {
                    FrameError::Closed
                } else {
                    FrameError::Truncated
                });
            }
            Err(error) => return Err(FrameError::Unreadable(error.kind())),
        }
    }
    let lines = header.trim_ascii_end();
    let length = content_length(lines)?;
    let most = u64::try_from(length).unwrap_or(u64::MAX);
    let mut body = Vec::new();
    stream
        .take(most)
        .read_to_end(&mut body)
        .map_err(|error| FrameError::Unreadable(error.kind()))?;
    if body.len() < length {
        return Err(FrameError::Truncated);
    }
    Ok(body)
}
