//! From a read document to the proof that its extension may exist.

use core::ops::ControlFlow::{self, Break, Continue};

use crate::class::{self, ActivationTrigger, ExtensionClass};
use crate::json::Document;
use crate::manifest::ExtensionManifest;
use crate::path::{Field, Path};
use crate::reason::{FirstFault, Rejection, Side, Sink, first_fault};
use crate::rules;
use crate::shape;

impl Document<'_> {
    /// Decodes the extension block (section 2); `None` for a plugin that is no extension.
    ///
    /// # Errors
    /// A rejection of category [`Shape`](crate::Category::Shape): the first by position.
    pub fn extension(&self) -> Result<Option<ExtensionManifest<'_>>, Rejection> {
        let Some(block) = self.extension_value() else {
            return Ok(None);
        };
        first_fault(shape::check(
            block,
            &shape::EXTENSION,
            Path::of(Field::Extension),
            Side::Manifest,
            &mut FirstFault,
        ))?;
        Ok(Some(ExtensionManifest::of(block)))
    }

    /// Reports every fault that can be found, in the order in which they rank: the first one reported
    /// is the one by which [`Document::extension`] or [`ExtensionManifest::validate`] refuses. A member
    /// whose shape is refused is passed over by the rules, so that one fault is reported once.
    ///
    /// ```
    /// use core::ops::ControlFlow;
    /// let bytes = br#"{"extension": {"runtime": "process", "command": " ", "permissions": ["all"]}}"#;
    /// let document = extgate::Document::plugin(bytes)?;
    /// let mut codes = Vec::new();
    /// let _ = document.check(&mut |fault: extgate::Rejection| {
    ///     codes.push(fault.reason().as_str());
    ///     ControlFlow::<()>::Continue(())
    /// });
    /// assert_eq!(codes, ["empty_command", "no_hook_or_registration_permission", "unknown_permission"]);
    /// # Ok::<(), extgate::Rejection>(())
    /// ```
    ///
    /// The result is `Break` where the sink ended the checking.
    pub fn check<S: Sink>(&self, sink: &mut S) -> ControlFlow<S::Stop> {
        let Some(block) = self.extension_value() else {
            return Continue(());
        };
        shape::check(
            block,
            &shape::EXTENSION,
            Path::of(Field::Extension),
            Side::Manifest,
            sink,
        )?;
        if block.is_object() {
            rules::manifest(&ExtensionManifest::of(block), sink)?;
        }
        Continue(())
    }

    /// Whether the document has a fault, and if so its first: [`Document::check`] in short.
    #[must_use]
    pub fn first_fault(&self) -> Option<Rejection> {
        match self.check(&mut FirstFault) {
            Break(rejection) => Some(rejection),
            Continue(()) => None,
        }
    }
}

impl<'d> ExtensionManifest<'d> {
    /// Holds the manifest to the rules of sections 5, 3 and 4.
    ///
    /// # Errors
    /// The first fault, of category [`LegacyAlias`](crate::Category::LegacyAlias),
    /// [`Deferred`](crate::Category::Deferred) or [`Manifest`](crate::Category::Manifest).
    pub fn validate(self) -> Result<ValidManifest<'d>, Rejection> {
        first_fault(rules::manifest(&self, &mut FirstFault))?;
        Ok(ValidManifest { manifest: self })
    }
}

/// The proof that a manifest keeps every rule. Made by [`ExtensionManifest::validate`], and by nothing else.
#[derive(Debug, Clone)]
#[must_use = "a proof that is dropped allows nothing"]
pub struct ValidManifest<'d> {
    manifest: ExtensionManifest<'d>,
}

impl<'d> ValidManifest<'d> {
    /// The manifest.
    #[must_use]
    pub fn manifest(&self) -> &ExtensionManifest<'d> {
        &self.manifest
    }

    /// What kind of extension this is (section 6).
    #[must_use]
    pub fn class(&self) -> ExtensionClass {
        class::classify(&self.manifest)
    }

    /// What may start it first (section 6).
    #[must_use]
    pub fn earliest_trigger(&self) -> ActivationTrigger {
        class::earliest_trigger(&self.manifest)
    }
}
