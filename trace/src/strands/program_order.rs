//! The order that the program says: the events of all threads, turned into an order of strands.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use pathformat::trace::{Operation, Synchronisation, Work, lock};

use crate::fast_map::FastMap;
use crate::ids::{Moment, TaskId, ThreadId};
use crate::order::barriers::Barrier;
use crate::order::dependences::Access;
use crate::order::item::MemoryAccess;
use crate::order::locks::Lock;
use crate::order::releases::{Link, Links, Released};
use crate::order::walk::OperationEvent;
use crate::steps::library_call::LibraryCall;
use crate::strands::clock::{StrandClock, Token};
use crate::strands::critical::Critical;
use crate::strands::own_memory::OwnMemory;
use crate::strands::tasks::{Begun, Ended, Tasks};
use crate::strands::threads::{FIRST, Kind, Member, Strand, Team, Thread};
use crate::strands::ways::{Ways, Weights};

/// All strands of a program, at a moment of the walk.
#[derive(Debug, Default)]
pub(crate) struct Strands {
    threads: Vec<Thread>,
    /// The `pthread_t` of all threads.
    pointers: BTreeSet<u64>,
    regions: HashMap<u64, Region>,
    tasks: Tasks,
    barriers: HashMap<u64, Barrier<Token>>,
    /// The tasks that were finished in each barrier.
    in_barriers: HashMap<u64, StrandClock>,
    locks: HashMap<u64, Lock<Token>>,
    turns: Turns,
    ways: Ways,
    critical: Critical,
    fences: StrandClock,
    /// The parts of stacks that belonged to strands which have ended.
    left: Vec<Range<u64>>,
    /// What atomic accesses released, by address.
    addresses: FastMap<u64, StrandClock>,
}

/// Which locks order what is around their sections, by the turns in which they were taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Turns {
    /// Those of all locks.
    All,
    /// Those of all locks but OpenMP's.
    #[default]
    AllOfThreads,
    /// Those of no lock.
    None,
}

/// Where a thread is, as far as it matters to its accesses: the same until the next event of any
/// thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Here {
    pub(crate) moment: Moment,
    /// The memory that belongs to the strand; `None` if all does.
    pub(super) memory: Option<OwnMemory>,
    /// True if the thread is in no critical section.
    pub(crate) is_outside: bool,
    /// True if the strand is an explicit task.
    pub(crate) is_task: bool,
    /// The first segment of the share of a loop, if the strand is an iteration of it that has
    /// neither released nor acquired.
    pub(crate) plain_share: Option<u64>,
    /// True if its thread combines what it reduced with what others did, one at a time.
    pub(crate) is_reducing: bool,
    /// True if other threads, which the team does not have in this run, would do the same.
    pub(crate) is_repeated: bool,
}

#[derive(Debug, Default)]
struct Region {
    begun: Token,
    /// The number of threads that were asked for.
    threads: u64,
    team: Team,
    ended: StrandClock,
    /// The iterations of ordered loops that have released others.
    iterations: HashMap<u64, Token>,
}

impl Here {
    /// Returns true if an address belongs to the strand.
    #[inline]
    pub(crate) fn owns(&self, address: u64) -> bool {
        self.memory.is_none_or(|memory| memory.contains(address))
    }

    /// Returns true if an address is further down the stack than what the strand has accessed of
    /// it.
    #[inline]
    pub(crate) fn is_lower(&self, address: u64) -> bool {
        self.memory.is_some_and(|memory| memory.is_lower(address))
    }
}

/// Returns a thread, which begins here if it has done nothing.
fn thread_of(threads: &mut Vec<Thread>, thread: ThreadId) -> &mut Thread {
    let at = thread.index();
    while threads.len() <= at {
        threads.push(Thread::new(ThreadId(threads.len() as u32)));
    }
    &mut threads[at]
}

impl Strands {
    /// Returns those of a program that has done nothing.
    pub(crate) fn new(turns: Turns) -> Self {
        Self { turns, ..Self::default() }
    }

    /// Adds work of a task to what a thread executes.
    pub(crate) fn work(&mut self, thread: ThreadId, task: TaskId, weights: Weights) {
        thread_of(&mut self.threads, thread).work(&mut self.ways, task, weights);
    }

