//! Races are those that a search through all orders finds, in small random programs.

use std::collections::BTreeSet;

use pathformat::manifest::AccessKind;
use pathformat::trace::{Operation, Synchronisation};

use crate::memory::frees::Frees;
use crate::memory::owners::Owners;
use crate::memory::races::Races;
use crate::order::item::{Actions, Done, Item, Place, Touch};
use crate::order::thread_id::ThreadId;
use crate::order::walk::{Input, Streams};
use crate::steps::program::Program;

/// Something that a thread did, with its tickets.
#[derive(Clone, Copy, Debug)]
enum Did {
    Plain(Touch),
    Atomic(Touch),
    Lock(u64, u64),
    Unlock(u64, u64),
}

/// Numbers that look random and are the same each time.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

fn touch(random: &mut Random, number: u32) -> Touch {
    let kinds = [AccessKind::Load, AccessKind::Store, AccessKind::Update];
    let size = 1 << random.below(3);
    Touch {
        // None reaches into another cell, so that each pair of accesses is told where it races.
        address: (0x1000 + random.below(16)) & !(size - 1),
        size,
        kind: kinds[random.below(3) as usize],
        // Each access has a place of its own.
        place: Place { function: 0, at: number },
        is_atomic: false,
        before: 0,
        after: 0,
    }
}

/// What three threads do, in an order that may have been.
fn program(seed: u64) -> Vec<Vec<Did>> {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut threads = vec![Vec::new(); 3];
    let mut held = [None; 3];
    let mut ticket = 0;
    // Atomic accesses that have released and not yet acquired.
    let mut halves: [Option<Touch>; 3] = [None; 3];
    for number in 0..10 + random.below(15) as u32 {
        let thread = random.below(3) as usize;
        ticket += 1;
        if let Some(mut touch) = halves[thread].take() {
            touch.after = ticket;
            threads[thread].push(Did::Atomic(touch));
            continue;
        }
        match random.below(8) {
            0..4 => threads[thread].push(Did::Plain(touch(&mut random, number))),
            4 => {
                let mut touch = Touch { is_atomic: true, ..touch(&mut random, number) };
                (touch.address, touch.size) = (0x1000 + 4 * random.below(2), 4);
                match random.below(3) {
                    0 => touch.before = ticket,
                    1 => touch.after = ticket,
                    _ => {
                        touch.before = ticket;
                        halves[thread] = Some(touch);
                        continue;
                    }
                }
                threads[thread].push(Did::Atomic(touch));
            }
            _ => match held[thread].take() {
                Some(lock) => threads[thread].push(Did::Unlock(lock, ticket)),
                None => {
                    let lock = 0x10 + random.below(2);
                    if !held.contains(&Some(lock)) {
                        held[thread] = Some(lock);
                        threads[thread].push(Did::Lock(lock, ticket));
                    }
                }
            },
        }
    }
    threads
}

fn inputs(threads: &[Vec<Did>]) -> Streams<std::vec::IntoIter<Item>> {
    let event = |of: Operation, object: u64, before: u64, after: u64| {
        Item::Event(Synchronisation {
            operation: (of as u32).into(),
            object: object.into(),
            before: before.into(),
            after: after.into(),
            ..Synchronisation::default()
        })
    };
    let item = |did: &Did| match *did {
        Did::Plain(touch) => Item::Done(Done {
            function: 0,
            path: 0,
            last: 0,
            actions: Actions::default(),
            touches: vec![touch],
        }),
        Did::Atomic(touch) => Item::Atomic(touch),
        Did::Lock(object, ticket) => event(Operation::Lock, object, 0, ticket),
        Did::Unlock(object, ticket) => event(Operation::Unlock, object, ticket, 0),
    };
    let input = |(thread, of): (u32, &Vec<Did>)| {
        let items: Vec<_> = of.iter().map(item).collect();
        Input { thread: ThreadId(thread), is_handler: false, begun: 0, items: items.into_iter() }
    };
    (0..).zip(threads).map(input).collect()
}

/// What orders: an atomic access of an address, or a lock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Object {
    Atomic(u64),
    Lock(u64),
}

/// All bytes with races, by looking at all ways from one access to another.
fn searched(threads: &[Vec<Did>]) -> BTreeSet<u64> {
    // Two points for each thing: where it releases and where it acquires.
    let (mut releases, mut acquires, mut touches) = (Vec::new(), Vec::new(), Vec::new());
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
                Did::Plain(touch) => touches.push((thread, first, second, touch)),
                Did::Atomic(touch) => {
                    // Who acquires it knows the access; the access knows what it acquired.
                    touches.push((thread, second, first, touch));
                    releases.push((Object::Atomic(touch.address), touch.before, first));
                    acquires.push((Object::Atomic(touch.address), touch.after, second));
                }
                Did::Lock(lock, ticket) => acquires.push((Object::Lock(lock), ticket, second)),
                Did::Unlock(lock, ticket) => releases.push((Object::Lock(lock), ticket, first)),
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
    for (a, a_in, a_out, one) in &touches {
        for (b, b_in, b_out, other) in &touches {
            let conflict = a < b
                && (one.writes() || other.writes())
                && !(one.is_atomic && other.is_atomic)
                && !reaches[*a_out][*b_in]
                && !reaches[*b_out][*a_in];
            if conflict {
                let of = |touch: &Touch| touch.address..touch.address + touch.size;
                bytes.extend(of(one).filter(|byte| of(other).contains(byte)));
            }
        }
    }
    bytes
}

#[test]
fn races_are_those_that_a_search_finds() {
    let nothing = Program::default();
    let (mut with, mut without) = (0, 0);
    for seed in 1..4000 {
        let program = program(seed);
        let expected = searched(&program);
        let races = Races::of(inputs(&program), Owners::of(&nothing, Frees::default(), false));
        let cells: BTreeSet<u64> = expected.iter().map(|byte| byte / 8).collect();
        let found: BTreeSet<u64> = races.pairs.values().map(|race| race.address / 8).collect();
        assert_eq!(found, cells, "seed {seed}: {program:?}");
        assert!(races.pairs.values().all(|race| expected.contains(&race.address)), "seed {seed}");
        if expected.is_empty() { without += 1 } else { with += 1 }
    }
    assert!(with > 500 && without > 100, "{with} {without}");
}

#[test]
fn memory_with_a_new_owner_has_no_history() {
    use pathformat::trace::Allocation;
    let nothing = Program::default();
    let store = |at: u32| {
        let (address, size, kind) = (0x2000, 8, AccessKind::Store);
        let place = Place { function: 0, at };
        let touches =
            vec![Touch { address, size, kind, place, is_atomic: false, before: 0, after: 0 }];
        Item::Done(Done { function: 0, path: 0, last: 0, actions: Actions::default(), touches })
    };
    let event = |address: u64, former: u64| {
        let (address, former) = (address.into(), former.into());
        Item::Allocated(Allocation { address, former, size: 8.into() })
    };
    for (renewed, races) in [(false, 1), (true, 0)] {
        let mut second = vec![store(2)];
        if renewed {
            second.insert(0, event(0x2000, 0));
        }
        let streams = [vec![event(0x2000, 0), store(1), event(0, 0x2000)], second];
        let streams = if renewed { streams } else { [vec![store(1)], streams[1].clone()] };
        let inputs = (0..).zip(streams).map(|(thread, items)| Input {
            thread: ThreadId(thread),
            is_handler: false,
            begun: 0,
            items: items.into_iter(),
        });
        assert_eq!(
            Races::of(inputs.collect(), Owners::of(&nothing, Frees::default(), false)).count,
            races
        );
    }
}
