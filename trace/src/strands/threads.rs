//! The strands that a thread executes, and the segments that they divide it into.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use pathformat::trace::Work;

use crate::ids::{TaskId, ThreadId};
use crate::strands::clock::{StrandClock, Token};
use crate::strands::own_memory::OwnMemory;
use crate::strands::ways::{Ways, Weights};

/// The first segment of a thread.
pub(super) const FIRST: u64 = 1;

/// A thread, and the strands that it executes.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) id: ThreadId,
    /// The current segment.
    pub(super) segment: u64,
    /// The strands that are not finished. The last one is executed.
    pub(super) strands: Vec<Strand>,
    /// The barrier in which it waits.
    pub(super) in_barrier: Option<u64>,
    /// True if the next task that it creates is one that it waits for.
    pub(super) awaits_next: bool,
    /// True if the iterations of the next loop wait for each other.
    pub(super) orders_next: bool,
    /// True if the program gives the number of threads of the next region.
    pub(super) gives_next: bool,
    /// True if it combines what it reduced with what others did, under a lock of the library.
    pub(super) is_reducing: bool,
}

/// A strand that is not finished.
#[derive(Debug)]
pub(super) struct Strand {
    pub(super) kind: Kind,
    /// What happens before its current segment.
    pub(super) clock: Token,
    /// True if it has neither released nor acquired.
    pub(super) is_plain: bool,
    /// The groups of tasks that it has begun.
    pub(super) groups: Vec<u64>,
    pub(super) memory: OwnMemory,
}

#[derive(Debug)]
pub(super) enum Kind {
    /// A thread of the program.
    Thread,
    /// A thread's part of a parallel region.
    Member(Box<Member>),
    /// A share of a work-sharing construct: the current iteration.
    Share(Share),
    /// An explicit task.
    Task(u64),
}

/// How many threads execute a region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Team {
    /// Several, or it is not known.
    #[default]
    Several,
    /// One in this run, but there could be more.
    Alone,
    /// One, since the program says so.
    One,
}

/// A thread's part of a parallel region.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) region: u64,
    /// The number of threads that were asked for.
    threads: u64,
    /// True if its part of the region has ended.
    pub(super) is_over: bool,
    pub(super) team: Team,
    /// True if all threads of the team have done the same since the last barrier.
    is_alike: bool,
    /// The number of its implicit task, once it is known.
    pub(super) task: Option<u64>,
    /// What happens before all of its team: what was known behind the last barrier.
    common: Token,
    /// The strands that are finished, but ordered only by the next barrier.
    pub(super) done: StrandClock,
    /// The iterations and the segments of the last loop with a static schedule since the last
    /// barrier.
    last_static: Option<(u64, StrandClock)>,
}

/// A share of a work-sharing construct.
#[derive(Debug)]
pub(super) struct Share {
    pub(super) work: Work,
    /// What happens before each iteration.
    base: Token,
    /// The first segment of the share, and of the current iteration.
    first: u64,
    iteration: u64,
    /// The number of iterations of the construct, 0 if unknown.
    count: u64,
    /// The iterations that are finished.
    done: StrandClock,
    /// The number of threads of the team.
    threads: u64,
    /// The number of strands that this thread executes: iterations, or chunks that the program
    /// gives.
    iterations: u64,
    /// True if the library has told a part of a loop.
    has_parts: bool,
    /// What they have done, and the last task that did it.
    worked: Option<(TaskId, Weights)>,
    /// True if the current iteration has created tasks.
    pub(super) has_tasks: bool,
}

impl Strand {
    fn new(kind: Kind, clock: Token) -> Self {
        let (groups, memory) = (Vec::new(), OwnMemory::default());
        Self { kind, clock, is_plain: true, groups, memory }
    }
}

impl Member {
    /// Returns a part of a region that begins now, for which this number of threads was asked for.
    pub(super) fn of(region: u64, threads: u64, team: Team, begun: Token) -> Self {
        Self {
            region,
            threads,
            is_over: false,
            team,
            is_alike: true,
            task: None,
            common: begun,
            done: StrandClock::default(),
            last_static: None,
        }
    }
}

impl Thread {
    /// Returns a thread that has done nothing.
    pub(super) fn new(id: ThreadId) -> Self {
        Self {
            id,
            segment: FIRST,
            strands: vec![Strand::new(Kind::Thread, Token::default())],
            in_barrier: None,
            awaits_next: false,
            orders_next: false,
            gives_next: false,
            is_reducing: false,
        }
    }

    /// Returns the strand that it executes.
    pub(super) fn top(&mut self) -> &mut Strand {
        if self.strands.is_empty() {
            self.strands.push(Strand::new(Kind::Thread, Token::default()));
        }
        let at = self.strands.len() - 1;
        &mut self.strands[at]
    }