    /// Returns the ways along what is ordered.
    pub(crate) fn ways(&self) -> &Ways {
        &self.ways
    }

    /// Returns true if a lock, given the second object of its operation, only excludes.
    fn excludes(turns: Turns, other: u64) -> bool {
        match turns {
            Turns::All => false,
            Turns::AllOfThreads => other & lock::EXCLUDES != 0,
            Turns::None => true,
        }
    }

    /// Returns what happens before what a thread does now.
    pub(crate) fn before(&mut self, thread: ThreadId) -> Token {
        self.thread(thread).top().clock.clone()
    }

    fn thread(&mut self, thread: ThreadId) -> &mut Thread {
        thread_of(&mut self.threads, thread)
    }

    fn known(&self, thread: ThreadId) -> Option<&Thread> {
        self.threads.get(thread.index())
    }

    /// Returns true if a moment happens before what a thread does now.
    pub(crate) fn knows(&self, thread: ThreadId, then: Moment) -> bool {
        let Some(state) = self.known(thread) else { return then == Moment { thread, part: FIRST } };
        (then.thread == thread && then.part == state.segment)
            || state.strands.last().is_some_and(|strand| strand.clock.knows(then))
    }

    /// Returns true if a thread executes an explicit task.
    pub(crate) fn is_task(&self, thread: ThreadId) -> bool {
        let strand = self.known(thread).and_then(|state| state.strands.last());
        strand.is_some_and(|strand| matches!(strand.kind, Kind::Task(_)))
    }

    /// Returns the number of the region of which a thread executes a part, if it is in one.
    pub(crate) fn region(&self, thread: ThreadId) -> Option<u64> {
        self.known(thread)?.region()
    }

    /// Returns the current moment of a thread.
    pub(crate) fn moment(&mut self, thread: ThreadId) -> Moment {
        Moment { thread, part: self.thread(thread).segment }
    }

    /// Returns where a thread is.
    pub(crate) fn here(&mut self, thread: ThreadId) -> Here {
        let is_outside = self.critical.is_outside(thread);
        let state = thread_of(&mut self.threads, thread);
        Here {
            moment: Moment { thread, part: state.segment },
            memory: state.memory(&self.pointers),
            is_outside,
            is_task: matches!(state.top().kind, Kind::Task(_)),
            plain_share: state.plain_share(),
            is_reducing: state.is_reducing,
            is_repeated: state.is_repeated(),
        }
    }

    /// Notes an access to the memory of a thread's strand.
    pub(crate) fn touch(&mut self, thread: ThreadId, address: u64) {
        self.thread(thread).top().memory.touch(address);
    }

    /// Takes the parts of stacks that belonged to strands which have ended.
    pub(crate) fn take_left(&mut self) -> Vec<Range<u64>> {
        std::mem::take(&mut self.left)
    }

    /// Adds an access of a thread to bytes of a cell of memory, which may order the thread behind
    /// critical sections.
    pub(crate) fn access(&mut self, thread: ThreadId, cell: u64, mask: u8, writes: bool) {
        for before in self.critical.access(thread, cell, mask, writes) {
            self.thread(thread).join(&before);
        }
    }

