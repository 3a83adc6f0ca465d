//! The host: what is installed, what is dormant, and the session that may start it.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use extgate::limits::DOCUMENT_MAX_BYTES;
use extgate::{
    ActivationTrigger, Admitted, DeferredExtensionTool, Document, ExtensionClass, LeaseCall,
    PinnedManifest, RegisteredContextProviderDescriptor, Rejection, RuntimeDocument, RuntimeLease,
};
use serde_json::{Value, json};

use super::child::{Child, ReceiveError};
use super::frame::FrameError;

/// Arguments that a plugin may give its command.
const ARGS_MAX: usize = 64;
/// Messages of a child that are passed over while an answer is awaited.
const PASSED_OVER_MAX: usize = 64;
/// Characters of a child's error message that are kept.
const MESSAGE_MAX: usize = 200;

/// How long the host waits, and where plugins keep their state.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    /// For a start: from the command to the admitted result.
    pub(crate) start: Duration,
    /// For a call of a tool.
    pub(crate) call: Duration,
    /// For the answer to `shutdown`.
    pub(crate) shutdown: Duration,
    /// The folder in which each plugin has one of its own, named in its variable `PLUGIN_STATE`.
    pub(crate) state: Option<PathBuf>,
}

/// A plugin that is installed.
#[derive(Debug)]
pub(crate) struct Plugin {
    /// Its folder's name. A manifest's own `name` is no id: it could be another plugin's.
    pub(crate) id: String,
    pub(crate) verdict: Verdict,
}

/// What the gate said of a plugin.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// Its extension may exist. Nothing of it runs yet.
    Dormant(Box<Dormant>),
    /// It is no extension.
    NoExtension,
    /// Its manifest is refused.
    Refused(Rejection),
    /// Its manifest cannot be read.
    Unreadable(io::ErrorKind),
}

/// An accepted extension: what is shown, what it promised and how it is started.
#[derive(Debug)]
pub(crate) struct Dormant {
    pub(crate) class: ExtensionClass,
    pub(crate) trigger: ActivationTrigger,
    pub(crate) tools: Vec<DeferredExtensionTool>,
    pub(crate) context_providers: Vec<RegisteredContextProviderDescriptor>,
    pinned: PinnedManifest,
    folder: PathBuf,
    command: String,
    args: Vec<String>,
}

/// What is installed in a folder.
#[derive(Debug)]
pub(crate) struct Host {
    plugins: Vec<Plugin>,
    options: Options,
}

impl Host {
    /// Gates every plugin of a folder, in the order of their names. Starts nothing.
    pub(crate) fn open(folder: &Path, options: Options) -> io::Result<Self> {
        let mut folders = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            // A link could lead anywhere, so it is no plugin.
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            }
        }
        folders.sort();
        let plugins = folders.iter().filter_map(|folder| plugin(folder)).collect();
        Ok(Self { plugins, options })
    }

    /// Every plugin, in the order of names.
    pub(crate) fn plugins(&self) -> &[Plugin] {
        &self.plugins
    }

    fn dormant(&self, id: &str) -> Option<&Dormant> {
        self.plugins
            .iter()
            .find_map(|plugin| match &plugin.verdict {
                Verdict::Dormant(dormant) if plugin.id == id => Some(&**dormant),
                _ => None,
            })
    }

    /// Every dormant tool.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &DeferredExtensionTool> {
        self.plugins
            .iter()
            .flat_map(|plugin| match &plugin.verdict {
                Verdict::Dormant(dormant) => &*dormant.tools,
                _ => &[],
            })
    }

    /// Every context provider.
    pub(crate) fn context_providers(
        &self,
    ) -> impl Iterator<Item = &RegisteredContextProviderDescriptor> {
        self.plugins
            .iter()
            .flat_map(|plugin| match &plugin.verdict {
                Verdict::Dormant(dormant) => &*dormant.context_providers,
                _ => &[],
            })
    }

    /// The dormant tool of that runtime name, `<plugin>:<name>`.
    pub(crate) fn tool(&self, runtime_name: &str) -> Option<&DeferredExtensionTool> {
        self.tools()
            .find(|tool| tool.runtime_name() == runtime_name)
    }

    /// A session, which is the lease: while it lives, its calls may start extensions.
    pub(crate) fn session(&self) -> Session<'_> {
        Session {
            host: self,
            extensions: Mutex::new(BTreeMap::new()),
        }
    }
}

/// The plugin in a folder, if it has a manifest.
fn plugin(folder: &Path) -> Option<Plugin> {
    let id = folder.file_name()?.to_str()?.to_owned();
    let manifest = [".synaps-plugin/plugin.json", "plugin.json"]
        .map(|name| folder.join(name))
        .into_iter()
        .find(|path| path.is_file())?;
    let verdict = match read(&manifest) {
        Err(error) => Verdict::Unreadable(error.kind()),
        Ok(bytes) => match gate(&bytes, &id, folder) {
            Ok(Some(dormant)) => Verdict::Dormant(Box::new(dormant)),
            Ok(None) => Verdict::NoExtension,
            Err(rejection) => Verdict::Refused(rejection),
        },
    };
    Some(Plugin { id, verdict })
}

