//! Writes a whole file or none: readers never see half of it.

use std::fs::{File, Permissions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

/// Lets `write` write the file at `path`, which appears under its name when it is complete. Something
/// that exists and is no plain file (a pipe, a terminal) is written to as it is.
///
/// # Errors
/// Those of `write` and of the file system, naming `path`.
pub fn to_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let problem = || format!("cannot write {}", path.display());
    if path.exists() && !path.is_file() {
        let mut out = BufWriter::new(File::options().write(true).open(path).with_context(problem)?);
        write(&mut out)?;
        return out.flush().with_context(problem);
    }
    complete(path, write)?.persist(path).with_context(problem)?;
    Ok(())
}

/// Lets `write` write a file at `path`, where there is none. Should there be one by the time that it is complete, it stays.
///
/// # Errors
/// As for [`to_file`], and a file that is there.
pub fn to_new_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    complete(path, write)?.persist_noclobber(path).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

/// The complete file, under a name of its own beside `path`.
fn complete(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<NamedTempFile> {
    let problem = || format!("cannot write {}", path.display());
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !directory.is_dir() {
        bail!("cannot write {}: there is no directory {}", path.display(), directory.display());
    }
    // The usual mode of a new file; the system takes the umask off.
    let file = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(directory)
        .with_context(problem)?;
    let mut out = BufWriter::new(file);
    write(&mut out).with_context(problem)?;
    out.into_inner().map_err(|error| error.into_error()).with_context(problem)
}
