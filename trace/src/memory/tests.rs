//! Compares races in small random programs with a search through all orders.

use counts::model::PathId;
use std::collections::BTreeSet;
use std::rc::Rc;

use pathformat::manifest::AccessKind;
use pathformat::trace::{Allocation, Operation, Synchronisation};

use crate::ids::{FunctionId, StackId, ThreadId};
use crate::memory::frees::Frees;
use crate::memory::owners::Owners;
use crate::memory::races::{Races, Shard};
use crate::order::item::{Actions, CodePlace, EndedPath, Item, MemoryAccess};
use crate::order::walk::{Input, Streams};
use crate::steps::program::Program;

/// An action of a thread, with its tickets.
#[derive(Clone, Copy, Debug)]
enum Action {
    Plain(MemoryAccess),
    Atomic(MemoryAccess),
    Lock(u64, u64),
    Unlock(u64, u64),
    /// Memory that no other action accesses. It orders nothing, but another thread may go on there.
    Allocate(u64),
}

/// A reproducible sequence of pseudo-random numbers.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

fn touch(random: &mut Random, number: u32) -> MemoryAccess {
    let kinds = [AccessKind::Load, AccessKind::Store, AccessKind::Update];
    let size = 1 << random.below(3);
    MemoryAccess {
        // No access crosses a cell, so each race of a pair is reported at its own address.
        address: (0x1000 + random.below(16)) & !(size - 1),
        size,
        kind: kinds[random.below(3) as usize],
        // Each access has a place of its own.
        place: CodePlace { function: FunctionId(0), at: number },
        is_atomic: false,
        stack: StackId::NONE,
        before: 0,
        after: 0,
    }
}

/// Returns the actions of three threads, in a possible order.
fn program(seed: u64) -> Vec<Vec<Action>> {
    actions(seed, 8)
}

/// As [`program`], with allocations if there are nine kinds of actions.
fn actions(seed: u64, kinds: u64) -> Vec<Vec<Action>> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut threads = vec![Vec::new(); 3];
    let mut held = [None; 3];
    let mut ticket = 0;
    // Atomic accesses that have released and not yet acquired.
    let mut halves: [Option<MemoryAccess>; 3] = [None; 3];
    for number in 0..10 + random.below(15) as u32 {
        let thread = random.below(3) as usize;
        ticket += 1;
        if let Some(mut access) = halves[thread].take() {
            access.after = ticket;
            threads[thread].push(Action::Atomic(access));
            continue;
        }
        match random.below(kinds) {
            8 => threads[thread].push(Action::Allocate(ticket)),
            0..4 => threads[thread].push(Action::Plain(touch(&mut random, number))),
            4 => {
                let mut access = MemoryAccess { is_atomic: true, ..touch(&mut random, number) };
                (access.address, access.size) = (0x1000 + 4 * random.below(2), 4);
                match random.below(3) {
                    0 => access.before = ticket,
                    1 => access.after = ticket,
                    _ => {
                        access.before = ticket;
                        halves[thread] = Some(access);
                        continue;
                    }
                }
                threads[thread].push(Action::Atomic(access));
            }
            _ => match held[thread].take() {
                Some(lock) => threads[thread].push(Action::Unlock(lock, ticket)),
                None => {
                    let lock = 0x10 + random.below(2);
                    if !held.contains(&Some(lock)) {
                        held[thread] = Some(lock);
                        threads[thread].push(Action::Lock(lock, ticket));
                    }
                }
            },
        }
    }
    threads
}

fn inputs(threads: &[Vec<Action>]) -> Streams<std::vec::IntoIter<Item>> {
    let event = |of: Operation, object: u64, before: u64, after: u64| {
        Item::Event(Synchronisation {
            operation: (of as u32).into(),
            object: object.into(),
            before: before.into(),
            after: after.into(),
            ..Synchronisation::default()
        })
    };
    let item = |did: &Action| match *did {
        Action::Plain(access) => Item::Path(EndedPath {
            function: FunctionId(0),
            path: PathId(0),
            last: 0,
            calls_for_user: false,
            calls: None,
            actions: Actions::default(),
            accesses: vec![access],
        }),
        Action::Atomic(access) => Item::Atomic(access),
        Action::Lock(object, ticket) => event(Operation::Lock, object, 0, ticket),
        Action::Unlock(object, ticket) => event(Operation::Unlock, object, ticket, 0),
        Action::Allocate(ticket) => Item::Allocated(Allocation {
            address: (0x10_0000 + 16 * ticket).into(),
            size: 8.into(),
            after: ticket.into(),
            former: 0.into(),
            before: 0.into(),
        }),
    };
    let input = |(thread, of): (u32, &Vec<Action>)| {
        let items: Vec<_> = of.iter().map(item).collect();
        Input { thread: ThreadId(thread), is_handler: false, begun: 0, items: items.into_iter() }
    };
    (0..).zip(threads).map(input).collect()
}

