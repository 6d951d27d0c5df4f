//! Appends a record to a profile in one write, under the file's lock.
//!
//! Many processes may end at once and share a file. Each waits for the lock for a second at most,
//! since the process that holds it may have been stopped. Where no lock can be had, as on some
//! network file systems, the process writes a file of its own. A record that does not fit whole is
//! cut off again. A file that is no profile, or that this user may not write, is left alone.

use pathformat::profile;
use process::origin::Origin;
use process::sys::{self, File, FileKind, FilePlace, Locked, OpenError};
use process::text::Path;

/// The first word of a profile.
const MAGIC: u64 = u64::from_le_bytes(profile::MAGIC);

/// The first wait for the lock, in nanoseconds. Each wait is twice the one before ...
const FIRST_WAIT: u64 = 50_000;

/// ... up to this.
const LONGEST_WAIT: u64 = 12_800_000;

/// The length of all waits together, in nanoseconds.
const PATIENCE: u64 = 1_000_000_000;

/// The number of times that another file may replace the one that was opened.
const MOST_TIMES: u32 = 8;

/// The reason why nothing was appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The file cannot be appended to. Another name may be free.
    Taken,
    /// Nothing can be written there.
    Failed(OpenError),
    /// The record is out of date.
    Stale,
}

/// Appends a record to the profile at `path`, which is created if it does not exist. `is_current`
/// is called when nobody else can append. Returns the file, which is locked until it is closed, and
/// its length before.
pub(crate) fn append(
    origin: &Origin,
    path: &mut Path,
    record: &[u8],
    is_current: impl Fn() -> bool,
) -> Result<(File, u64), Refusal> {
    let place = origin.place(path).ok_or(Refusal::Failed(OpenError::Other))?;
    for _ in 0..MOST_TIMES {
        let (file, is_new) = open(place)?;
        let locked = lock(&file);
        if locked == Locked::Busy || locked == Locked::Never && !is_new {
            return Err(Refusal::Taken);
        }
        let (identity, before) = file.regular().ok_or(Refusal::Taken)?;
        // `pathprof compact` replaces the file that it has summed by another.
        if identity != sys::identity_of(place) {
            continue;
        }
        let mut start = [0];
        if before > 0 && (file.read_words_at(&mut start, 0) != 1 || start != [MAGIC]) {
            return Err(Refusal::Taken);
        }
        if !is_current() {
            return Err(Refusal::Stale);
        }
        // Beyond the limit a signal would end the program.
        let fits = before
            .checked_add(record.len() as u64)
            .is_some_and(|after| after <= sys::file_size_limit());
        if fits && file.write_all(record) {
            return Ok((file, before));
        }
        file.cut(before);
        if is_new && before == 0 {
            sys::unlink(place);
        }
        return Err(Refusal::Failed(OpenError::Other));
    }
    Err(Refusal::Taken)
}

/// Opens the file. The second value is true if it was created.
fn open(place: FilePlace<'_>) -> Result<(File, bool), Refusal> {
    File::append(place).map_err(|error| match error {
        OpenError::Limit => Refusal::Failed(error),
        // A link, a directory, or a file of another user.
        _ if sys::kind_of_entry(place) != FileKind::Nothing => Refusal::Taken,
        _ => Refusal::Failed(error),
    })
}

/// Takes the lock of a file, with [`PATIENCE`].
fn lock(file: &File) -> Locked {
    let mut wait = FIRST_WAIT;
    let mut waited = 0;
    loop {
        let locked = file.lock();
        if locked != Locked::Busy || waited >= PATIENCE {
            return locked;
        }
        sys::sleep(wait);
        waited += wait;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("pathrt-append-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("the temporary directory is writable");
        folder
    }

    fn appended(path: &std::path::Path, record: &[u8]) -> Result<(), Refusal> {
        let mut text = Path::new();
        text.push_all(path.as_os_str().as_encoded_bytes());
        append(&Box::new(Origin::new()), &mut text, record, || true).map(drop)
    }

    #[test]
    fn records_follow_each_other() {
        let folder = folder("records");
        let file = folder.join("x.pathprof");
        for round in 1..4 {
            assert_eq!(appended(&file, b"PATHPROF and more"), Ok(()));
            assert_eq!(fs::read(&file).expect("written"), b"PATHPROF and more".repeat(round));
        }
        assert_eq!(
            appended(&folder.join("none/x"), b"PATHPROF"),
            Err(Refusal::Failed(OpenError::Missing))
        );
        fs::remove_dir_all(folder).expect("ours");
    }

    #[test]
    fn what_is_out_of_date_is_not_appended() {
        let folder = folder("stale");
        let mut text = Path::new();
        text.push_all(folder.join("x.pathprof").as_os_str().as_encoded_bytes());
        let origin = Box::new(Origin::new());
        let stale = append(&origin, &mut text, b"PATHPROF", || false).map(drop);
        assert_eq!(stale, Err(Refusal::Stale));
        assert_eq!(fs::read(folder.join("x.pathprof")).expect("made"), b"");
        fs::remove_dir_all(folder).expect("ours");
    }

    #[test]
    fn what_is_no_profile_is_left_alone() {
        let folder = folder("taken");
        let at = |name: &str| folder.join(name);
        fs::write(at("text"), "some text").expect("writable");
        fs::write(at("short"), "PATH").expect("writable");
        fs::write(at("empty"), "").expect("writable");
        fs::create_dir(at("folder")).expect("writable");
        symlink(at("empty"), at("link")).expect("writable");
        symlink("/dev/null", at("null")).expect("writable");
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status();
        assert!(made.is_ok_and(|status| status.success()), "a pipe can be made");
        for taken in ["text", "short", "folder", "link", "null", "pipe"] {
            assert_eq!(appended(&at(taken), b"PATHPROF"), Err(Refusal::Taken), "{taken}");
        }
        assert_eq!(fs::read(at("text")).expect("there"), b"some text");
        assert_eq!(appended(&at("empty"), b"PATHPROF"), Ok(()));
        assert_eq!(fs::read(at("empty")).expect("there"), b"PATHPROF");
        assert_eq!(appended(std::path::Path::new("/dev/full"), b"PATHPROF"), Err(Refusal::Taken));
        fs::remove_dir_all(folder).expect("ours");
    }

    #[test]
    fn whoever_holds_the_lock_is_not_waited_for_without_end() {
        let folder = folder("lock");
        let file = folder.join("x.pathprof");
        assert_eq!(appended(&file, b"PATHPROF"), Ok(()));
        let held = fs::File::open(&file).expect("written");
        held.lock().expect("nobody else has it");
        assert_eq!(appended(&file, b"PATHPROF"), Err(Refusal::Taken));
        held.unlock().expect("ours");
        assert_eq!(appended(&file, b"PATHPROF"), Ok(()));
        fs::remove_dir_all(folder).expect("ours");
    }
}
