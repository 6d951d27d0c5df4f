//! Decides where the address of the thread's counters is read, and into which register.
//!
//! A register holds the address from one count to the next wherever the program leaves it alone.
//! Reading has no effect that the program could see, so it may also happen where no count follows.
//! Where it is best to read is therefore a least cut: between the places at which the address may
//! be missing and the counts, with the executions of each point as its price ("An Optimal Partial
//! Redundancy Elimination", Xue & Cai, ACM TACO 3(3), 2006). Each part of a function that no call
//! interrupts has a register of its own. Counts at which that one is taken get another one.

use super::code::{Register, Registers};
use super::cut::{Network, UNLIMITED};
use super::regions::{Region, Regions};

/// How many registers are compared for a part of a function.
const TRIED: usize = 4;

/// What a count costs, in readings, that a register does not serve: another one may.
const OTHERS: u64 = 2;

/// In larger parts of a function the address is read at each count.
const LARGEST: usize = 20_000;

/// The registers with the address.
pub(crate) struct Bases {
    /// The registers into which the address is read at each point.
    pub(crate) reads: Vec<Vec<Register>>,
    /// The register that has the address for the counts of each point; `None` where the program
    /// leaves none.
    pub(crate) at: Vec<Option<Register>>,
    /// The registers that have the address in each region, for counts there or behind it.
    pub(crate) kept: Vec<Registers>,
}

impl Bases {
    /// Finds where registers have the address: before a count that uses one, back to where it is
    /// read.
    fn find_kept(&mut self, regions: &Regions) {
        let mut pending: Vec<_> = regions.all().collect();
        while let Some(region) = pending.pop() {
            let at = region.index();
            let behind = regions.next[at].iter();
            let behind = behind.fold(Registers::default(), |all, next| {
                all | self.kept[next.index()].without(&self.reads[next.index()])
            });
            let used = self.at[at].into_iter().chain(self.reads[at].iter().copied()).collect();
            let kept = behind | used;
            if kept != self.kept[at] {
                self.kept[at] = kept;
                pending.extend(&regions.before[at]);
            }
        }
    }
}

/// Places the readings that the points which `need` the address need. What of our own is in
/// registers of a region is `taken`.
pub(crate) fn place(
    regions: &Regions,
    taken: impl Fn(Region) -> Registers,
    need: impl Fn(Region) -> bool,
) -> Bases {
    let length = regions.busy.len();
    let busy: Vec<Registers> =
        regions.all().map(|region| regions.busy[region.index()] | taken(region)).collect();
    let mut bases = Bases {
        reads: vec![Vec::new(); length],
        at: vec![None; length],
        kept: vec![Registers::default(); length],
    };
    let mut open: Vec<Region> = regions.all().filter(|&region| need(region)).collect();
    let parts = parts(regions, &busy);
    open.sort_by_key(|region| parts[region.index()]);
    for part in open.chunk_by(|a, b| parts[a.index()] == parts[b.index()]) {
        let members = members(regions, &busy, part);
        let mut part = part.to_vec();
        while let Some((register, reads)) = best(regions, &busy, &members, &part) {
            let (served, rest): (Vec<_>, Vec<_>) =
                part.iter().copied().partition(|of| !busy[of.index()].has(register));
            served.iter().for_each(|of| bases.at[of.index()] = Some(register));
            reads.iter().for_each(|point| bases.reads[point.index()].push(register));
            part = rest;
        }
    }
    bases.find_kept(regions);
    bases
}

/// True if some register can hold the address all through a region.
fn is_open(busy: Registers) -> bool {
    busy.others().next().is_some()
}

/// The number of the part of the function that each region belongs to.
fn parts(regions: &Regions, busy: &[Registers]) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..busy.len() as u32).collect();
    fn find(parent: &mut [u32], mut of: u32) -> u32 {
        while parent[of as usize] != of {
            parent[of as usize] = parent[parent[of as usize] as usize];
            of = parent[of as usize];
        }
        of
    }
    for region in regions.all().filter(|region| is_open(busy[region.index()])) {
        for next in &regions.next[region.index()] {
            if is_open(busy[next.index()]) {
                let one = find(&mut parent, region.index() as u32);
                let other = find(&mut parent, next.index() as u32);
                parent[one as usize] = other;
            }
        }
    }
    (0..busy.len() as u32).map(|of| find(&mut parent, of)).collect()
}

