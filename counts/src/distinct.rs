//! Distinguishes paths whose texts are equal: finds the blocks at which they diverge.
//!
//! The paths are walked side by side. Where they diverge, the next block of each is described by
//! its line and column if these differ, otherwise by its number. Paths that never diverge have the
//! same blocks and cannot be distinguished here.

use std::collections::BTreeMap;

/// The precision of the description of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// By its line.
    #[default]
    Line,
    /// By its line and column.
    Column,
    /// By the block's number.
    Block,
}

/// For positions in a path, the precision for the block there.
pub(crate) type Detail = BTreeMap<usize, Precision>;

/// Returns for each path, given as its blocks, the precision that its blocks need. `place` returns
/// the place at which a block begins.
pub(crate) fn details<P: PartialEq>(
    paths: &[&[u32]],
    place: impl Fn(u32) -> Option<P>,
) -> Vec<Detail> {
    let mut details = vec![Detail::new(); paths.len()];
    let mut groups: Vec<(usize, Vec<usize>)> = vec![(0, (0..paths.len()).collect())];
    while let Some((position, group)) = groups.pop() {
        let Some(position) = parting(paths, &group, position) else { continue };
        let mut ways: BTreeMap<Option<u32>, Vec<usize>> = BTreeMap::new();
        for index in group {
            ways.entry(paths[index].get(position).copied()).or_default().push(index);
        }
        let places: Vec<_> = ways.keys().flatten().map(|&block| place(block)).collect();
        let differ = places
            .iter()
            .enumerate()
            .all(|(index, place)| place.is_some() && !places[..index].contains(place));
        let precision = if differ { Precision::Column } else { Precision::Block };
        for (block, group) in ways {
            for &index in group.iter().filter(|_| block.is_some()) {
                details[index].insert(position, precision);
            }
            groups.extend((group.len() > 1).then_some((position + 1, group)));
        }
    }
    details
}

/// Returns the first position from `from` on at which not all have the same block; `None` if all
/// end together.
fn parting(paths: &[&[u32]], group: &[usize], from: usize) -> Option<usize> {
    let at = |index: usize, position: usize| paths[index].get(position);
    let first = *group.first()?;
    let longest = group.iter().map(|&index| paths[index].len()).max().unwrap_or_default();
    (from..longest)
        .find(|&position| group.iter().any(|&index| at(index, position) != at(first, position)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_tell_the_blocks_at_which_they_part() {
        let paths: [&[u32]; 4] = [&[0, 1, 3, 4], &[0, 2, 3, 4], &[0, 2, 3, 5], &[0, 2, 3]];
        // Blocks 1 and 2 begin at different places, 4 and 5 at the same place.
        let details = details(&paths, |block| Some(block.min(4)));
        let details =
            |index: usize| details[index].iter().map(|(&at, &how)| (at, how)).collect::<Vec<_>>();
        assert_eq!(details(0), [(1, Precision::Column)]);
        assert_eq!(details(1), [(1, Precision::Column), (3, Precision::Block)]);
        assert_eq!(details(2), [(1, Precision::Column), (3, Precision::Block)]);
        assert_eq!(details(3), [(1, Precision::Column)]);
    }

    #[test]
    fn paths_of_the_same_blocks_are_left_alone() {
        let details = details(&[&[0, 1], &[0, 1]], Some);
        assert!(details.iter().all(Detail::is_empty));
    }
}
