//! Compares the image of a record with the file that is in its place now.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::PathBuf;

use crate::image;
use crate::records::Record;

/// The state of the image of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    /// The image is where it ran, as far as its build-id shows.
    Present,
    /// Another image is in its place.
    Earlier,
    /// Nothing is in its place.
    Gone,
}

/// The build-ids of the images that were examined, by path.
#[derive(Debug, Default)]
pub struct Builds(RefCell<HashMap<PathBuf, Option<Vec<u8>>>>);

impl Builds {
    /// Returns the state of the image of a record.
    pub fn of(&self, record: &Record) -> Build {
        let mut known = self.0.borrow_mut();
        let read = || image::build_id(&record.image).ok();
        let build_id = known.entry(record.image.clone()).or_insert_with(read);
        match build_id {
            None => Build::Gone,
            Some(present) if *present != record.build_id => Build::Earlier,
            Some(_) => Build::Present,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn an_image_is_known_by_its_build_id() {
        let own = std::env::current_exe().expect("a program");
        let build_id = image::build_id(&own).expect("an image");
        let builds = Builds::default();
        let of = |image: PathBuf, build_id: &[u8]| {
            builds.of(&Record { image, build_id: build_id.to_vec(), ..sample::record(1, 0) })
        };
        assert_eq!(of(own.clone(), &build_id), Build::Present);
        assert_eq!(of(own, b"other"), Build::Earlier);
        assert_eq!(of("/nowhere".into(), &build_id), Build::Gone);
    }
}
