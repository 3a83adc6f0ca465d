//! How a pin differs from the one that was approved before: what a host shows after an update.

use alloc::vec::Vec;
use core::fmt;

use crate::names::NameIndex;
use crate::path::numbered;
use crate::pin::PinnedManifest;
use crate::promise::{PinnedProvider, PinnedTool, Promise};
use crate::vocabulary::Permission;

/// One thing in which a pin differs from an earlier one. Names are those of tools and providers, as
/// they are declared; [`Display`](fmt::Display) escapes what hides in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PinChange<'p> {
    /// The pins are of two plugins.
    Plugin,
    /// Nothing was promised before, and now something is.
    PromiseAdded,
    /// Something was promised before, and now nothing is: the extension starts eagerly and is not matched.
    PromiseRemoved,
    /// The permission is requested now.
    PermissionAdded(Permission),
    /// The permission is no longer requested.
    PermissionRemoved(Permission),
    /// A tool of that name is promised now.
    ToolAdded(&'p str),
    /// The tool of that name is no longer promised.
    ToolRemoved(&'p str),
    /// The tool of that name has another description.
    ToolDescriptionChanged(&'p str),
    /// The tool of that name has another schema.
    ToolSchemaChanged(&'p str),
    /// A provider of that id is promised now.
    ProviderAdded(&'p str),
    /// The provider of that id is no longer promised.
    ProviderRemoved(&'p str),
    /// The provider of that id has another display name, description, config schema or models.
    ProviderChanged(&'p str),
}

impl fmt::Display for PinChange<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plugin => f.write_str("another plugin"),
            Self::PromiseAdded => f.write_str("a deferred block is new"),
            Self::PromiseRemoved => f.write_str("the deferred block is gone"),
            Self::PermissionAdded(one) => write!(f, "permission `{one}` is new"),
            Self::PermissionRemoved(one) => write!(f, "permission `{one}` is gone"),
            Self::ToolAdded(name) => write!(f, "tool {name:?} is new"),
            Self::ToolRemoved(name) => write!(f, "tool {name:?} is gone"),
            Self::ToolDescriptionChanged(name) => {
                write!(f, "tool {name:?} has another description")
            }
            Self::ToolSchemaChanged(name) => write!(f, "tool {name:?} has another schema"),
            Self::ProviderAdded(id) => write!(f, "provider {id:?} is new"),
            Self::ProviderRemoved(id) => write!(f, "provider {id:?} is gone"),
            Self::ProviderChanged(id) => write!(f, "provider {id:?} has changed"),
        }
    }
}

impl PinnedManifest {
    /// How this pin differs from one that was approved earlier: nothing where a runtime that keeps one
    /// keeps the other. The order of lists and the legacy alias make no difference.
    ///
    /// ```
    /// use extgate::{PinChange, gate};
    /// let manifest = |tools: &str| format!(
    ///     r#"{{"extension": {{"runtime": "process", "command": "demo",
    ///         "permissions": ["tools.register"], "deferred": {{"tools": [{tools}]}}}}}}"#
    /// );
    /// let list = r#"{"name": "list", "description": "Lists.", "input_schema": {}}"#;
    /// let wide = r#"{"name": "list", "description": "Lists.", "input_schema": {"type": "object"}}"#;
    /// let approved = gate(manifest(list).as_bytes(), "demo")?.expect("an extension").pinned;
    /// let updated = gate(manifest(wide).as_bytes(), "demo")?.expect("an extension").pinned;
    /// assert_eq!(updated.changes_since(&approved), [PinChange::ToolSchemaChanged("list")]);
    /// assert!(approved.changes_since(&approved).is_empty());
    /// # Ok::<(), extgate::Rejection>(())
    /// ```
    ///
    /// What a pin does not hold is not compared: the command, its arguments, hooks, configuration and
    /// context providers. Compare the manifest's bytes where these were approved too.
    #[must_use]
    pub fn changes_since<'p>(&'p self, approved: &'p Self) -> Vec<PinChange<'p>> {
        let mut changes = Vec::new();
        if self.plugin != approved.plugin {
            changes.push(PinChange::Plugin);
        }
        match (&approved.promise, &self.promise) {
            (None, Some(_)) => changes.push(PinChange::PromiseAdded),
            (Some(_), None) => changes.push(PinChange::PromiseRemoved),
            _ => {}
        }
        for permission in Permission::ALL.iter().copied() {
            match (
                approved.requested.contains(permission),
                self.requested.contains(permission),
            ) {
                (false, true) => changes.push(PinChange::PermissionAdded(permission)),
                (true, false) => changes.push(PinChange::PermissionRemoved(permission)),
                _ => {}
            }
        }
        compare(
            tools(&approved.promise),
            tools(&self.promise),
            PinnedTool::name,
            [PinChange::ToolAdded, PinChange::ToolRemoved],
            |before, after, changes| {
                if before.description() != after.description() {
                    changes.push(PinChange::ToolDescriptionChanged(after.name()));
                }
                if before.schema() != after.schema() {
                    changes.push(PinChange::ToolSchemaChanged(after.name()));
                }
            },
            &mut changes,
        );
        compare(
            providers(&approved.promise),
            providers(&self.promise),
            |provider| &provider.id,
            [PinChange::ProviderAdded, PinChange::ProviderRemoved],
            |before, after, changes| {
                if !same_provider(before, after) {
                    changes.push(PinChange::ProviderChanged(&after.id));
                }
            },
            &mut changes,
        );
        changes
    }
}

fn tools(promise: &Option<Promise>) -> &[PinnedTool] {
    promise.as_ref().map_or(&[], |promise| &promise.tools)
}

fn providers(promise: &Option<Promise>) -> &[PinnedProvider] {
    promise.as_ref().map_or(&[], |promise| &promise.providers)
}

/// Whether two providers are the same, models in whatever order.
fn same_provider(before: &PinnedProvider, after: &PinnedProvider) -> bool {
    let mut changed = Vec::new();
    compare(
        &before.models,
        &after.models,
        |model| &model.id,
        [|_| (), |_| ()],
        |before, after, changed| {
            if before != after {
                changed.push(());
            }
        },
        &mut changed,
    );
    changed.is_empty()
        && before.display_name == after.display_name
        && before.description == after.description
        && before.config_schema == after.config_schema
}

/// Two lists of named items: what is in one of them only, and how what is in both differs.
fn compare<'p, T, C>(
    before: &'p [T],
    after: &'p [T],
    name: impl Fn(&'p T) -> &'p str,
    [added, removed]: [fn(&'p str) -> C; 2],
    both: impl Fn(&'p T, &'p T, &mut Vec<C>),
    changes: &mut Vec<C>,
) {
    let old = NameIndex::new(numbered(before.iter().map(&name)));
    let new = NameIndex::new(numbered(after.iter().map(&name)));
    for item in after {
        let known = old
            .find(name(item))
            .and_then(|place| before.get(usize::try_from(place).ok()?));
        match known {
            Some(known) => both(known, item, changes),
            None => changes.push(added(name(item))),
        }
    }
    for item in before {
        if new.find(name(item)).is_none() {
            changes.push(removed(name(item)));
        }
    }
}