    /// Returns the innermost part of a region.
    pub(super) fn member(&mut self) -> Option<&mut Member> {
        self.strands.iter_mut().rev().find_map(|strand| match &mut strand.kind {
            Kind::Member(member) => Some(&mut **member),
            _ => None,
        })
    }

    /// Returns the number of the region of which it executes a part.
    pub(super) fn region(&self) -> Option<u64> {
        self.strands.iter().rev().find_map(|strand| match &strand.kind {
            Kind::Member(member) => Some(member.region),
            _ => None,
        })
    }

    /// Returns the first segment of the share of a loop that it executes, if the current iteration
    /// has neither released nor acquired.
    pub(super) fn plain_share(&self) -> Option<u64> {
        let strand = self.strands.last()?;
        match &strand.kind {
            Kind::Share(share) if strand.is_plain => Some(share.first),
            _ => None,
        }
    }

    /// Returns true if other threads, which the team does not have in this run, would do what it
    /// does now.
    pub(super) fn is_repeated(&self) -> bool {
        self.strands.last().is_some_and(|strand| match &strand.kind {
            Kind::Member(member) => {
                member.team == Team::Alone
                    && member.is_alike
                    && !member.is_over
                    && !strand.memory.is_by_number
            }
            _ => false,
        })
    }

    /// Returns the memory that belongs to the strand that it executes, given the `pthread_t` of all
    /// threads; `None` if all does.
    pub(super) fn memory(&mut self, threads: &BTreeSet<u64>) -> Option<OwnMemory> {
        if self.member().is_some_and(|member| member.team == Team::One) {
            return None;
        }
        let memory = &mut self.top().memory;
        memory.set_floor(threads);
        Some(*memory)
    }

    /// Notes that it goes on with what another thread of its team need not do.
    pub(super) fn choose(&mut self) {
        if let Some(member) = self.member() {
            member.is_alike = false;
        }
    }

    /// Notes that it chooses memory by its number.
    pub(super) fn choose_memory(&mut self) {
        for strand in self.strands.iter_mut().rev() {
            strand.memory.is_by_number = true;
            if matches!(strand.kind, Kind::Member(_)) {
                break;
            }
        }
    }

    /// Ends the current segment. Returns what happens before this point.
    pub(super) fn release(&mut self) -> Token {
        self.choose();
        self.is_reducing = false;
        let (id, segment) = (self.id, self.segment);
        self.segment += 1;
        let strand = self.top();
        strand.is_plain = false;
        Rc::make_mut(&mut strand.clock).add(id, segment..=segment);
        strand.clock.clone()
    }

    /// Ends the current segment. Returns all that the thread has done, and what happens before.
    pub(super) fn release_all(&mut self) -> Token {
        let mut all = (*self.release()).clone();
        all.add(self.id, 0..=self.segment);
        Token::from(all)
    }

    /// Adds what happens before what it does now.
    pub(super) fn join(&mut self, other: &StrandClock) {
        self.choose();
        let strand = self.top();
        Rc::make_mut(&mut strand.clock).join(other);
        strand.is_plain = false;
    }

    /// Leaves the current strand for a new one.
    pub(super) fn enter(&mut self, kind: Kind, clock: Token) {
        self.choose();
        let (id, segment) = (self.id, self.segment);
        self.segment += 1;
        let outer = self.top();
        Rc::make_mut(&mut outer.clock).add(id, segment..=segment);
        // A share has the memory of its part of the region.
        let memory = outer.memory;
        let mut strand = Strand::new(kind, clock);
        if matches!(strand.kind, Kind::Share(_)) {
            strand.memory = memory;
        }
        self.strands.push(strand);
    }

    /// Begins a part of a region. Returns the memory of those that have ended before.
    pub(super) fn begin_part(&mut self, member: Member) -> Vec<Range<u64>> {
        let is_over = |strand: &Strand| matches!(&strand.kind, Kind::Member(of) if of.is_over);
        let mut left = Vec::new();
        while self.strands.last().is_some_and(is_over) {
            left.extend(self.strands.pop().map(|strand| strand.memory.used()));
        }
        let begun = member.common.clone();
        self.enter(Kind::Member(Box::new(member)), begun);
        left
    }

    /// Goes back to what began a region. Returns the memory of what it leaves.
    pub(super) fn leave_region(&mut self, region: u64) -> Vec<Range<u64>> {
        let of = |strand: &Strand| matches!(&strand.kind, Kind::Member(of) if of.region == region);
        let Some(at) = self.strands.iter().rposition(of) else { return Vec::new() };
        self.segment += 1;
        self.strands.drain(at..).map(|strand| strand.memory.used()).collect()
    }

    /// Notes that all of its team know what the thread knows now.
    pub(super) fn leave_barrier(&mut self) {
        let clock = self.top().clock.clone();
        if let Some(member) = self.member() {
            (member.common, member.last_static, member.is_alike) = (clock, None, true);
        }
    }

