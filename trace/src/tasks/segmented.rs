//! A list that grows without being copied.

/// The number of values in a segment.
const SEGMENT: usize = 1 << 16;

/// A list of at most 2^32 values.
#[derive(Clone, Debug)]
pub struct Segmented<T>(Vec<Vec<T>>);

impl<T> Default for Segmented<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy> Segmented<T> {
    /// Appends a value.
    pub fn push(&mut self, value: T) {
        match self.0.last_mut().filter(|segment| segment.len() < SEGMENT) {
            Some(segment) => segment.push(value),
            None => {
                // The first segment grows, so that a short list takes little memory.
                let mut segment =
                    if self.0.is_empty() { Vec::new() } else { Vec::with_capacity(SEGMENT) };
                segment.push(value);
                self.0.push(segment);
            }
        }
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.0.last().map_or(0, |last| (self.0.len() - 1) * SEGMENT + last.len())
    }

    /// Returns true if there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value at an index, if there is one.
    pub fn get(&self, at: usize) -> Option<T> {
        self.0.get(at / SEGMENT)?.get(at % SEGMENT).copied()
    }

    /// Returns the value at an index for a change, if there is one.
    pub fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        self.0.get_mut(at / SEGMENT)?.get_mut(at % SEGMENT)
    }

    /// Returns all values, in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.0.iter().flatten().copied()
    }

    /// Returns the memory of the list, in bytes.
    pub fn memory(&self) -> usize {
        self.0.iter().map(|segment| segment.capacity() * size_of::<T>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_where_they_are() {
        let mut list = Segmented::default();
        assert!(list.is_empty() && list.get(0).is_none());
        let many = 2 * SEGMENT + 1;
        (0..many).for_each(|value| list.push(value));
        assert_eq!((list.len(), list.is_empty()), (many, false));
        assert!(list.iter().eq(0..many));
        assert!((0..many).all(|at| list.get(at) == Some(at)));
        *list.get_mut(SEGMENT).expect("it is there") = 7;
        assert_eq!((list.get(SEGMENT), list.get(many)), (Some(7), None));
        assert_eq!(list.get_mut(many), None);
    }
}