    /// Performs a release by an operation, or by the end of a stream. Returns its token.
    pub(crate) fn released(
        &mut self,
        thread: ThreadId,
        event: Option<OperationEvent<'_>>,
    ) -> Token {
        let turns = self.turns;
        let state = self.thread(thread);
        let Some((of, event)) = event else { return state.release_all() };
        let (object, other) = (event.object.get(), event.other.get());
        match of {
            Operation::End => return state.release_all(),
            Operation::Barrier | Operation::MemberEnd => {
                if let Some(done) = state.member().map(|of| std::mem::take(&mut of.done)) {
                    state.join(&done);
                }
            }
            _ => {}
        }
        let token = state.release();
        let excludes = Self::excludes(turns, other);
        let released = Released { thread, ticket: event.before.get(), token: token.clone() };
        match of {
            Operation::ParallelBegin => {
                let is_given = std::mem::take(&mut state.gives_next);
                let team = match (other, is_given) {
                    (1, true) => Team::One,
                    (1, false) => Team::Alone,
                    _ => Team::Several,
                };
                let begun = token.clone();
                let region = Region { begun, threads: other, team, ..Region::default() };
                self.regions.insert(object, region);
            }
            Operation::MemberEnd => {
                if let Some(member) = state.member() {
                    member.is_over = true;
                }
                self.regions.entry(object).or_default().ended.join(&token);
            }
            Operation::Barrier => {
                state.in_barrier = Some(object);
                self.barriers.entry(object).or_default().come(other, released);
            }
            Operation::TaskCreate => self.create(thread, object, other, &token),
            Operation::TaskEnd => self.finish(thread, other, &released),
            Operation::OrderedSource => {
                let region = self.regions.entry(other).or_default();
                region.iterations.insert(object, token.clone());
            }
            Operation::ReduceEnd if object == 0 => {
                self.regions.entry(other).or_default().ended.join(&token);
            }
            Operation::ReduceEnd => {
                if let Some(barrier) = self.barriers.get_mut(&object) {
                    barrier.add(released);
                }
            }
            Operation::Unlock if event.result.get() != 0 => {}
            Operation::Unlock if excludes => {
                self.critical.end(thread, object, &token);
            }
            Operation::Unlock => self.locks.entry(object).or_default().unlock(released),
            Operation::WaitCondition if turns == Turns::None => {
                self.critical.end(thread, other, &token);
            }
            Operation::WaitCondition => self.locks.entry(other).or_default().unlock(released),
            Operation::Fence => self.fences.join(&token),
            _ => {}
        }
        token
    }

    /// Completes an operation that acquires. `links` are the releases that it waited for in this
    /// run.
    pub(crate) fn acquired(
        &mut self,
        thread: ThreadId,
        of: Operation,
        event: &Synchronisation,
        links: &Links<Token>,
    ) {
        let (object, other) = (event.object.get(), event.other.get());
        let excludes = Self::excludes(self.turns, other);
        let mut before = Links::new();
        match of {
            Operation::MemberBegin => self.begin_part(thread, object),
            Operation::ParallelEnd => self.end_region(thread, object),
            Operation::Barrier => self.leave_barrier(thread, object),
            Operation::TaskSwitch => self.switch(thread, other, object),
            Operation::TaskEnd => self.resume(thread, other),
            Operation::TaskWait => {
                let children = self.tasks.wait(object);
                self.thread(thread).join(&children);
            }
            Operation::TaskGroup => {
                // A group without tasks has one event.
                if other > 0
                    && let Some(group) = self.thread(thread).top().groups.pop()
                {
                    let ended = self.tasks.end_group(group);
                    self.thread(thread).join(&ended);
                }
            }
            Operation::OrderedSink => {
                let region = self.regions.get(&other);
                let token = region.and_then(|region| region.iterations.get(&object)).cloned();
                if let Some(token) = token {
                    self.thread(thread).join(&token);
                }
            }
            Operation::ReduceBegin if object == 0 => {
                if let Some(ended) = self.regions.get(&other).map(|region| region.ended.clone()) {
                    self.thread(thread).join(&ended);
                }
            }
            Operation::ReduceBegin => {
                if let Some(barrier) = self.barriers.get(&object) {
                    barrier.reduce(thread, &mut before);
                }
            }
            Operation::Lock | Operation::LockShared if event.result.get() != 0 => {}
            Operation::Lock | Operation::LockShared if excludes => {
                self.thread(thread).choose();
                self.critical.begin(thread, object);
            }
            Operation::Lock => self.locks.entry(object).or_default().lock(&mut before),
            Operation::LockShared => {
                self.locks.entry(object).or_default().share(thread, &mut before);
            }
            Operation::WaitCondition => {
                // The links to unlocks of the mutex are found anew.
                let conditions = links.iter().filter(|(link, _)| *link == Link::Condition);
                before.extend(conditions.cloned());
                if self.turns == Turns::None {
                    self.critical.begin(thread, other);
                } else {
                    self.locks.entry(other).or_default().lock(&mut before);
                }
            }
            Operation::Fence => {
                let fences = self.fences.clone();
                self.thread(thread).join(&fences);
            }
            Operation::Begin => {
                self.pointers.insert(other);
                before.clone_from(links);
            }
            _ => before.clone_from(links),
        }
        self.join_all(thread, &before);
    }

