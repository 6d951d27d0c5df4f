//! Chooses the path registers, which hold the number of the path.
//!
//! The number lives in parts of a function that no call interrupts. Each such part has a register
//! of its own: one that is free, or unused, wherever the number lives. Nothing is saved for it.
//!
//! The register holds the number as an address: that of the counter with this number, less that of
//! the part's *bias*, plus that of the thread's counters. So a count needs no other register. The
//! bias is the number that is set most often, so that setting it is no more than reading the
//! address.

use paths::placement::Op;

use super::code::{Register, Registers};
use super::regions::{Region, Regions};

/// The path register of a part of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PathRegister {
    /// The register.
    pub(crate) register: Register,
    /// The number for which it holds the address of the thread's counters.
    pub(crate) bias: i64,
}

impl PathRegister {
    /// The set of one, or of none.
    pub(crate) fn set(number: Option<Self>) -> Registers {
        number.into_iter().map(|of| of.register).collect()
    }
}

/// The path register of each region where one is needed. Where a part of the function has
/// none to spare, gives the parts of it at which one would be free if the number did not live
/// there.
pub(crate) fn path_registers(regions: &Regions) -> Result<Vec<Option<PathRegister>>, Vec<Region>> {
    let is_part = |region: Region| {
        regions.is_live[region.index()]
            || regions.lives_behind(region)
            || regions.uses_number(region)
    };
    let mut registers = vec![None; regions.busy.len()];
    let joined = |region: Region| {
        let next = regions.next[region.index()].iter();
        next.copied().filter(|next| regions.is_live[next.index()])
    };
    // Where the number is in its register, all regions before have it there, too.
    let before = |region: Region| {
        let all = regions.before[region.index()].iter();
        all.copied().filter(move |_| regions.is_live[region.index()])
    };
    let mut seen = vec![false; regions.busy.len()];
    let mut conflicts = Vec::new();
    for region in regions.all().filter(|&region| is_part(region)) {
        if std::mem::replace(&mut seen[region.index()], true) {
            continue;
        }
        let mut part = vec![region];
        let mut at = 0;
        while let Some(&of) = part.get(at) {
            at += 1;
            for other in joined(of).chain(before(of)) {
                if !std::mem::replace(&mut seen[other.index()], true) {
                    part.push(other);
                }
            }
        }
        let busy = part.iter().fold(Registers::default(), |all, of| all | regions.busy[of.index()]);
        match busy.others().next_back() {
            Some(register) => {
                let number = PathRegister { register, bias: bias(regions, &part) };
                part.iter().for_each(|of| registers[of.index()] = Some(number));
            }
            None => conflicts.extend(cheapest_conflicts(regions, &part)),
        }
    }
    if conflicts.is_empty() { Ok(registers) } else { Err(conflicts) }
}

/// The number that is set most often in `part`.
fn bias(regions: &Regions, part: &[Region]) -> i64 {
    let mut sums = std::collections::BTreeMap::<i64, u64>::new();
    for region in part {
        for step in &regions.steps[region.index()] {
            if let Op::Set(value) = step.op {
                let sum = sums.entry(value).or_default();
                *sum = sum.saturating_add(regions.frequency[region.index()]);
            }
        }
    }
    sums.into_iter().max_by_key(|&(_, sum)| sum).map_or(0, |(value, _)| value)
}

/// Where the register is busy that is busy in the least executed regions of `part`.
fn cheapest_conflicts(regions: &Regions, part: &[Region]) -> Vec<Region> {
    let conflicts = |register: Register| {
        part.iter().copied().filter(move |of| regions.busy[of.index()].has(register))
    };
    let price = |&register: &Register| {
        let prices = conflicts(register).map(|of| regions.frequency[of.index()]);
        prices.fold(0, u64::saturating_add)
    };
    let best = Register::all().min_by_key(price).expect("there are registers");
    conflicts(best).collect()
}