/// An object that orders threads: the address of an atomic access, or a lock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Object {
    Atomic(u64),
    Lock(u64),
}

/// Returns all bytes with races, by a search through all ways from one access to another.
fn searched(threads: &[Vec<Action>]) -> BTreeSet<u64> {
    // Each operation has two points: its release and its acquire.
    let (mut releases, mut acquires, mut accesses) = (Vec::new(), Vec::new(), Vec::new());
    let mut edges = Vec::new();
    let mut points = 0;
    for (thread, of) in threads.iter().enumerate() {
        for (at, did) in of.iter().enumerate() {
            let (first, second) = (points, points + 1);
            points += 2;
            edges.push((first, second));
            if at > 0 {
                edges.push((first - 1, first));
            }
            match *did {
                Action::Plain(access) => accesses.push((thread, first, second, access)),
                Action::Atomic(access) => {
                    // An acquirer is ordered behind the access, and the access behind its own
                    // acquire.
                    accesses.push((thread, second, first, access));
                    releases.push((Object::Atomic(access.address), access.before, first));
                    acquires.push((Object::Atomic(access.address), access.after, second));
                }
                Action::Lock(lock, ticket) => acquires.push((Object::Lock(lock), ticket, second)),
                Action::Unlock(lock, ticket) => releases.push((Object::Lock(lock), ticket, first)),
                Action::Allocate(_) => {}
            }
        }
    }
    for (object, before, from) in releases {
        for (other, after, to) in &acquires {
            if object == *other && before > 0 && before < *after {
                edges.push((from, *to));
            }
        }
    }
    let mut reaches = vec![vec![false; points]; points];
    (0..points).for_each(|point| reaches[point][point] = true);
    edges.iter().for_each(|&(from, to)| reaches[from][to] = true);
    for middle in 0..points {
        let further = reaches[middle].clone();
        for from in reaches.iter_mut().filter(|from| from[middle]) {
            from.iter_mut().zip(&further).for_each(|(known, further)| *known |= further);
        }
    }
    let mut bytes = BTreeSet::new();
    for (a, a_in, a_out, one) in &accesses {
        for (b, b_in, b_out, other) in &accesses {
            let conflict = a < b
                && (one.writes() || other.writes())
                && !(one.is_atomic && other.is_atomic)
                && !reaches[*a_out][*b_in]
                && !reaches[*b_out][*a_in];
            if conflict {
                let of = |access: &MemoryAccess| access.address..access.address + access.size;
                bytes.extend(of(one).filter(|byte| of(other).contains(byte)));
            }
        }
    }
    bytes
}

/// Gives all accesses to a cell one place.
fn with_a_place_for_each_cell(mut threads: Vec<Vec<Action>>) -> Vec<Vec<Action>> {
    for did in threads.iter_mut().flatten() {
        if let Action::Plain(access) | Action::Atomic(access) = did {
            access.place.at = (access.address / 8) as u32;
        }
    }
    threads
}

#[test]
fn races_are_those_that_a_search_finds() {
    let nothing = Program::default();
    let (mut with, mut without) = (0, 0);
    let each = (1..4000).map(|seed| (seed, program(seed)));
    let allocate = (1..4000).map(|seed| (seed, actions(seed, 9)));
    let of_cells = (1..4000).map(|seed| (seed, with_a_place_for_each_cell(program(seed))));
    for (seed, program) in each.chain(allocate).chain(of_cells) {
        let expected = searched(&program);
        let races = Races::of(
            inputs(&program),
            Owners::of(&nothing, Frees::default(), false),
            true,
            Rc::default(),
            Shard::default(),
        );
        let cells: BTreeSet<u64> = expected.iter().map(|byte| byte / 8).collect();
        let found: BTreeSet<u64> = races.pairs.values().map(|race| race.address / 8).collect();
        assert_eq!(found, cells, "seed {seed}: {program:?}");
        assert!(races.pairs.values().all(|race| expected.contains(&race.address)), "seed {seed}");
        if expected.is_empty() { without += 1 } else { with += 1 }
    }
    assert!(with > 500 && without > 100, "{with} {without}");
}

/// Puts the cells of a program far from each other, and gives several accesses one place.
fn apart(mut threads: Vec<Vec<Action>>) -> Vec<Vec<Action>> {
    for action in threads.iter_mut().flatten() {
        if let Action::Plain(access) | Action::Atomic(access) = action {
            access.place.at %= 5;
            access.address = access.address % 8 + access.address / 8 * 0x1000;
        }
    }
    threads
}