    fn join_all(&mut self, thread: ThreadId, links: &Links<Token>) {
        for (_, released) in links {
            self.thread(thread).join(&released.token);
        }
    }

    /// Notes an operation that orders nothing itself, or the beginning of a wait.
    pub(crate) fn noted(&mut self, thread: ThreadId, of: Operation, event: &Synchronisation) {
        let (object, other) = (event.object.get(), event.other.get());
        match of {
            Operation::WorkBegin => {
                if let Some(work) = Work::of(object) {
                    self.thread(thread).begin_share(work, other);
                }
            }
            Operation::WorkPart => {
                let state = self.thread(thread);
                state.take_part(other);
                if state.shared() == Some(Work::Parts) {
                    self.iterated(thread);
                }
            }
            Operation::WorkEnd => {
                let state = thread_of(&mut self.threads, thread);
                state.end_work(&mut self.ways);
                let left = state.end_share();
                self.left.extend(left);
            }
            Operation::ThreadMemory => {
                self.pointers.insert(other);
                // A strand that goes on is told again, from further down the stack.
                let state = self.thread(thread);
                let outermost =
                    state.strands.iter().map(|of| of.memory).find(|of| !of.is_unknown());
                let memory = &mut state.top().memory;
                if memory.is_unknown() {
                    *memory = OwnMemory::of(object, other, outermost);
                }
            }
            Operation::TaskUndeferred => self.tasks.await_task(object),
            Operation::TaskGroup => {
                let group = self.tasks.begin_group();
                self.thread(thread).top().groups.push(group);
            }
            Operation::TaskIn => self.tasks.depend(object, Access::In, other),
            Operation::TaskOut => self.tasks.depend(object, Access::Out, other),
            Operation::TaskInOutSet => self.tasks.depend(object, Access::InOutSet, other),
            Operation::TaskMutexInOutSet => self.tasks.depend(object, Access::MutexInOutSet, other),
            _ => {}
        }
    }

    /// Notes a call that says what the library does not report.
    pub(crate) fn called(&mut self, thread: ThreadId, call: LibraryCall) {
        let state = self.thread(thread);
        match call {
            LibraryCall::UndeferredTask => state.awaits_next = true,
            LibraryCall::GivenTeam => state.gives_next = true,
            LibraryCall::OneOfTeam => state.choose(),
            LibraryCall::Reduction => {
                state.choose();
                state.is_reducing = true;
            }
            LibraryCall::ReductionEnd => state.is_reducing = false,
            LibraryCall::OrderedLoop => state.orders_next = true,
            LibraryCall::ThreadNumber => state.choose_memory(),
            LibraryCall::Region => {}
            LibraryCall::SubmittedTask => {
                if let Kind::Task(task) = state.top().kind {
                    let clock = state.release();
                    self.tasks.suspend(task, clock);
                }
            }
        }
    }

    /// Goes on with the next iteration of a shared loop.
    pub(crate) fn iterated(&mut self, thread: ThreadId) {
        let state = self.thread(thread);
        if state.shared() != Some(Work::Single) {
            let left = state.end_iteration();
            self.left.extend(left);
        }
    }

    /// Begins a thread's part of a region.
    fn begin_part(&mut self, thread: ThreadId, region: u64) {
        let of = self.regions.entry(region).or_default();
        let member = Member::of(region, of.threads, of.team, of.begun.clone());
        let left = self.thread(thread).begin_part(member);
        self.left.extend(left);
    }

    /// Continues behind a region.
    fn end_region(&mut self, thread: ThreadId, region: u64) {
        let left = self.thread(thread).leave_region(region);
        self.left.extend(left);
        if let Some(region) = self.regions.remove(&region) {
            self.thread(thread).join(&region.ended);
        }
        if self.regions.is_empty() {
            self.tasks.clear();
        }
    }

