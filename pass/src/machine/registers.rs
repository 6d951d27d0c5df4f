//! Gives the number of a path its register.
//!
//! The number lives in parts of a function that no call interrupts. Each such part has a register
//! of its own: one that is free, or unused, wherever the number lives. Nothing is saved for it.

use super::code::{Register, Registers};
use super::steps::{Region, Regions};

/// The register of the number in each region where it is needed; `None` if some part of the
/// function has none to spare.
pub(crate) fn of_number(regions: &Regions) -> Option<Vec<Option<Register>>> {
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
    for region in regions.all().filter(|&region| is_part(region)) {
        if registers[region.index()].is_some() {
            continue;
        }
        let mut part = vec![region];
        let mut seen = std::collections::HashSet::from([region.index()]);
        let mut at = 0;
        while let Some(&of) = part.get(at) {
            at += 1;
            let around = joined(of).chain(before[of.index()].iter().copied());
            part.extend(around.filter(|other| seen.insert(other.index())));
        }
        let busy = part.iter().fold(Registers::default(), |all, of| all | regions.busy[of.index()]);
        // The last ones are those that the program needs least.
        let register = busy.others().next_back()?;
        part.iter().for_each(|of| registers[of.index()] = Some(register));
    }
    Some(registers)
}
