//! The host of `examples/host` in short, under an asynchronous runtime: the lease's outcome is a future.
//!
//! `cargo run --example host_async [PLUGIN_FOLDER]`, by default `examples/plugins/notes`.

#[path = "host/frame.rs"]
#[allow(dead_code, reason = "the blocking reader is the other example's")]
mod frame;

use std::error::Error;
use std::future::Future;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::Stdio;
use std::time::Duration;

use extgate::{
    DeferredExtensionTool, Document, LeaseCall, PinnedManifest, RuntimeDocument, RuntimeLease,
};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

type Failure = Box<dyn Error + Send + Sync>;

/// For a start and a call together.
const PATIENCE: Duration = Duration::from_secs(5);

/// A lease that starts its one extension for each call, and ends it after.
struct Lease {
    pinned: PinnedManifest,
    folder: PathBuf,
    command: String,
    args: Vec<String>,
}

impl<'c> RuntimeLease<'c> for Lease {
    type Outcome = Pin<Box<dyn Future<Output = Result<String, Failure>> + Send + 'c>>;

    fn call(&'c self, call: LeaseCall<'c>) -> Self::Outcome {
        Box::pin(async move { timeout(PATIENCE, self.once(call)).await? })
    }
}

impl Lease {
    async fn once(&self, call: LeaseCall<'_>) -> Result<String, Failure> {
        let input: Value = serde_json::from_str(call.params)?;
        let mut command = Command::new(&self.command);
        command
            .args(&self.args)
            .current_dir(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        // Dropped at the end, and where time is up.
        let mut child = Owned(command.spawn()?);
        let mut to = child.0.stdin.take().ok_or("no input")?;
        let mut from = BufReader::new(child.0.stdout.take().ok_or("no output")?);

        let params =
            json!({"extension_protocol_version": 1, "plugin_id": call.plugin_id, "config": {}});
        let answer = ask(&mut to, &mut from, 1, "initialize", params).await?;
        let document = RuntimeDocument::json_rpc_response(&answer)?;
        let admitted = self.pinned.admit(document.result()?)?;
        let known = admitted.tools().iter().any(|tool| {
            tool.name() == call.tool_name && tool.schema_digest() == *call.expected_digest
        });
        if !known {
            return Err("the tool was not admitted".into());
        }

        let params = json!({"name": call.tool_name, "input": input, "session_id": null});
        let answer = ask(&mut to, &mut from, 2, "tool.call", params).await?;
        let document = RuntimeDocument::json_rpc_response(&answer)?;
        match document.root().get("result") {
            Some(result) => Ok(result.source().to_owned()),
            None => Err("the tool failed".into()),
        }
    }
}

/// A child that takes its whole process group along when it is dropped.
struct Owned(Child);

impl Drop for Owned {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(pid) = self
            .0
            .id()
            .and_then(|id| rustix::process::Pid::from_raw(i32::try_from(id).ok()?))
        {
            let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
        }
    }
}

/// One request and the next frame, which must be its answer.
async fn ask(
    to: &mut ChildStdin,
    from: &mut BufReader<ChildStdout>,
    id: u64,
    method: &str,
    params: Value,
) -> Result<Vec<u8>, Failure> {
    let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    to.write_all(&frame::frame(request.to_string().as_bytes()))
        .await?;
    to.flush().await?;

    let mut header = Vec::new();
    while !frame::is_whole(&header) {
        let room = frame::HEADER_MAX_BYTES.saturating_sub(header.len());
        let most = u64::try_from(room)?;
        if (&mut *from)
            .take(most)
            .read_until(b'\n', &mut header)
            .await?
            == 0
        {
            return Err(frame::FrameError::HeaderTooLong.into());
        }
    }
    let length = frame::content_length(header.trim_ascii_end())?;
    let mut body = Vec::new();
    from.take(u64::try_from(length)?)
        .read_to_end(&mut body)
        .await?;
    if body.len() < length {
        return Err(frame::FrameError::Truncated.into());
    }
    let document = RuntimeDocument::json_rpc_response(&body)?;
    if document.root().get("id").and_then(|one| one.as_u64()) != Some(id) {
        return Err("no answer to the request".into());
    }
    Ok(body)
}

/// The dormant tools of a plugin, and the lease that may start it.
fn open(folder: &Path) -> Result<(Vec<DeferredExtensionTool>, Lease), Failure> {
    let id = folder
        .file_name()
        .and_then(|name| name.to_str())
        .ok_or("no name")?;
    let most = u64::try_from(extgate::limits::DOCUMENT_MAX_BYTES)? + 1;
    let mut bytes = Vec::new();
    std::fs::File::open(folder.join("plugin.json"))?
        .take(most)
        .read_to_end(&mut bytes)?;
    let document = Document::plugin(&bytes)?;
    let manifest = document.extension()?.ok_or("no extension")?;
    let valid = manifest.validate()?;
    let lease = Lease {
        pinned: valid.pin(id),
        folder: folder.to_owned(),
        command: valid.manifest().command().to_owned(),
        args: valid
            .manifest()
            .args()
            .map(|one| one.into_owned())
            .collect(),
    };
    Ok((valid.dormant_extension_tools(id), lease))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let folder = std::env::args_os().nth(1).map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/plugins/notes"),
        PathBuf::from,
    );
    let (tools, lease) = open(&folder)?;
    for tool in &tools {
        let params = r#"{"text": "buy milk"}"#;
        match tool.execute(Some(&lease), params)?.await {
            Ok(result) => println!("{}: {result:?}", tool.runtime_name().escape_debug()),
            Err(error) => println!("{}: no: {error}", tool.runtime_name().escape_debug()),
        }
    }
    Ok(())
}