    fn leave_barrier(&mut self, thread: ThreadId, barrier: u64) {
        let mut arrived = Links::new();
        if let Some(of) = self.barriers.get_mut(&barrier) {
            of.go_on(thread, &mut arrived);
        }
        self.join_all(thread, &arrived);
        let tasks = self.in_barriers.get(&barrier).cloned();
        let state = self.thread(thread);
        state.in_barrier = None;
        if let Some(tasks) = tasks {
            state.join(&tasks);
        }
        state.leave_barrier();
        if !self.threads.iter().any(|state| state.in_barrier == Some(barrier)) {
            self.in_barriers.remove(&barrier);
        }
    }

    /// Creates a task.
    fn create(&mut self, thread: ThreadId, task: u64, parent: u64, created: &Token) {
        let state = self.thread(thread);
        let is_undeferred = std::mem::take(&mut state.awaits_next);
        let strand = state.top();
        let group = strand.groups.last().copied();
        let mut by = None;
        match &mut strand.kind {
            Kind::Member(member) => member.task = Some(parent),
            Kind::Task(own) => by = Some(*own),
            Kind::Share(share) => share.has_tasks = true,
            Kind::Thread => {}
        }
        self.tasks.create(task, parent, by, group, created.clone());
        if is_undeferred {
            self.tasks.await_task(task);
        }
    }

    /// Leaves the task `former`, which is not finished, for the task `next`.
    fn switch(&mut self, thread: ThreadId, former: u64, next: u64) {
        let state = self.thread(thread);
        if let Kind::Member(member) = &mut state.top().kind {
            member.task = Some(former);
        }
        let is_next = |strand: &Strand| match &strand.kind {
            Kind::Task(task) => *task == next,
            Kind::Member(member) => member.task == Some(next),
            _ => false,
        };
        if let Some(at) = state.strands.iter().rposition(is_next) {
            // It goes on with what it left before.
            state.segment += 1;
            for strand in state.strands.split_off(at + 1) {
                self.left.push(strand.memory.used());
                if let Kind::Task(task) = strand.kind {
                    // The rest of an untied task may have begun elsewhere.
                    self.tasks.leave(task, strand.clock);
                }
            }
            return;
        }
        let Begun { clock, locks } = self.tasks.begin(next);
        for lock in locks {
            self.critical.begin(thread, lock);
        }
        self.thread(thread).enter(Kind::Task(next), clock);
    }

    /// Finishes a task.
    fn finish(&mut self, thread: ThreadId, task: u64, released: &Released<Token>) {
        let end = &released.token;
        let state = self.thread(thread);
        let is_task = |strand: &Strand| matches!(strand.kind, Kind::Task(own) if own == task);
        let is_running = state.strands.iter().any(is_task);
        if let Some(barrier) = state.in_barrier {
            self.in_barriers.entry(barrier).or_default().join(end);
        } else if let Some(member) = state.member() {
            if member.is_over {
                let region = member.region;
                self.regions.entry(region).or_default().ended.join(end);
            } else if is_running {
                member.done.join(end);
            }
        }
        for lock in self.tasks.finish(task, released) {
            self.critical.end(thread, lock, end);
        }
    }

    /// Continues behind a task that is finished.
    fn resume(&mut self, thread: ThreadId, former: u64) {
        let ended = self.tasks.forget(former);
        let state = self.thread(thread);
        let is_former = |strand: &Strand| matches!(strand.kind, Kind::Task(task) if task == former);
        let at = state.strands.iter().rposition(is_former);
        let Some(at) = at else {
            // A task that only waited for those that it depends on.
            if let Some(Ended { ready, .. }) = ended {
                state.join(&ready);
            }
            return;
        };
        state.segment += 1;
        let strand = state.strands.remove(at);
        if ended.is_some_and(|ended| ended.is_undeferred) {
            state.join(&strand.clock);
        }
        self.left.push(strand.memory.used());
    }

    /// Releases the address of an atomic access.
    pub(crate) fn atomic_before(&mut self, thread: ThreadId, access: &MemoryAccess) {
        let released = self.thread(thread).release();
        self.addresses.entry(access.address).or_default().join(&released);
    }

    /// Completes an atomic access, which acquires its address if it has a ticket for that.
    pub(crate) fn atomic_after(&mut self, thread: ThreadId, access: &MemoryAccess) {
        if access.after > 0
            && let Some(known) = self.addresses.get(&access.address).cloned()
        {
            self.thread(thread).join(&known);
        }
    }
}