    /// Begins a share of the work of a region. Outside of regions there is no work to share.
    pub(super) fn begin_share(&mut self, work: Work, count: u64) {
        let first = self.segment + 1;
        let is_ordered = std::mem::take(&mut self.orders_next);
        let Kind::Member(member) = &mut self.top().kind else { return };
        let work = if is_ordered { Work::Single } else { work };
        let threads = member.threads.max(1);
        let mut base = member.common.clone();
        if work == Work::Static
            && let Some((_, loops)) = member.last_static.as_ref().filter(|last| last.0 == count)
        {
            Rc::make_mut(&mut base).join(loops);
        }
        let begun = base.clone();
        let share = Share {
            work,
            base,
            first,
            iteration: first,
            count,
            done: StrandClock::default(),
            threads,
            iterations: count.div_ceil(threads),
            has_parts: false,
            worked: None,
            has_tasks: false,
        };
        self.enter(Kind::Share(share), begun);
    }

    /// Returns the kind of the construct of which it executes a share.
    pub(super) fn shared(&self) -> Option<Work> {
        match &self.strands.last()?.kind {
            Kind::Share(share) => Some(share.work),
            _ => None,
        }
    }

    /// Adds work of a task to what it executes. The iterations of a share are taken to do equally
    /// much: the task does not tell where each of them ends.
    pub(super) fn work(&mut self, ways: &mut Ways, task: TaskId, weights: Weights) {
        let Strand { kind, clock, .. } = self.top();
        if let Kind::Share(Share { work: Work::Static | Work::Iterations, worked, .. }) = kind {
            let (last, all) = worked.get_or_insert((task, Weights::default()));
            *last = task;
            all.iter_mut().zip(weights).for_each(|(all, weight)| *all += weight);
        } else if weights != Weights::default() {
            ways.extend(&mut Rc::make_mut(clock).ways, task, weights);
        }
    }

    /// Adds the work of one iteration of a share that ends.
    pub(super) fn end_work(&mut self, ways: &mut Ways) {
        let Strand { kind: Kind::Share(share), clock, .. } = self.top() else { return };
        if let Some((task, weights)) = share.worked.take() {
            let weights = weights.map(|weight| weight.div_ceil(share.iterations.max(1)));
            ways.extend(&mut Rc::make_mut(clock).ways, task, weights);
        }
    }

    /// Notes that a thread takes a part of a loop. The first one is all that it gets of a loop with
    /// a static schedule, or a chunk, of which it gets as many as the other threads.
    pub(super) fn take_part(&mut self, iterations: u64) {
        let Kind::Share(share) = &mut self.top().kind else { return };
        let (count, threads) = (share.count, share.threads);
        let is_chunk = iterations.saturating_mul(threads) < count;
        if share.work == Work::Static && is_chunk {
            share.iterations = count.div_ceil(iterations.max(1)).div_ceil(threads);
        } else if share.has_parts {
            share.iterations = share.iterations.saturating_add(iterations);
        } else {
            share.iterations = iterations;
        }
        share.has_parts = true;
    }

    /// Ends the current iteration of a share. Returns the memory of its variables if tasks may have
    /// accessed them.
    pub(super) fn end_iteration(&mut self) -> Option<Range<u64>> {
        let (id, segment) = (self.id, self.segment);
        let Strand { kind: Kind::Share(share), clock, is_plain, memory, .. } = self.top() else {
            return None;
        };
        if *is_plain {
            share.done.add(id, share.iteration..=segment);
            share.done.lengthen(&clock.ways);
        } else {
            share.done.add(id, segment..=segment);
            share.done.join(clock);
        }
        let left = std::mem::take(&mut share.has_tasks).then(|| memory.used());
        share.iteration = segment + 1;
        (*clock, *is_plain) = (share.base.clone(), true);
        self.segment += 1;
        left
    }

    /// Ends a share. Returns the memory as [`end_iteration`](Self::end_iteration).
    pub(super) fn end_share(&mut self) -> Option<Range<u64>> {
        let left = self.end_iteration();
        if !matches!(self.top().kind, Kind::Share(_)) {
            return left;
        }
        let Some(Strand { kind: Kind::Share(share), groups, memory, .. }) = self.strands.pop()
        else {
            return left;
        };
        self.segment += 1;
        let outer = self.top();
        outer.groups.extend(groups);
        outer.memory = memory;
        let Some(member) = self.member() else { return left };
        member.done.join(&share.done);
        if share.work == Work::Static {
            let mut loops = share.done;
            let earlier = member.last_static.take().filter(|last| last.0 == share.count);
            if let Some((_, earlier)) = earlier {
                loops.join(&earlier);
            }
            member.last_static = Some((share.count, loops));
        }
        left
    }
}
