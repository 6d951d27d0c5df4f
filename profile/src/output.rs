//! Writes a complete file or none: readers never see a part of it.

use std::fs::{File, Metadata};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::Path;

use anyhow::{Context, Result, bail};
use tempfile::NamedTempFile;

/// The mode of a new file, before the system applies the umask.
const USUAL_MODE: u32 = 0o666;

/// Lets `write` write the file at `path`, which appears under its name when it is complete. An
/// existing file that is not regular (a pipe, a terminal) is written to directly.
///
/// # Errors
/// Those of `write` and of the file system, naming `path`.
pub fn to_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let problem = || format!("cannot write {}", path.display());
    refuse_directory(path)?;
    if path.exists() && !path.is_file() {
        let mut out = BufWriter::new(File::options().write(true).open(path).with_context(problem)?);
        write(&mut out)?;
        return out.flush().with_context(problem);
    }
    complete(path, USUAL_MODE, write)?.persist(path).with_context(problem)?;
    Ok(())
}

fn refuse_directory(path: &Path) -> Result<()> {
    if path.is_dir() {
        bail!("cannot write {0}: it is a directory; name a file in it", path.display());
    }
    Ok(())
}

/// Does the same as [`to_file`] for a file with many pages of zeros. They become holes, which take
/// no room on the disk.
///
/// # Errors
/// Those of [`to_file`].
pub fn to_sparse_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    if path.exists() && !path.is_file() {
        return to_file(path, write);
    }
    let problem = || format!("cannot write {}", path.display());
    let mut out = Sparse(begin(path, USUAL_MODE)?);
    write(&mut out).with_context(problem)?;
    let Sparse(mut file) = out;
    // The file may end in a hole.
    let length = file.stream_position().with_context(problem)?;
    file.as_file().set_len(length).with_context(problem)?;
    file.persist(path).with_context(problem)?;
    Ok(())
}

/// A new file with holes in place of pages of zeros.
struct Sparse(NamedTempFile);

impl Write for Sparse {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        const PAGE: usize = 4096;
        let is_zero = |page: &[u8]| page.iter().all(|&byte| byte == 0);
        let pages = || bytes.chunks(PAGE);
        let zeros: usize = pages().take_while(|page| is_zero(page)).map(<[u8]>::len).sum();
        if zeros > 0 {
            self.0.seek(SeekFrom::Current(i64::try_from(zeros).unwrap_or(i64::MAX)))?;
            return Ok(zeros);
        }
        let others: usize = pages().take_while(|page| !is_zero(page)).map(<[u8]>::len).sum();
        self.0.write(&bytes[..others])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Lets `write` write a new file at `path`. A file that was created there meanwhile stays.
///
/// # Errors
/// As for [`to_file`], and there is a file at `path`.
pub fn to_new_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    complete(path, USUAL_MODE, write)?
        .persist_noclobber(path)
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(())
}

/// Lets `write` write a file that replaces the one at `path`, with the mode of `old` and, as far as
/// permitted, its owner and group. The new file is on the disk before the old one is gone.
///
/// # Errors
/// As for [`to_file`].
pub fn replace(
    path: &Path,
    old: &Metadata,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let problem = || format!("cannot write {}", path.display());
    // No other user may read it before it has the mode of the old file.
    let new = complete(path, 0o600, write)?;
    // The group alone or the owner alone may be permitted. The mode comes last, since a change of
    // owner may clear bits.
    let (owner, group) = (old.uid(), old.gid());
    let _ = fchown(new.as_file(), None, Some(group));
    let _ = fchown(new.as_file(), Some(owner), None);
    new.as_file().set_permissions(old.permissions()).with_context(problem)?;
    new.as_file().sync_all().with_context(problem)?;
    new.persist(path).with_context(problem)?;
    Ok(())
}

/// Returns true if both are of the same file.
pub fn is_one_file(one: &Metadata, other: &Metadata) -> bool {
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Writes the complete file, under a temporary name beside `path`.
fn complete(
    path: &Path,
    mode: u32,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<NamedTempFile> {
    let problem = || format!("cannot write {}", path.display());
    let mut out = BufWriter::new(begin(path, mode)?);
    write(&mut out).with_context(problem)?;
    out.into_inner().map_err(|error| error.into_error()).with_context(problem)
}

/// Creates a file, under a temporary name beside `path`.
fn begin(path: &Path, mode: u32) -> Result<NamedTempFile> {
    let problem = || format!("cannot write {}", path.display());
    let directory =
        path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !directory.is_dir() {
        bail!("cannot write {}: there is no directory {}", path.display(), directory.display());
    }
    // If tempfile opens the file itself, its errors name the temporary path beside that of the
    // user.
    let open =
        |path: &Path| File::options().read(true).write(true).create_new(true).mode(mode).open(path);
    tempfile::Builder::new().make_in(directory, open).with_context(problem)
}
