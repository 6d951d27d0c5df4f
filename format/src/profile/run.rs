//! The identity of a run, and the flags of its records.

use core::fmt;

use xxhash_rust::xxh64::Xxh64;

/// Flag: the process did not end normally, so the last paths may be missing.
pub const INCOMPLETE: u32 = 1;

/// Flag: threads ran that were unknown to the runtime; their counts were added without
/// synchronisation.
pub const UNREGISTERED_THREADS: u32 = 2;

/// Flag: the process is a fork of a counted one, so paths may end here that began in its parent.
pub const FORKED: u32 = 4;

/// Flag: the process did not write a profile, and its raw file does not hold the counts of all
/// threads, since there was no room or no descriptor for more.
pub const PARTIAL: u32 = 8;

/// Flag: the file that keeps the counters was cut or could not be read while the process ran; its
/// content is missing.
pub const CUT: u32 = 16;

/// Flag: the image is a library that a program without counters loaded, and that program had
/// overwritten its environment or changed its directory; the profile's name is a guess.
pub const UNSURE: u32 = 32;

/// Flag: the executable has a runtime of another version, so that the image cannot distinguish its
/// threads.
pub const OTHER_RUNTIME: u32 = 64;

/// Flag of raw files: the process ended normally and could not write its profile. Nothing is
/// missing.
pub const ENDED: u32 = 128;

/// Flag of raw files, beside [`ENDED`]: the process had no permission to write the profile.
pub const DENIED: u32 = 256;

/// Flag: when the counts were read, other threads were running, not waiting. The paths that they
/// were executing are not counted, or counted too early.
pub const RUNNING: u32 = 1024;

/// Flag of records: the record is of merged runs.
pub const MERGED: u32 = 2048;

/// Flag of records, beside [`INCOMPLETE`]: the record was made of a raw file whose process is gone,
/// so that it will never be completed.
pub const GONE: u32 = 4096;

/// Flag of records: the record is of a *segment*, which is what a run counted until it changed its
/// [label](crate::label). The head is that of the run, and its only part has the identity of the
/// [segment](RunId::segment).
pub const SEGMENT: u32 = 8192;

/// Flag of parts: the counts are all of the run, those of its earlier segments included. A reader
/// subtracts what stands before the record.
pub const CUMULATIVE: u32 = 16384;

/// Flag of segments: the program has reset its counts. They are left out wherever they would be
/// shown.
pub const DISCARDED: u32 = 32768;

/// The identity of a run of an image: 16 random bytes, or a digest where there were none. All zeros
/// are no identity.
///
/// A run is the lifetime of an image in a process. A profile and the raw file that it replaces are
/// of one run, and so are copies.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub [u8; 16]);

impl RunId {
    /// No identity.
    pub const NONE: Self = Self([0; 16]);

    /// Returns the identity of a child that was forked from this run: `process` is its number,
    /// `time` the time of the fork.
    pub fn of_child(&self, process: u32, time: u64) -> Self {
        if *self == Self::NONE {
            return Self::NONE;
        }
        digest(&[&self.0, &process.to_le_bytes(), &time.to_le_bytes()])
    }

    /// Returns the identity of a segment of this run, by its number from 1. Those of a run differ
    /// only in their last four bytes, so that a sum of segments says how many runs it is of.
    pub fn segment(&self, number: u32) -> Self {
        if *self == Self::NONE {
            return Self::NONE;
        }
        let [.., a, b, c, d] = self.0;
        let last = u32::from_le_bytes([a, b, c, d]).wrapping_add(number).to_le_bytes();
        let mut segment = *self;
        segment.0.iter_mut().skip(12).zip(last).for_each(|(byte, new)| *byte = new);
        segment
    }

    /// Returns what the segments of a run have in common.
    pub fn family(&self) -> [u8; 12] {
        let mut family = [0; 12];
        family.iter_mut().zip(self.0).for_each(|(byte, own)| *byte = own);
        family
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run {self}")
    }
}

/// Returns a digest of byte strings, each with its length.
pub(super) fn digest(parts: &[&[u8]]) -> RunId {
    let half = |seed| {
        let mut hash = Xxh64::new(seed);
        for part in parts {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        u128::from(hash.digest())
    };
    RunId((half(1) << 64 | half(2)).to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_is_a_run_of_its_own() {
        let run = RunId([5; 16]);
        let children = [
            run,
            run.of_child(7, 1),
            run.of_child(8, 1),
            run.of_child(7, 2),
            RunId([6; 16]).of_child(7, 1),
        ];
        for (at, child) in children.iter().enumerate() {
            assert!(!children[..at].contains(child), "{children:?}");
        }
        assert_eq!(RunId::NONE.of_child(7, 1), RunId::NONE);
    }

    #[test]
    fn segments_are_of_one_family() {
        let run = RunId([0xff; 16]);
        assert_eq!((run.segment(0), RunId::NONE.segment(7)), (run, RunId::NONE));
        let mut first = [0xff; 16];
        first[12..].fill(0);
        assert_eq!(run.segment(1), RunId(first));
        assert_eq!(run.segment(9).family(), run.family());
        assert_ne!(run.of_child(1, 1).family(), run.family());
    }
}
