//! Creates a raw file under a name that is free.

use process::environment::Environment;
use process::sys::{File, OpenError};
use process::target;
use process::text::Path;

use crate::collected::BUFFER;

/// Scratch space, kept off the stack.
pub(crate) struct Room {
    pub(crate) scratch: Path,
    pub(crate) other: Path,
    pub(crate) buffer: [u8; BUFFER],
}

impl Room {
    /// Creates empty space.
    pub(crate) const fn new() -> Self {
        let [scratch, other] = [Path::new(), Path::new()];
        Self { scratch, other, buffer: [0; BUFFER] }
    }
}

/// Creates a raw file for a profile under a name that is free, and writes its path to `path`.
pub(crate) fn create_free(
    environment: &Environment,
    profile: &Path,
    path: &mut Path,
) -> Result<File, OpenError> {
    let mut number = 0;
    loop {
        let free = target::free_raw(environment, number + 1, profile, path);
        number = free.ok_or(OpenError::Other)?;
        let place = environment.origin.place(path).ok_or(OpenError::Other)?;
        match File::create(place) {
            Err(OpenError::Exists) => {}
            result => return result,
        }
    }
}