/// One byte more than the gate reads is enough for its refusal.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let most = u64::try_from(DOCUMENT_MAX_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::open(path)?
        .take(most.saturating_add(1))
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// From bytes to what is kept of them. The steps of `extgate::gate`, since the command is wanted too.
fn gate(bytes: &[u8], id: &str, folder: &Path) -> Result<Option<Dormant>, Rejection> {
    let document = Document::plugin(bytes)?;
    let Some(manifest) = document.extension()? else {
        return Ok(None);
    };
    let valid = manifest.validate()?;
    Ok(Some(Dormant {
        class: valid.class(),
        trigger: valid.earliest_trigger(),
        tools: valid.dormant_extension_tools(id),
        context_providers: valid.context_providers(id),
        pinned: valid.pin(id),
        folder: folder.to_owned(),
        command: valid.manifest().command().to_owned(),
        args: valid
            .manifest()
            .args()
            .take(ARGS_MAX + 1)
            .map(|one| one.into_owned())
            .collect(),
    }))
}

/// Why a call gave no result.
#[derive(Debug)]
pub(crate) enum CallError {
    /// No extension of that id is installed and accepted.
    NoExtension,
    /// Its command is not in its folder, or has more than 64 arguments.
    Command,
    /// Its command cannot be started.
    Start(io::Error),
    /// It did not answer in time.
    TimedOut,
    /// What it sent is no frame.
    Frame(FrameError),
    /// A message that it sent is not JSON within the gate's bounds.
    Malformed(Rejection),
    /// What it sent is no answer to what was asked.
    NotAnAnswer,
    /// It registered something other than what its manifest promised.
    Refused(Rejection),
    /// The tool was not among what was admitted.
    NotAdmitted,
    /// The parameters are no JSON.
    Params,
    /// It answered with an error, whose message is untrusted text.
    Failed(String),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoExtension => f.write_str("no such extension"),
            Self::Command => f.write_str("its command is not its own"),
            Self::Start(error) => write!(f, "cannot be started: {error}"),
            Self::TimedOut => f.write_str("no answer in time"),
            Self::Frame(error) => write!(f, "{error}"),
            Self::Malformed(rejection) => {
                write!(f, "sent what is no answer: {}", rejection.reason())
            }
            Self::NotAnAnswer => f.write_str("sent what is no answer to the request"),
            Self::Refused(rejection) => write!(f, "refused: {}", rejection.reason()),
            Self::NotAdmitted => f.write_str("the tool was not admitted"),
            Self::Params => f.write_str("the parameters are no JSON"),
            Self::Failed(message) => write!(f, "failed: {message:?}"),
        }
    }
}

impl std::error::Error for CallError {}

impl From<ReceiveError> for CallError {
    fn from(error: ReceiveError) -> Self {
        match error {
            ReceiveError::TimedOut => Self::TimedOut,
            ReceiveError::Frame(error) => Self::Frame(error),
        }
    }
}

/// The runtime lease: holds what it started, and lets go of all of it when it is dropped. It makes one
/// call at a time.
#[derive(Debug)]
pub(crate) struct Session<'h> {
    host: &'h Host,
    extensions: Mutex<BTreeMap<String, Extension>>,
}

/// An extension that was started in a session.
#[derive(Debug)]
enum Extension {
    Running(Running),
    /// It broke its promise, so it is not started again.
    Refused(Rejection),
}

impl<'c> RuntimeLease<'c> for Session<'_> {
    type Outcome = Result<String, CallError>;

    fn call(&'c self, call: LeaseCall<'c>) -> Self::Outcome {
        let params: Value = serde_json::from_str(call.params).map_err(|_| CallError::Params)?;
        let mut extensions = self
            .extensions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !extensions.contains_key(call.plugin_id) {
            let dormant = self
                .host
                .dormant(call.plugin_id)
                .ok_or(CallError::NoExtension)?;
            match Running::start(call.plugin_id, dormant, &self.host.options) {
                Ok(running) => {
                    extensions.insert(call.plugin_id.to_owned(), Extension::Running(running));
                }
                Err(error) => {
                    if let CallError::Refused(rejection) = error {
                        extensions.insert(call.plugin_id.to_owned(), Extension::Refused(rejection));
                    }
                    return Err(error);
                }
            }
        }
        let running = match extensions.get_mut(call.plugin_id) {
            Some(Extension::Running(running)) => running,
            Some(Extension::Refused(rejection)) => return Err(CallError::Refused(*rejection)),
            None => return Err(CallError::NoExtension),
        };
        if !running
            .tools
            .iter()
            .any(|(name, digest)| name == call.tool_name && digest == call.expected_digest)
        {
            return Err(CallError::NotAdmitted);
        }
        let deadline = Instant::now() + self.host.options.call;
        let request = json!({"name": call.tool_name, "input": params, "session_id": null});
        let outcome = running.ask("tool.call", &request, deadline, |document| {
            let result = document
                .root()
                .get("result")
                .ok_or(CallError::NotAnAnswer)?;
            Ok(result.source().to_owned())
        });
        // Whoever fails in speaking the protocol is not spoken to again; a tool may fail as it likes.
        if !matches!(outcome, Ok(_) | Err(CallError::Failed(_))) {
            extensions.remove(call.plugin_id);
        }
        outcome
    }
}

