//! What a reviewer should see in what a runtime registered, beside what refuses it (section 11).

use alloc::vec::Vec;

use crate::differences::differences;
use crate::finding::{Finding, FindingCode, FindingDetail, Findings, Report};
use crate::json::{Json, RuntimeDocument};
use crate::names::NameIndex;
use crate::path::{Field, Path, Place, numbered};
use crate::reason::Side;
use crate::runtime::InitializeResult;
use crate::shape;
use crate::survey;
use crate::valid::ValidManifest;

/// Whether two texts that differ are one text in two Unicode normal forms.
type SameText<'s> = &'s dyn Fn(&str, &str) -> bool;

impl RuntimeDocument<'_> {
    /// The findings of an initialize result beside its manifest, be it admitted or not: members that
    /// the host does not read, characters that cannot be seen, names that are not declared, and texts
    /// that differ from the declared ones in Unicode normal form only.
    ///
    /// `same_text` says of two texts that differ whether they are one text in two Unicode normal forms,
    /// for which this crate has no tables; `&|_, _| false` will do.
    ///
    /// ```
    /// # use extgate::{Document, RuntimeDocument};
    /// let manifest = Document::plugin(br#"{"extension": {
    ///     "runtime": "process", "command": "demo", "permissions": ["tools.register"],
    ///     "deferred": {"tools": [{"name": "rm", "description": "Removes.", "input_schema": {}}]}
    /// }}"#)?;
    /// let valid = manifest.extension()?.expect("an extension").validate()?;
    /// let sent = RuntimeDocument::initialize_result(br#"{"protocol_version": 1, "capabilities": {"tools": [
    ///     {"name": "rm", "description": "Removes.", "input_schema": {}, "annotations": {"readOnlyHint": true}}
    /// ]}}"#)?;
    /// let codes: Vec<&str> = sent.findings(&valid, &|_, _| false).map(|one| one.code().as_str()).collect();
    /// assert_eq!(codes, ["dropped_member"]);
    /// # Ok::<(), extgate::Rejection>(())
    /// ```
    #[must_use]
    pub fn findings(&self, manifest: &ValidManifest<'_>, same_text: SameText<'_>) -> Findings {
        Findings::collect(|report| {
            let (Some(value), Ok(result)) = (self.result_value(), self.result()) else {
                return;
            };
            survey::survey(
                value,
                &shape::INITIALIZE_RESULT,
                result.place.path(),
                Side::Runtime,
                FindingCode::DroppedMember,
                report,
            );
            if manifest.manifest().deferred().is_some() {
                tools(manifest, &result, same_text, report);
                providers(manifest, &result, same_text, report);
            }
        })
    }
}

fn other_normal_form(path: Path, declared: Path, report: Report<'_>) {
    report(
        Finding::new(
            FindingCode::OtherNormalForm,
            Side::Runtime,
            Place::Value(path),
        )
        .with(FindingDetail::Other(declared)),
    );
}

/// Registered names beyond this many are not held to declared ones in other normal forms.
const MOST_NAMES_COMPARED: usize = 256;