/// The regions from which control can come to one of `part` with something kept.
fn members(regions: &Regions, busy: &[Registers], part: &[Region]) -> Vec<Region> {
    let mut seen = vec![false; busy.len()];
    let mut members = part.to_vec();
    part.iter().for_each(|of| seen[of.index()] = true);
    let mut at = 0;
    while let Some(&of) = members.get(at) {
        at += 1;
        for &other in &regions.before[of.index()] {
            if is_open(busy[other.index()]) && !std::mem::replace(&mut seen[other.index()], true) {
                members.push(other);
            }
        }
    }
    members
}

/// The register that costs least, with the points at which it is read; `None` if it would serve
/// nothing of `part`. Only those are looked at that are free in most of `members`.
fn best(
    regions: &Regions,
    busy: &[Registers],
    members: &[Region],
    part: &[Region],
) -> Option<(Register, Vec<Region>)> {
    let executions = |of: &Region| regions.frequency[of.index()].max(1);
    let sum =
        |of: &mut dyn Iterator<Item = &Region>| of.map(executions).fold(0, u64::saturating_add);
    let is_free = |register: Register, of: &Region| !busy[of.index()].has(register);
    let useful = Register::all().filter(|&of| part.iter().any(|region| is_free(of, region)));
    let mut useful: Vec<_> = useful.collect();
    useful.sort_by_cached_key(|&register| {
        let free = members.iter().chain(part).filter(|of| is_free(register, of));
        std::cmp::Reverse((sum(&mut { free }), register))
    });
    let tried = useful.into_iter().take(TRIED).map(|register| {
        let served: Vec<_> = part.iter().copied().filter(|of| is_free(register, of)).collect();
        let reads = readings(regions, busy, register, &served, members.len());
        let others = sum(&mut part.iter().filter(|of| !is_free(register, of)));
        let price = sum(&mut reads.iter()).saturating_add(others.saturating_mul(OTHERS));
        (price, register, reads)
    });
    let (_, register, reads) = tried.min_by_key(|&(price, ..)| price)?;
    Some((register, reads))
}

/// The points at which `register` is read, so that it has the address at each of `served`.
fn readings(
    regions: &Regions,
    busy: &[Registers],
    register: Register,
    served: &[Region],
    size: usize,
) -> Vec<Region> {
    if size > LARGEST {
        return served.to_vec();
    }
    let is_free = |region: &Region| !busy[region.index()].has(register);
    // Each region is two nodes of the network: before its reading, and behind it.
    let mut known = std::collections::HashMap::new();
    let mut members: Vec<Region> = Vec::new();
    let mut add = |region: Region, members: &mut Vec<Region>| {
        *known.entry(region).or_insert_with(|| {
            members.push(region);
            2 + 2 * (members.len() - 1)
        })
    };
    let (source, sink) = (0, 1);
    let mut arcs = Vec::new();
    for &region in served {
        let node = add(region, &mut members);
        arcs.push((node + 1, sink, UNLIMITED));
    }
    let mut at = 0;
    while let Some(&region) = members.get(at) {
        let node = 2 + 2 * at;
        at += 1;
        let price = match regions.is_point[region.index()] {
            true => regions.frequency[region.index()].clamp(1, UNLIMITED / 1024),
            false => UNLIMITED,
        };
        arcs.push((node, node + 1, price));
        let comes = &regions.before[region.index()];
        if comes.is_empty() || !comes.iter().all(is_free) {
            arcs.push((source, node, UNLIMITED));
        }
        for &from in comes.iter().filter(|from| is_free(from)) {
            let from = add(from, &mut members);
            arcs.push((from + 1, node, UNLIMITED));
        }
    }
    let mut network = Network::new(2 + 2 * members.len());
    arcs.iter().for_each(|&(from, to, capacity)| network.add(from, to, capacity));
    let is_behind = network.least_cut(source, sink);
    let is_cut = |at: &usize| !is_behind[2 + 2 * at] && is_behind[3 + 2 * at];
    (0..members.len()).filter(is_cut).map(|at| members[at]).collect()
}
