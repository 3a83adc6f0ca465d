//! A child process of which none is left over: it leads a process group of its own, and the group is
//! killed whenever the host lets go of it.

use std::io::{self, BufReader, Write};
use std::process::{self, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Instant;

use super::frame::{FrameError, frame, read_frame};

/// Frames that wait to be taken. A child that floods is held up by its own pipe, not by our memory.
const WAITING_FRAMES: usize = 2;

/// Why a child gave no frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReceiveError {
    /// Nothing came in time.
    TimedOut,
    /// What came is no frame.
    Frame(FrameError),
}

/// A running child with its standard streams.
#[derive(Debug)]
pub(crate) struct Child {
    process: process::Child,
    input: Sender<Vec<u8>>,
    output: Receiver<Result<Vec<u8>, FrameError>>,
}

impl Child {
    /// Starts a command. It gets pipes on its standard streams, and what it says on standard error is lost.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        let mut process = command.spawn()?;
        let (Some(mut stdin), Some(stdout)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("a child without streams"));
        };
        let (input, requests) = mpsc::channel::<Vec<u8>>();
        // A thread of its own, since a child that does not read would hold up who writes to it.
        thread::spawn(move || {
            for body in requests {
                if stdin
                    .write_all(&frame(&body))
                    .and_then(|()| stdin.flush())
                    .is_err()
                {
                    return;
                }
            }
        });
        let (frames, output) = mpsc::sync_channel(WAITING_FRAMES);
        thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let read = read_frame(&mut stdout);
                let last = read.is_err();
                if frames.send(read).is_err() || last {
                    return;
                }
            }
        });
        Ok(Self {
            process,
            input,
            output,
        })
    }

    /// The process's id.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends a body. It is written as the child reads; what a dead child should have got is lost.
    pub(crate) fn send(&self, body: Vec<u8>) {
        // An error says that the writer has ended; the stream of answers says why.
        let _ = self.input.send(body);
    }

    /// Waits for the next frame's body.
    pub(crate) fn receive(&self, deadline: Instant) -> Result<Vec<u8>, ReceiveError> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.output.recv_timeout(left) {
            Ok(frame) => frame.map_err(ReceiveError::Frame),
            Err(RecvTimeoutError::Timeout) => Err(ReceiveError::TimedOut),
            Err(RecvTimeoutError::Disconnected) => Err(ReceiveError::Frame(FrameError::Closed)),
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // The group before its leader is reaped: until then no other group can have its number.
        #[cfg(unix)]
        let _ = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&self.process),
            rustix::process::Signal::KILL,
        );
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
