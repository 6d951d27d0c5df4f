//! The sample program of the tests, and its tables as text.

pub(crate) use counts::sample::{counted_image, report, units};
pub(crate) use profile::sample::record;

use crate::show::document::Document;
use crate::show::forms;
use crate::show::table::Table;
use crate::show::text_table::Screen;

/// A table as text without a width, without styles.
pub(crate) fn text_of(table: Table<'_>) -> String {
    let document = Document { tables: vec![table], ..Document::default() };
    anstream::adapter::strip_str(&forms::text(&document, Screen::default())).to_string()
}
