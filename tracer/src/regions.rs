//! The parallel regions of OpenMP that a thread has begun, from the outside in.

/// The largest number of regions inside each other that are known.
const DEPTH: usize = 32;

/// The regions of a thread. All-zero bytes are a valid value.
pub(crate) struct Regions {
    depth: usize,
    /// The address of the library's word for the task that began each, and the region's number.
    begun: [(usize, u64); DEPTH],
}

impl Regions {
    #[cfg(test)]
    pub(crate) const NONE: Self = Self { depth: 0, begun: [(0, 0); DEPTH] };

    /// Begins a region, unless there are too many.
    pub(crate) fn begin(&mut self, task: usize, region: u64) {
        if let Some(place) = self.begun.get_mut(self.depth) {
            *place = (task, region);
            self.depth += 1;
        }
    }

    /// Ends the innermost region that a task began. Returns its number if it is known.
    pub(crate) fn end(&mut self, task: usize) -> Option<u64> {
        let begun = self.begun.get(..self.depth)?;
        let at = begun.iter().rposition(|(known, _)| *known == task)?;
        self.depth = at;
        self.begun.get(at).map(|(_, region)| *region)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_end_from_the_inside_out() {
        let mut regions = Regions::NONE;
        regions.begin(1, 10);
        regions.begin(2, 20);
        regions.begin(2, 21);
        let ended = [2, 2, 2, 1, 1].map(|task| regions.end(task));
        assert_eq!(ended, [Some(21), Some(20), None, Some(10), None]);
        (0..=DEPTH as u64).for_each(|region| regions.begin(region as usize, region));
        assert_eq!((regions.end(DEPTH), regions.end(DEPTH - 1)), (None, Some(DEPTH as u64 - 1)));
    }
}