#[test]
fn searches_that_divide_the_memory_find_what_one_finds() {
    let nothing = Program::default();
    let (mut raced, mut in_both) = ([0, 0, 0], 0);
    for seed in 1..4000 {
        let program = apart(if seed % 2 == 0 { program(seed) } else { actions(seed, 9) });
        let find = |shard| {
            let owners = Owners::of(&nothing, Frees::default(), false);
            Races::of(inputs(&program), owners, true, Rc::default(), shard)
        };
        let expected = find(Shard::default());
        let mut shards = Shard::split(3).map(find);
        let mut found = shards.next().expect("three");
        raced[0] += found.count;
        for (other, raced) in shards.zip(&mut raced[1..]) {
            *raced += other.count;
            in_both += other.pairs.keys().filter(|pair| found.pairs.contains_key(pair)).count();
            found.add(other);
        }
        assert_eq!(found.pairs, expected.pairs, "seed {seed}: {program:?}");
        assert_eq!(found.possible, expected.possible, "seed {seed}");
        assert_eq!(found.count, expected.count, "seed {seed}");
    }
    assert!(raced[0] > 500 && raced[1] + raced[2] > 500 && in_both > 100, "{raced:?} {in_both}");
}

/// Returns the cells with races in a program, which was killed or was not.
fn raced(threads: &[Vec<Action>], was_killed: bool) -> BTreeSet<u64> {
    let nothing = Program::default();
    let streams = Streams { was_killed, ..inputs(threads) };
    let owners = Owners::of(&nothing, Frees::default(), false);
    let races = Races::of(streams, owners, true, Rc::default(), Shard::default());
    races.pairs.values().map(|race| race.address / 8).collect()
}

#[test]
fn what_a_killed_process_was_in_the_middle_of_makes_no_race() {
    let mut mistaken = 0;
    for seed in 1..4000 {
        let whole = program(seed);
        let cells: BTreeSet<u64> = searched(&whole).iter().map(|byte| byte / 8).collect();
        let mut random = Random(seed | 1);
        let mut threads = whole;
        for thread in &mut threads {
            if random.below(2) == 0 {
                thread.pop();
            }
        }
        let found = raced(&threads, true);
        assert!(found.is_subset(&cells), "seed {seed}: {found:?}, {cells:?}, {threads:?}");
        mistaken += usize::from(!raced(&threads, false).is_subset(&cells));
    }
    assert!(mistaken > 2, "{mistaken}");
}

#[test]
fn a_killed_process_may_have_lost_only_releases_whose_tickets_are_missing() {
    let access = |address, kind, at| MemoryAccess {
        address,
        size: 8,
        kind,
        place: CodePlace { function: FunctionId(0), at },
        is_atomic: false,
        stack: StackId::NONE,
        before: 0,
        after: 0,
    };
    let atomic = |before, after, at| {
        let access = access(0x2000, AccessKind::Update, at);
        Action::Atomic(MemoryAccess { is_atomic: true, before, after, ..access })
    };
    for (acquires, races) in [(2, true), (3, false)] {
        let first = vec![Action::Plain(access(0x1000, AccessKind::Store, 1))];
        let first = [vec![atomic(1, 0, 0)], first].concat();
        let load = Action::Plain(access(0x1000, AccessKind::Load, 3));
        let second = vec![atomic(0, acquires, 2), load];
        assert_eq!(!raced(&[first, second], true).is_empty(), races, "{acquires}");
    }
}

#[test]
fn memory_with_a_new_owner_has_no_history() {
    let nothing = Program::default();
    let store = |at: u32| {
        let (address, size, kind) = (0x2000, 8, AccessKind::Store);
        let place = CodePlace { function: FunctionId(0), at };
        let accesses = vec![MemoryAccess {
            address,
            size,
            kind,
            place,
            is_atomic: false,
            stack: StackId::NONE,
            before: 0,
            after: 0,
        }];
        Item::Path(EndedPath {
            function: FunctionId(0),
            path: PathId(0),
            last: 0,
            calls_for_user: false,
            calls: None,
            actions: Actions::default(),
            accesses,
        })
    };
    let event = |address: u64, former: u64, ticket: u64| {
        let (address, former, ticket) = (address.into(), former.into(), ticket.into());
        let (before, after) = (ticket, ticket);
        Item::Allocated(Allocation { address, former, size: 8.into(), before, after })
    };
    let freed = vec![event(0x2000, 0, 1), store(1), event(0, 0x2000, 2)];
    let resized = vec![store(1), event(0x2000, 0x2000, 1), store(2)];
    let renewed = vec![event(0x2000, 0, 3), store(2)];
    let cases = [
        ([freed, renewed.clone()], false),
        ([resized, vec![store(3)]], true),
        ([vec![store(1)], renewed], false),
        ([vec![store(1)], vec![store(2)]], true),
    ];
    for (streams, races) in cases {
        // The order of the streams says nothing.
        for is_reversed in [false, true] {
            let mut streams = streams.clone();
            if is_reversed {
                streams.reverse();
            }
            let inputs = (0..).zip(streams.clone()).map(|(thread, items)| Input {
                thread: ThreadId(thread),
                is_handler: false,
                begun: 0,
                items: items.into_iter(),
            });
            let owners = Owners::of(&nothing, Frees::default(), false);
            assert_eq!(
                Races::of(inputs.collect(), owners, true, Rc::default(), Shard::default()).count
                    > 0,
                races,
                "{streams:?}"
            );
        }
    }
}