/// Reports each registered name that is not declared, and calls `both` for the first of each that is,
/// with the places of the two.
fn pair<'n>(
    declared: &[&'n str],
    registered: &[&'n str],
    same_text: SameText<'_>,
    report: Report<'_>,
    at: impl Fn(u32) -> Path,
    declared_at: impl Fn(u32) -> Path,
    mut both: impl FnMut(u32, u32, Report<'_>),
) {
    let index = NameIndex::new(numbered(declared.iter().copied()));
    let present = NameIndex::new(numbered(registered.iter().copied()));
    let mut compared = 0;
    for (place, name) in numbered(registered.iter()) {
        if let Some(promised) = index.find(name) {
            if present.find(name) == Some(place) {
                both(promised, place, report);
            }
            continue;
        }
        compared += 1;
        let alike = numbered(declared.iter()).find(|(_, other)| {
            compared <= MOST_NAMES_COMPARED
                && present.find(other).is_none()
                && same_text(other, name)
        });
        match alike {
            Some((promised, _)) => other_normal_form(at(place), declared_at(promised), report),
            None => report(Finding::new(
                FindingCode::UndeclaredRegistration,
                Side::Runtime,
                Place::Value(at(place)),
            )),
        }
    }
}

fn at<T>(items: &[T], place: u32) -> Option<&T> {
    items.get(usize::try_from(place).ok()?)
}

fn tools(
    manifest: &ValidManifest<'_>,
    result: &InitializeResult<'_>,
    same_text: SameText<'_>,
    report: Report<'_>,
) {
    let Some(block) = manifest.manifest().deferred() else {
        return;
    };
    let declared_list = block.place.path().field(Field::Tools);
    let list = result.place.list(Field::Tools);
    let declared: Vec<&str> = block.tools().iter().map(|tool| tool.name()).collect();
    let registered: Vec<&str> = result.tools().iter().map(|tool| tool.name()).collect();
    pair(
        &declared,
        &registered,
        same_text,
        report,
        |place| list.index(place).field(Field::Name),
        |place| declared_list.index(place).field(Field::Name),
        |promised, place, report| {
            let (Some(tool), Some(live)) = (at(block.tools(), promised), at(result.tools(), place))
            else {
                return;
            };
            let (of, to) = (list.index(place), declared_list.index(promised));
            text(
                tool.description(),
                live.description(),
                (of.field(Field::Description), to.field(Field::Description)),
                same_text,
                report,
            );
            schema(
                Some(tool.input_schema()),
                Some(live.input_schema()),
                (of.field(Field::InputSchema), to.field(Field::InputSchema)),
                same_text,
                report,
            );
        },
    );
}

fn providers(
    manifest: &ValidManifest<'_>,
    result: &InitializeResult<'_>,
    same_text: SameText<'_>,
    report: Report<'_>,
) {
    let Some(block) = manifest.manifest().deferred() else {
        return;
    };
    let declared_list = block.place.path().field(Field::Providers);
    let list = result.place.list(Field::Providers);
    let declared: Vec<&str> = block.providers().iter().map(|one| one.id()).collect();
    let registered: Vec<&str> = result.providers().iter().map(|one| one.id()).collect();
    pair(
        &declared,
        &registered,
        same_text,
        report,
        |place| list.index(place).field(Field::Id),
        |place| declared_list.index(place).field(Field::Id),
        |promised, place, report| {
            let (Some(provider), Some(live)) = (
                at(block.providers(), promised),
                at(result.providers(), place),
            ) else {
                return;
            };
            let (of, to) = (list.index(place), declared_list.index(promised));
            for (declared, registered, field) in [
                (
                    provider.display_name(),
                    live.display_name(),
                    Field::DisplayName,
                ),
                (
                    provider.description(),
                    live.description(),
                    Field::Description,
                ),
            ] {
                let places = (of.field(field), to.field(field));
                text(declared, registered, places, same_text, report);
            }
            schema(
                provider.config_schema(),
                live.config_schema(),
                (of.field(Field::ConfigSchema), to.field(Field::ConfigSchema)),
                same_text,
                report,
            );
            let (of, to) = (of.field(Field::Models), to.field(Field::Models));
            let promised: Vec<_> = provider.models().collect();
            let sent: Vec<_> = live.models().collect();
            let declared: Vec<&str> = promised.iter().map(|model| model.id()).collect();
            let registered: Vec<&str> = sent.iter().map(|model| model.id()).collect();
            pair(
                &declared,
                &registered,
                same_text,
                report,
                |place| of.index(place).field(Field::Id),
                |place| to.index(place).field(Field::Id),
                |_, _, _| {},
            );
        },
    );
}

fn text(
    declared: &str,
    registered: &str,
    (path, declared_path): (Path, Path),
    same_text: SameText<'_>,
    report: Report<'_>,
) {
    if declared != registered && same_text(declared, registered) {
        other_normal_form(path, declared_path, report);
    }
}

fn schema(
    declared: Option<Json<'_>>,
    registered: Option<Json<'_>>,
    (path, declared_path): (Path, Path),
    same_text: SameText<'_>,
    report: Report<'_>,
) {
    /// Enough to see that all are of one kind.
    const MOST: usize = 100;
    if let (Some(declared), Some(registered)) = (declared, registered)
        && differences(declared, registered, MOST, same_text).are_of_normal_form()
    {
        other_normal_form(path, declared_path, report);
    }
}
