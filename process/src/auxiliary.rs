//! The auxiliary vector, in which the kernel describes a process when it executes a program.
//!
//! It is read from `/proc/self/auxv`. Where that cannot be read, the vector comes from `prctl`
//! (since Linux 6.4), or from where the kernel has put it: on the stack, behind the variables with
//! which the program was started.

use linux_raw_sys::auxvec::{AT_EXECFN, AT_NULL, AT_RANDOM, AT_SECURE};

use crate::proc::{self, Library};
use crate::sys::thread::is_readable;
use crate::sys::{self, File, OpenError};
use crate::text::Text;

/// The largest number of entries. The kernel has about 25.
const MOST: usize = 64;

/// The largest distance from the vector up to the texts to which it points. The texts of the
/// arguments and variables are in between.
const REACH: u64 = 16 << 20;

/// The length of the parts in which texts are probed. A part is never on two pages.
const PART: usize = 8;

/// An entry: its kind and its value.
type Entry = [u64; 2];

/// An auxiliary vector.
#[derive(Debug)]
pub struct Vector {
    entries: [Entry; MOST],
}

impl Vector {
    /// Reads the vector of this process.
    ///
    /// # Errors
    /// The vector cannot be read in any way. The error is that of opening `/proc/self/auxv`.
    pub fn read(library: &impl Library) -> Result<Self, OpenError> {
        let mut bytes = [0; MOST * size_of::<Entry>()];
        match File::open(c"/proc/self/auxv") {
            Ok(file) => {
                proc::read_up_to(&file, &mut bytes);
                Ok(Self::of(&bytes))
            }
            Err(_) if sys::read_auxiliary_vector(&mut bytes) => Ok(Self::of(&bytes)),
            // SAFETY: whatever is read there is checked for being readable.
            Err(error) => unsafe { Self::behind(library.environment()) }.ok_or(error),
        }
    }

    /// Decodes a vector, which zeros end.
    fn of(bytes: &[u8; MOST * size_of::<Entry>()]) -> Self {
        let mut entries = [[0; 2]; MOST];
        let (words, _) = bytes.as_chunks::<8>();
        for (place, word) in entries.as_flattened_mut().iter_mut().zip(words) {
            *place = u64::from_le_bytes(*word);
        }
        Self { entries }
    }

    /// Returns the vector behind a list of texts that ends with a null. Returns `None` if there is
    /// none, since the program may have moved the list.
    ///
    /// # Safety
    /// The memory from the list on must not change meanwhile.
    unsafe fn behind(list: *const *const u8) -> Option<Self> {
        let mut next = list.cast::<u64>();
        let mut word = || {
            // SAFETY: the word is readable.
            let word = unsafe { is_readable(next as usize).then(|| next.read_volatile()) };
            next = next.wrapping_add(1);
            word
        };
        if list.is_null() || !list.is_aligned() {
            return None;
        }
        while word()? != 0 {}
        let mut found = Self { entries: [[0; 2]; MOST] };
        for entry in &mut found.entries {
            *entry = [word()?, word()?];
            if entry[0] == u64::from(AT_NULL) {
                break;
            }
        }
        let above = |kind| {
            found.get(kind).is_some_and(|at| (1..REACH).contains(&at.wrapping_sub(next as u64)))
        };
        (above(AT_RANDOM) && above(AT_EXECFN)).then_some(found)
    }

    /// Returns the value of the entry of a kind.
    pub fn get(&self, kind: u32) -> Option<u64> {
        let mut entries = self.entries.iter().take_while(|entry| entry[0] != u64::from(AT_NULL));
        entries.find(|entry| entry[0] == u64::from(kind)).map(|entry| entry[1])
    }

    /// Appends the path by which the program was executed, which may be relative, to `out`.
    pub fn executed<const N: usize>(&self, out: &mut Text<N>) {
        let mut next = self.get(AT_EXECFN).unwrap_or_default() as usize;
        let mut readable = 0;
        while readable > 0 || is_readable(next & !(PART - 1)) {
            if readable == 0 {
                readable = PART - next % PART;
            }
            // SAFETY: the byte is readable, and the kernel has put it there.
            match unsafe { (next as *const u8).read_volatile() } {
                0 => return,
                byte => out.push(byte),
            }
            (next, readable) = (next + 1, readable - 1);
        }
    }
}

/// Returns true if the program runs with more rights than the user who started it.
pub fn is_privileged(vector: &Result<Vector, OpenError>) -> bool {
    match vector {
        Ok(vector) => vector
            .get(AT_SECURE)
            .map_or_else(sys::has_changed_identity, |has_gained| has_gained != 0),
        // The kernel hides the vector from a process that gained rights by its file's capabilities.
        Err(OpenError::Denied) => true,
        Err(_) => sys::has_changed_identity(),
    }
}

#[cfg(test)]
mod tests {
    use linux_raw_sys::auxvec::AT_PAGESZ;

    use super::*;
    use crate::proc::NoLibrary;

    #[test]
    fn entries_are_found_up_to_the_end() {
        let words = [6, 4096, u64::from(AT_SECURE), 1, 0, 0, 31, 5];
        let mut bytes = [0; MOST * size_of::<Entry>()];
        for (place, word) in bytes.chunks_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let vector = Vector::of(&bytes);
        assert_eq!(
            [AT_PAGESZ, AT_SECURE, AT_EXECFN].map(|kind| vector.get(kind)),
            [Some(4096), Some(1), None]
        );
    }

    #[test]
    fn this_process_has_a_vector() {
        let vector = Vector::read(&NoLibrary).expect("Linux has /proc");
        assert_eq!((vector.get(AT_PAGESZ), vector.get(AT_SECURE)), (Some(4096), Some(0)));
        let mut path = Text::<4096>::new();
        vector.executed(&mut path);
        let name = std::env::current_exe().expect("Linux has /proc");
        let name = name.file_name().expect("a file").as_encoded_bytes();
        assert!(path.as_bytes().ends_with(name), "{path:?}");
    }

    #[test]
    fn a_vector_stands_behind_the_variables() {
        // The layout of the kernel: variables, the vector, then the texts to which both point.
        let mut stack = vec![0u64; 64];
        let text = |at: usize, stack: &[u64]| stack.as_ptr().wrapping_add(at) as u64;
        let path = u64::from_le_bytes(*b"./prog\0\0");
        (stack[50], stack[51]) = (7, path);
        let entries = [u64::from(AT_SECURE), 0, u64::from(AT_RANDOM), text(50, &stack)];
        (stack[0], stack[1]) = (text(50, &stack), text(50, &stack));
        stack[3..7].copy_from_slice(&entries);
        (stack[7], stack[8]) = (AT_EXECFN.into(), text(51, &stack));
        // SAFETY: no other code has the stack.
        let found = unsafe { Vector::behind(stack.as_ptr().cast()) }.expect("a vector");
        assert_eq!(found.get(AT_SECURE), Some(0));
        let mut executed = Text::<64>::new();
        found.executed(&mut executed);
        assert_eq!(executed.as_bytes(), b"./prog");
        // A list that was moved has other data behind it.
        stack[8] = 5;
        // SAFETY: as above.
        assert!(unsafe { Vector::behind(stack.as_ptr().cast()) }.is_none());
        // SAFETY: nothing is there.
        assert!(unsafe { Vector::behind(std::ptr::dangling()) }.is_none());
    }
}
