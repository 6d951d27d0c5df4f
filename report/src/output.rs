//! Writes a whole file or none: readers never see half of it.

use std::fs::{File, Permissions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail};

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
    let file = out.into_inner().map_err(|error| error.into_error()).with_context(problem)?;
    file.persist(path).with_context(problem)?;
    Ok(())
}
