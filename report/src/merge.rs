//! Joins the profiles of many processes of one image into one file.
//!
//! The file holds what every process counted one after the other, since entries and paths in flight are told for each by
//! itself (`entries.rs`); it is read like any profile. Its head is that of the first process, with the earliest start, the
//! latest end and the flags of all.

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow, bail};
use pathformat::profile::{FORKED, Head, INCOMPLETE, PARTIAL, Profile, UNREGISTERED_THREADS};

use crate::inputs::EXTENSION;
use crate::output;
use crate::profile::{self, ProfileFile};

/// Profiles by image: where it was, and its build-id.
pub type ByImage = BTreeMap<(PathBuf, Vec<u8>), Vec<ProfileFile>>;

/// Reads `profiles`; what cannot be read becomes a problem that names it.
pub fn read(profiles: &[PathBuf]) -> (ByImage, Vec<Error>) {
    let mut images = ByImage::new();
    let mut problems = Vec::new();
    for path in profiles {
        match profile::read(path) {
            Ok(Some(file)) => {
                images.entry((file.image.clone(), file.build_id.clone())).or_default().push(file);
            }
            Ok(None) => {}
            Err(error) => problems.push(anyhow!("{}: {error:#}", path.display())),
        }
    }
    (images, problems)
}

/// Merges the profiles of each image into `target`: a file, or a directory that gets a file for each image.
///
/// # Errors
/// Profiles of several images for one file, or a file that cannot be written.
pub fn write(images: &ByImage, target: &Path) -> Result<()> {
    let several = target.is_dir() || target.as_os_str().as_bytes().ends_with(b"/");
    if images.len() > 1 && !several {
        let names: Vec<_> = images.keys().map(|(image, _)| image.display().to_string()).collect();
        bail!(
            "the profiles are of {} images ({}); give a directory with -o DIR/, which gets a profile for each",
            names.len(),
            names.join(", ")
        );
    }
    let mut written = Vec::new();
    for (number, ((image, _), files)) in images.iter().enumerate() {
        let name = image.file_name().unwrap_or("image".as_ref()).display().to_string();
        let path = if several { free_name(target, &name, &written, number) } else { target.to_path_buf() };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)?;
        }
        let bytes = joined(files);
        output::to_file(&path, |out| Ok(out.write_all(&bytes)?))?;
        written.push(path);
    }
    Ok(())
}

/// Two images may have one name.
fn free_name(folder: &Path, name: &str, written: &[PathBuf], number: usize) -> PathBuf {
    let plain = folder.join(format!("{name}.{EXTENSION}"));
    if written.contains(&plain) { folder.join(format!("{name}-{}.{EXTENSION}", number + 1)) } else { plain }
}

fn joined(files: &[ProfileFile]) -> Vec<u8> {
    let Some(first) = files.first() else { return Vec::new() };
    let any = |flag: fn(&ProfileFile) -> bool, value: u32| if files.iter().any(flag) { value } else { 0 };
    let mut command_line = Vec::new();
    for argument in &first.run.command_line {
        command_line.extend(argument.as_bytes());
        command_line.push(0);
    }
    let head = Head {
        flags: any(|file| file.run.incomplete, INCOMPLETE)
            | any(|file| file.run.unregistered_threads, UNREGISTERED_THREADS)
            | any(|file| file.run.forked, FORKED)
            | any(|file| file.run.partial, PARTIAL),
        pid: first.run.pid,
        parent: first.run.parent,
        start: files.iter().map(|file| file.run.start).min().unwrap_or_default(),
        stop: files.iter().map(|file| file.run.stop).max().unwrap_or_default(),
        process_start: if files.len() == 1 { first.run.process_start } else { 0 },
        build_id: &first.build_id,
        image: first.image.as_os_str().as_bytes(),
        command_line: &command_line,
        directory: first.run.directory.as_bytes(),
        host: first.run.host.as_bytes(),
    };
    let (mut modules, mut maps) = (Vec::new(), Vec::new());
    for file in files {
        for (at, module) in file.modules.iter().enumerate() {
            for (_, map) in file.maps.iter().filter(|(first, _)| *first == at) {
                // A process that counted nothing has no module to which its map belongs.
                maps.retain(|(first, _)| *first != modules.len());
                maps.push((modules.len(), map.clone()));
            }
            modules.extend(Some(module).filter(|module| !module.counts.is_empty()).cloned());
        }
    }
    maps.retain(|(first, _)| *first < modules.len());
    Profile { head, modules, maps }.encode()
}
