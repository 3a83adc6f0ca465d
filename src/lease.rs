//! The one way to execute a dormant tool: through a lease that the embedder holds.

use core::convert::Infallible;
use core::fmt;

use crate::digest::SchemaDigest;
use crate::dormant::DeferredExtensionTool;

/// One call of one tool, as its lease gets it.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaseCall<'c> {
    /// The owning plugin: the only extension that may be started for this call.
    pub plugin_id: &'c str,
    /// The tool's name, as declared.
    pub tool_name: &'c str,
    /// What the digest of the registered schema must be before the tool is called.
    pub expected_digest: &'c SchemaDigest,
    /// The parameters, as JSON text. They come from the caller and were not looked at.
    pub params: &'c str,
}

impl fmt::Debug for LeaseCall<'_> {
    /// Shows no parameter: they may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaseCall")
            .field("plugin_id", &self.plugin_id)
            .field("tool_name", &self.tool_name)
            .field("expected_digest", &self.expected_digest)
            .finish_non_exhaustive()
    }
}

/// A session's right to start extensions, implemented by the embedder.
///
/// The outcome is the implementor's own: a result at once, a future, a boxed future behind `dyn`.
/// The core depends on no runtime.
///
/// ```
/// use core::future::Future;
/// use core::pin::Pin;
/// use extgate::{LeaseCall, RuntimeLease};
///
/// struct Sync;
/// impl<'c> RuntimeLease<'c> for Sync {
///     type Outcome = Result<String, String>;
///     fn call(&'c self, call: LeaseCall<'c>) -> Self::Outcome {
///         Ok(format!("{} got {}", call.tool_name, call.params))
///     }
/// }
///
/// struct Async;
/// impl<'c> RuntimeLease<'c> for Async {
///     type Outcome = Pin<Box<dyn Future<Output = String> + Send + 'c>>;
///     fn call(&'c self, call: LeaseCall<'c>) -> Self::Outcome {
///         Box::pin(async move { format!("{} got {}", call.tool_name, call.params) })
///     }
/// }
///
/// let held: &dyn for<'c> RuntimeLease<'c, Outcome = Result<String, String>> = &Sync;
/// # let _ = (held, Async);
/// ```
pub trait RuntimeLease<'c> {
    /// What a call gives.
    type Outcome;

    /// Calls one tool. May start the extension of [`LeaseCall::plugin_id`], and no other.
    fn call(&'c self, call: LeaseCall<'c>) -> Self::Outcome;
}

/// The lease of who has none: `tool.execute(None::<&NoLease>, params)`. It has no values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoLease(Infallible);

impl<'c> RuntimeLease<'c> for NoLease {
    type Outcome = Infallible;

    fn call(&'c self, _: LeaseCall<'c>) -> Infallible {
        self.0
    }
}

/// Why a tool was not executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExecuteError {
    /// There is no lease; nothing was started and nothing was called.
    NoLease,
}

impl fmt::Display for ExecuteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tool is dormant and there is no runtime lease: nothing was started")
    }
}

impl core::error::Error for ExecuteError {}

impl DeferredExtensionTool {
    /// Executes the tool through a lease, which alone may start its extension.
    ///
    /// # Errors
    /// [`ExecuteError::NoLease`] without a lease: then nothing has happened.
    pub fn execute<'c, L: RuntimeLease<'c> + ?Sized>(
        &'c self,
        lease: Option<&'c L>,
        params: &'c str,
    ) -> Result<L::Outcome, ExecuteError> {
        let lease = lease.ok_or(ExecuteError::NoLease)?;
        Ok(lease.call(LeaseCall {
            plugin_id: self.plugin_id(),
            tool_name: self.tool_name(),
            expected_digest: self.expected_digest(),
            params,
        }))
    }
}
