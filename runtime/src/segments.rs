//! The segments of a run: what it counted under one label after the other.
//!
//! No counter is set back, since other threads own them. At each change of the label, a record is
//! appended with what was counted since the change before. The counts of all these records together
//! are the *ledger*, which is private memory laid out like a slot. What a run has counted since is
//! the sum of its slots minus the ledger.
//!
//! A counter may go down: a path that was counted ahead is taken back if an exception leaves it. A
//! segment has no negative counts. What it would need of them stays in the ledger, so that the next
//! segments have less, and the sum of all segments is exact.
//!
//! The raw file keeps all counts. If the process is killed, a reader subtracts the segments that it
//! finds in the profile. So it does not matter whether the kill came before or after a record.

use pathformat::label::{self, Label};
use pathformat::profile::{CUMULATIVE, DISCARDED, RunId};
use process::sys;
use process::text::LabelText;

use crate::ledger::Ledger;
use crate::slots::ADDRESS_SPACE_PART;

/// What ends a segment. The numbers are those of
/// [`LABEL_FUNCTIONS`](pathformat::names::LABEL_FUNCTIONS), and part of what images share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Another label follows.
    Label,
    /// The program wants its counts to be written.
    Dump,
    /// The program wants its counts to be forgotten.
    Reset,
}

impl Change {
    /// Returns the change with this number; `None` if there is none.
    pub(crate) fn of(number: u32) -> Option<Self> {
        [Self::Label, Self::Dump, Self::Reset].get(number as usize).copied()
    }
}

/// The part of a run's counts that a record is to have.
#[derive(Clone, Copy)]
pub(crate) struct Portion<'a> {
    /// Its label; empty if it has none.
    pub(crate) label: &'a [u8],
    /// The number of the segment; 0 for the rest of the run.
    pub(crate) number: u32,
    /// The run; `None` for that of the environment.
    pub(crate) run: Option<RunId>,
    /// What earlier records have of it.
    pub(crate) ledger: Option<Ledger>,
    /// Flags of its part.
    pub(crate) flags: u32,
    /// The number of changes by others that it takes into account.
    pub(crate) foreign: u32,
}

impl<'a> Portion<'a> {
    /// Returns all counts of a run, which has this label.
    pub(crate) fn whole(label: &'a [u8]) -> Self {
        Self { label: label::kept(label), number: 0, run: None, ledger: None, flags: 0, foreign: 0 }
    }
}

/// The segments of this process so far. All-zero bytes are none.
pub(crate) struct Segments {
    ledger: Option<Ledger>,
    size: usize,
    /// The number of segments.
    number: u32,
    /// The number of [changes by others](Label::foreign) that are known.
    foreign: u32,
    /// True if others have appended segments, which the ledger lacks.
    is_behind: bool,
    /// True if the counts since the last segment are of several labels, since it could not be
    /// appended.
    is_mixed: bool,
    label: LabelText,
    /// The label with which the run began.
    first: LabelText,
}

impl Segments {
    /// No segments, and no label.
    pub(crate) const fn new() -> Self {
        Self {
            ledger: None,
            size: 0,
            number: 0,
            foreign: 0,
            is_behind: false,
            is_mixed: false,
            label: LabelText::new(),
            first: LabelText::new(),
        }
    }

    /// Begins a run with this label, whose slots have this length.
    pub(crate) fn begin(&mut self, label: &LabelText, size: usize) {
        self.set_label(label.as_bytes());
        self.first.copy(&self.label);
        self.size = size;
    }

    /// Begins another run under the same label, as in a forked child.
    pub(crate) fn start_again(&mut self) {
        let Self { first, label, .. } = self;
        first.copy(label);
        self.forget_ledger();
        (self.number, self.foreign) = (0, 0);
        (self.is_behind, self.is_mixed) = (false, false);
    }

    /// Returns the label of what is counted now.
    pub(crate) fn label(&self) -> &LabelText {
        &self.label
    }

    /// Returns the label with which the run began.
    pub(crate) fn first_label(&self) -> &[u8] {
        self.first.as_bytes()
    }

    /// Returns the number of segments that this process has appended.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Returns true if this is the label of what was counted since the last segment.
    pub(crate) fn has_label(&self, text: &[u8]) -> bool {
        !self.is_mixed && label::kept(text) == self.label.as_bytes()
    }

    /// Returns true if the run has segments.
    pub(crate) fn are_any(&self) -> bool {
        self.ledger.is_some() || self.is_behind
    }

    /// Takes over what another process has written to the header of the raw file. It changes the
    /// text last.
    pub(crate) fn follow(&mut self, found: &Label) {
        let foreign = found.foreign.get();
        let is_new = foreign != self.foreign;
        if is_new {
            (self.foreign, self.is_behind) = (foreign, true);
            self.forget_ledger();
        }
        if is_new || foreign != 0 && !self.is_mixed {
            self.set_label(found.text());
        }
    }

    /// Changes the label of what is counted from here on.
    pub(crate) fn set_label(&mut self, text: &[u8]) {
        self.label.clear();
        self.label.push_all(label::kept(text));
    }

    /// Records that a segment could not be appended. What follows cannot be told from it.
    pub(crate) fn mix(&mut self) {
        self.is_mixed = true;
    }

    /// Returns true if what was counted since the last segment is of several labels.
    pub(crate) fn is_mixed(&self) -> bool {
        self.is_mixed
    }

    /// Returns the label of what was counted since the last segment.
    pub(crate) fn label_since(&self) -> &[u8] {
        if self.is_mixed { &[] } else { self.label.as_bytes() }
    }

    /// Returns the memory of the ledger, which is mapped if it is not yet; `None` without memory,
    /// or if the program may lack the addresses.
    fn ledger(&mut self) -> Option<Ledger> {
        let length = Ledger::total(self.size) as u64;
        if self.ledger.is_none() && length <= sys::address_space_limit() / ADDRESS_SPACE_PART {
            self.ledger = Ledger::map(self.size);
        }
        self.ledger
    }

    /// Returns the next segment, which a change ends.
    pub(crate) fn next(&mut self, change: Change, run: Option<RunId>) -> Option<Portion<'_>> {
        let ledger = self.ledger()?;
        let discarded = if change == Change::Reset { DISCARDED } else { 0 };
        let number = self.number.saturating_add(1);
        Some(Portion { number, run, ledger: Some(ledger), ..self.rest() }.with(discarded))
    }

    /// Returns what is left of the run.
    pub(crate) fn rest(&self) -> Portion<'_> {
        let flags = if self.is_behind { CUMULATIVE } else { 0 };
        let (label, ledger) = (self.label_since(), self.ledger);
        Portion { label, number: 0, run: None, ledger, flags, foreign: self.foreign }
    }

    /// Records that the next segment was appended.
    pub(crate) fn append(&mut self) {
        self.number = self.number.saturating_add(1);
        (self.is_behind, self.is_mixed) = (false, false);
    }

    /// Forgets what earlier records have.
    pub(crate) fn forget_ledger(&mut self) {
        if let Some(ledger) = self.ledger.take() {
            ledger.unmap();
        }
    }
}

impl Portion<'_> {
    fn with(self, flags: u32) -> Self {
        Self { flags: self.flags | flags, ..self }
    }
}
