//! Gives the number of a path its register.
//!
//! The number lives in parts of a function that no call interrupts. Each such part has a register
//! of its own: one that is free, or unused, wherever the number lives. Nothing is saved for it.

use super::code::{Register, Registers};
use super::steps::{Region, Regions};

/// The register of the number in each region where it is needed. Where a part of the function has
/// none to spare, gives the parts of it at which one would be free if the number did not live there.
pub(crate) fn of_number(regions: &Regions) -> Result<Vec<Option<Register>>, Vec<Region>> {
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
    let mut before: Vec<Vec<Region>> = vec![Vec::new(); regions.busy.len()];
    for region in regions.all() {
        joined(region).for_each(|next| before[next.index()].push(region));
    }
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
            for other in joined(of).chain(before[of.index()].iter().copied()) {
                if !std::mem::replace(&mut seen[other.index()], true) {
                    part.push(other);
                }
            }
        }
        let busy = part.iter().fold(Registers::default(), |all, of| all | regions.busy[of.index()]);
        // The last ones are those that the program needs least.
        match busy.others().next_back() {
            Some(register) => part.iter().for_each(|of| registers[of.index()] = Some(register)),
            None => conflicts.extend(cheapest_conflicts(regions, &part)),
        }
    }
    if conflicts.is_empty() { Ok(registers) } else { Err(conflicts) }
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
