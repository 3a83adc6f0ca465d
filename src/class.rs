//! Section 6: what kind of extension a manifest declares, and what may start it first.

use crate::manifest::{DeferredDeclarations, DeferredLifecycle, ExtensionManifest};

/// What kind of extension a manifest declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExtensionClass {
    /// No deferred block, or one without components: started with the host.
    LegacyEager,
    /// Tools alone.
    ToolOnly,
    /// Model providers alone.
    Provider,
    /// Hooks alone.
    HookLifecycle,
    /// Started by the user alone.
    UiSidecar,
    /// Context providers alone.
    ContextProvider,
    /// Two or more of them.
    Mixed,
}

impl ExtensionClass {
    /// Every class.
    pub const ALL: [Self; 7] = [
        Self::LegacyEager,
        Self::ToolOnly,
        Self::Provider,
        Self::HookLifecycle,
        Self::UiSidecar,
        Self::ContextProvider,
        Self::Mixed,
    ];

    /// The class as a snake_case word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LegacyEager => "legacy_eager",
            Self::ToolOnly => "tool_only",
            Self::Provider => "provider",
            Self::HookLifecycle => "hook_lifecycle",
            Self::UiSidecar => "ui_sidecar",
            Self::ContextProvider => "context_provider",
            Self::Mixed => "mixed",
        }
    }
}

/// What may start an extension. The order is that of time: the earliest is the least, so the trigger
/// of a manifest is the [`min`](Ord::min) of its components' triggers.
///
/// ```
/// use extgate::ActivationTrigger::*;
/// assert!(Eager < FirstAuthorizedHookEvent && FirstAuthorizedHookEvent < ProviderSelection);
/// assert!(ProviderSelection < ExactToolActivation && ExactToolActivation < UserAction);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ActivationTrigger {
    /// The host's own start.
    Eager,
    /// The first event of a hook that the extension may see.
    FirstAuthorizedHookEvent,
    /// The choice of one of its model providers.
    ProviderSelection,
    /// The activation of exactly one of its tools.
    ExactToolActivation,
    /// An explicit action of the user.
    UserAction,
}

impl ActivationTrigger {
    /// Every trigger, earliest first.
    pub const ALL: [Self; 5] = [
        Self::Eager,
        Self::FirstAuthorizedHookEvent,
        Self::ProviderSelection,
        Self::ExactToolActivation,
        Self::UserAction,
    ];

    /// The trigger as a snake_case word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Eager => "eager",
            Self::FirstAuthorizedHookEvent => "first_authorized_hook_event",
            Self::ProviderSelection => "provider_selection",
            Self::ExactToolActivation => "exact_tool_activation",
            Self::UserAction => "user_action",
        }
    }
}

impl core::fmt::Display for ExtensionClass {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl core::fmt::Display for ActivationTrigger {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a manifest with a deferred block can be made of: its class alone, its trigger.
const COMPONENTS: [(ExtensionClass, ActivationTrigger); 5] = [
    (
        ExtensionClass::HookLifecycle,
        ActivationTrigger::FirstAuthorizedHookEvent,
    ),
    (
        ExtensionClass::Provider,
        ActivationTrigger::ProviderSelection,
    ),
    (
        ExtensionClass::ToolOnly,
        ActivationTrigger::ExactToolActivation,
    ),
    (
        ExtensionClass::ContextProvider,
        ActivationTrigger::UserAction,
    ),
    (ExtensionClass::UiSidecar, ActivationTrigger::UserAction),
];

/// Whether a deferred block has no component of its own.
pub(crate) fn declares_nothing(declared: &DeferredDeclarations<'_>) -> bool {
    declared.tool_count == 0
        && declared.provider_count == 0
        && declared.context_provider_count == 0
        && declared.lifecycle().is_none()
}

/// The components that a manifest has, in the order of [`COMPONENTS`].
fn components(
    manifest: &ExtensionManifest<'_>,
) -> impl Iterator<Item = (ExtensionClass, ActivationTrigger)> + use<> {
    let present = manifest.deferred().map_or([false; 5], |declared| {
        [
            manifest.has_hooks() || declared.lifecycle() == Some(DeferredLifecycle::Hook),
            declared.provider_count > 0,
            declared.tool_count > 0,
            declared.context_provider_count > 0,
            declared.lifecycle() == Some(DeferredLifecycle::User),
        ]
    });
    COMPONENTS
        .into_iter()
        .zip(present)
        .filter_map(|(component, present)| present.then_some(component))
}

/// The class of a manifest: legacy without a component, that of its one component, else mixed.
#[must_use]
pub fn classify(manifest: &ExtensionManifest<'_>) -> ExtensionClass {
    let mut components = components(manifest);
    match (components.next(), components.next()) {
        (None, _) => ExtensionClass::LegacyEager,
        (Some((class, _)), None) => class,
        (Some(_), Some(_)) => ExtensionClass::Mixed,
    }
}

/// The least of the components' triggers; `Eager` without a component.
#[must_use]
pub fn earliest_trigger(manifest: &ExtensionManifest<'_>) -> ActivationTrigger {
    components(manifest)
        .map(|(_, trigger)| trigger)
        .min()
        .unwrap_or(ActivationTrigger::Eager)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn words_are_shown_as_they_are_written() {
        for class in ExtensionClass::ALL {
            assert_eq!(class.to_string(), class.as_str());
            assert!(!class.as_str().is_empty());
        }
        for trigger in ActivationTrigger::ALL {
            assert_eq!(trigger.to_string(), trigger.as_str());
        }
        assert_eq!(ExtensionClass::UiSidecar.to_string(), "ui_sidecar");
        assert_eq!(ActivationTrigger::Eager.to_string(), "eager");
    }
}
