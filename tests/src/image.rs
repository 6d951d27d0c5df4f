//! Reads the manifests that a linked image carries.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use object::{Object, ObjectSection};
use pathformat::ModuleId;
use pathformat::manifest::{Function, Manifest};
use pathformat::names::MANIFEST_SECTION;
use pathformat::record::Records;

use crate::FunctionId;

/// All modules of some images.
pub type Modules = BTreeMap<ModuleId, Manifest>;

/// Adds the modules of the image at `path`.
///
/// # Errors
/// An unreadable file, an image without manifests, or a damaged one.
pub fn read(path: &Path, modules: &mut Modules) -> Result<()> {
    let what = || format!("{}", path.display());
    let bytes = fs::read(path).with_context(what)?;
    let image = object::File::parse(&*bytes).with_context(what)?;
    let section = image.section_by_name(MANIFEST_SECTION).with_context(what);
    let section = section.context("the image has no manifests: was it built with pathcc?")?;
    let content = section.uncompressed_data().with_context(what)?;
    for record in Records::new(&content) {
        let record = record
            .map_err(|error| anyhow!("{}: a manifest is damaged: {error}", path.display()))?;
        record.verify().map_err(|error| {
            anyhow!("{}: {} is damaged: {error}", path.display(), record.head.id)
        })?;
        let payload =
            zstd::bulk::decompress(record.stored, usize::try_from(record.head.raw_length)?)?;
        let manifest =
            Manifest::decode(&payload).map_err(|error| anyhow!("{}: {error}", path.display()))?;
        // Two images may contain the same object.
        let known = modules.entry(record.head.id).or_insert_with(|| manifest.clone());
        ensure!(
            *known == manifest,
            "{}: module {} is another one elsewhere",
            path.display(),
            record.head.id
        );
    }
    Ok(())
}

/// The function with this identity.
///
/// # Errors
/// If no image has it.
pub fn function(modules: &Modules, (module, index): FunctionId) -> Result<&Function> {
    let manifest =
        modules.get(&module).with_context(|| format!("no image has the module {module}"))?;
    let function = manifest.functions.get(index as usize);
    function.with_context(|| format!("{} has no function number {index}", manifest.source))
}