impl Session<'_> {
    /// The tools that an extension has registered: none before it runs, and none where it was refused.
    pub(crate) fn registered(&self, plugin: &str) -> Vec<String> {
        let extensions = self
            .extensions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match extensions.get(plugin) {
            Some(Extension::Running(running)) => {
                running.tools.iter().map(|(name, _)| name.clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The process ids of the running extensions.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let extensions = self
            .extensions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        extensions
            .values()
            .filter_map(|extension| match extension {
                Extension::Running(running) => Some(running.child.id()),
                Extension::Refused(_) => None,
            })
            .collect()
    }

    /// Asks every extension to end, and ends those that do not.
    pub(crate) fn close(self) {
        let extensions = self
            .extensions
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        for extension in extensions.into_values() {
            if let Extension::Running(mut running) = extension {
                let deadline = Instant::now() + self.host.options.shutdown;
                // The child is killed either way, so its answer says nothing.
                let _ = running.ask("shutdown", &Value::Null, deadline, |_| Ok(()));
            }
        }
    }
}

/// An extension that runs and was admitted.
#[derive(Debug)]
struct Running {
    child: Child,
    tools: Vec<(String, extgate::SchemaDigest)>,
    last_id: u64,
}

impl Running {
    /// Starts an extension and admits it. Dropping what is not admitted kills it.
    fn start(id: &str, dormant: &Dormant, options: &Options) -> Result<Self, CallError> {
        let mut command = command(dormant)?;
        if let Some(state) = &options.state {
            let folder = state.join(id);
            fs::create_dir_all(&folder).map_err(CallError::Start)?;
            command.env("PLUGIN_STATE", folder);
        }
        let deadline = Instant::now() + options.start;
        let mut running = Self {
            child: Child::start(&mut command).map_err(CallError::Start)?,
            tools: Vec::new(),
            last_id: 0,
        };
        let params = json!({
            "extension_protocol_version": 1,
            "plugin_id": id,
            "plugin_root": dormant.folder.to_string_lossy(),
            "config": {},
        });
        running.tools = running.ask("initialize", &params, deadline, |document| {
            let result = document.result().map_err(CallError::Refused)?;
            let admitted = dormant.pinned.admit(result).map_err(CallError::Refused)?;
            Ok(registered(&admitted))
        })?;
        Ok(running)
    }

    /// Sends a request and reads its answer. Notifications and requests of the child are passed over.
    fn ask<T>(
        &mut self,
        method: &str,
        params: &Value,
        deadline: Instant,
        read: impl FnOnce(&RuntimeDocument<'_>) -> Result<T, CallError>,
    ) -> Result<T, CallError> {
        self.last_id += 1;
        let id = self.last_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.child.send(request.to_string().into_bytes());
        for _ in 0..=PASSED_OVER_MAX {
            let body = self.child.receive(deadline)?;
            let document =
                RuntimeDocument::json_rpc_response(&body).map_err(CallError::Malformed)?;
            let root = document.root();
            let member = |name| root.get(name);
            if member("jsonrpc").and_then(|one| one.as_str()).as_deref() != Some("2.0") {
                return Err(CallError::NotAnAnswer);
            }
            if member("method").is_some() {
                continue;
            }
            if member("id").and_then(|one| one.as_u64()) != Some(id) {
                return Err(CallError::NotAnAnswer);
            }
            return match (member("result"), member("error")) {
                (Some(_), None) => read(&document),
                (None, Some(error)) => {
                    let message = error.get("message").and_then(|one| one.as_str());
                    let message = message.as_deref().unwrap_or_default();
                    Err(CallError::Failed(
                        message.chars().take(MESSAGE_MAX).collect(),
                    ))
                }
                _ => Err(CallError::NotAnAnswer),
            };
        }
        Err(CallError::NotAnAnswer)
    }
}

/// What is kept of an admitted result: the result itself goes with its bytes.
fn registered(admitted: &Admitted<'_>) -> Vec<(String, extgate::SchemaDigest)> {
    admitted
        .tools()
        .iter()
        .map(|tool| (tool.name().to_owned(), tool.schema_digest()))
        .collect()
}

/// The command of an extension, in its folder, with as little of our environment as it needs. A bare
/// name is looked up in `PATH`; a path must stay below the folder.
fn command(dormant: &Dormant) -> Result<Command, CallError> {
    let path = Path::new(&dormant.command);
    let inside = path
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !inside || dormant.args.len() > ARGS_MAX {
        return Err(CallError::Command);
    }
    let mut command = if path.components().count() == 1 {
        Command::new(path)
    } else {
        Command::new(dormant.folder.join(path))
    };
    command
        .args(&dormant.args)
        .current_dir(&dormant.folder)
        .env_clear();
    for name in ["PATH", "HOME", "SYSTEMROOT"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    Ok(command)
}
