//! The ancestors of this process, as they are at its start. They are read early, because the kernel
//! gives the children of a process that ends to another parent.
//!
//! A reader of profiles finds out which of the ancestors were counted. A process therefore belongs
//! to the counted process that began it even if uncounted processes, such as a shell or `make`, are
//! in between.

use pathformat::profile::Ancestor;

use crate::proc::Status;
use crate::sys;

/// The number of ancestors that are kept, the nearest ones.
const MOST: usize = 16;

/// The ancestors of a process, the parent first. All-zero bytes are an empty list.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Ancestry {
    known: [Ancestor; MOST],
    length: usize,
}

impl Ancestry {
    /// An empty list.
    pub const NONE: Self = Self { known: [Ancestor::NONE; MOST], length: 0 };

    /// Returns the ancestors, the parent first.
    pub fn as_slice(&self) -> &[Ancestor] {
        self.known.get(..self.length).unwrap_or_default()
    }

    /// Reads the ancestors of this process. `status` is the status of the process, if it is known.
    pub fn read(&mut self, parent: u32, status: Option<&Status>) {
        // The numbers in `/proc` may be those of another name space.
        let of_proc = status.filter(|status| status.process == sys::process());
        self.follow(parent, of_proc.map(|status| status.start), Status::of);
    }

    /// Follows the line of ancestors from `parent` on, whose child began at `child_start`. Without
    /// a time only the number of the parent is kept.
    fn follow(
        &mut self,
        parent: u32,
        child_start: Option<u64>,
        status_of: impl Fn(u32) -> Option<Status>,
    ) {
        self.length = 0;
        let mut next = (parent, child_start);
        while let (process @ 1.., child_start) = next
            && self.length < MOST
        {
            // A process that began later than its child has taken over the number.
            let status = child_start
                .and_then(|child| status_of(process).filter(|status| status.start <= child));
            match status {
                Some(status) => {
                    self.push(Ancestor::new(process, status.start));
                    next = (status.parent, Some(status.start));
                }
                None if self.length == 0 => return self.push(Ancestor::new(process, 0)),
                None => return,
            }
        }
    }

    /// Adds the parent of a forked child.
    pub fn descend(&mut self, parent: Ancestor) {
        self.known.copy_within(..MOST - 1, 1);
        self.known[0] = parent;
        self.length = (self.length + 1).min(MOST);
    }

    fn push(&mut self, ancestor: Ancestor) {
        if let Some(place) = self.known.get_mut(self.length) {
            *place = ancestor;
            self.length += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(
        parent: u32,
        child_start: Option<u64>,
        known: &[(u32, u32, u64)],
    ) -> Vec<(u32, u64)> {
        let mut ancestry = Ancestry::NONE;
        ancestry.follow(parent, child_start, |process| {
            let found = known.iter().find(|(number, ..)| *number == process);
            found.map(|&(process, parent, start)| Status { process, parent, start })
        });
        ancestry.as_slice().iter().map(|one| (one.process(), one.start())).collect()
    }

    #[test]
    fn parents_are_followed_as_far_as_they_are_known() {
        let known = [(9, 5, 40), (5, 1, 30), (1, 0, 0)];
        assert_eq!(followed(9, Some(50), &known), [(9, 40), (5, 30), (1, 0)]);
        assert_eq!(followed(9, Some(50), &known[..1]), [(9, 40)]);
        // Only the number is known.
        assert_eq!(followed(9, None, &known), [(9, 0)]);
        assert_eq!(followed(7, Some(50), &known), [(7, 0)]);
        // Another process has the number by now.
        assert_eq!(followed(9, Some(39), &known), [(9, 0)]);
        assert_eq!(followed(9, Some(50), &[(9, 5, 40), (5, 1, 41)]), [(9, 40)]);
        // A parent in another name space.
        assert_eq!(followed(0, Some(50), &known), []);
    }

    #[test]
    fn a_long_line_keeps_its_nearest() {
        let line: Vec<_> = (1..100).map(|process| (process, process - 1, process.into())).collect();
        let expected: Vec<_> = (84..100).rev().map(|process| (process, process.into())).collect();
        assert_eq!(followed(99, Some(100), &line), expected);
        let mut ancestry = Ancestry::NONE;
        for process in 1..100 {
            ancestry.descend(Ancestor::new(process, process.into()));
        }
        let kept: Vec<_> =
            ancestry.as_slice().iter().map(|one| (one.process(), one.start())).collect();
        assert_eq!(kept, expected);
    }

    #[test]
    fn this_process_has_parents() {
        let mut ancestry = Ancestry::NONE;
        ancestry.read(sys::parent(), Status::own().as_ref());
        assert_eq!(ancestry.as_slice().first().map(|one| one.process()), Some(sys::parent()));
        assert!(ancestry.as_slice().iter().all(|one| one.process() > 0));
    }
}
