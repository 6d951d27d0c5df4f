//! Paths as cells of a table. The paths of one function are fitted together, so that they differ at
//! every width.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use counts::listed_paths::{self, ListedPath};
use counts::path_text::PathText;

use crate::show::path_layout::lay_out_all;
use crate::show::table::{Cell, Flow};

/// The paths of one function.
struct Together<'a> {
    texts: Vec<PathText<'a>>,
    /// The layouts for the widths that were requested.
    laid: RefCell<HashMap<usize, Vec<String>>>,
}

/// One of these paths.
struct PathFlow<'a> {
    paths: Rc<Together<'a>>,
    index: usize,
}

/// Returns a cell for each of these paths of one function.
pub(crate) fn cells<'a>(texts: Vec<PathText<'a>>) -> Vec<Cell<'a>> {
    let count = texts.len();
    let paths = Rc::new(Together { texts, laid: RefCell::default() });
    let cell = |index| Cell::Flow(Box::new(PathFlow { paths: Rc::clone(&paths), index }));
    (0..count).map(cell).collect()
}

/// Returns a cell for each path of a list. Those of one function are fitted together.
pub(crate) fn of_list<'a>(list: &[ListedPath<'a>]) -> Vec<Cell<'a>> {
    let mut cells_of_list: Vec<_> = list.iter().map(|_| Cell::Nothing).collect();
    for group in listed_paths::by_function(list) {
        let of_one: Vec<_> = group.iter().map(|&at| list[at]).collect();
        for (at, cell) in group.into_iter().zip(cells(listed_paths::texts_together(&of_one))) {
            cells_of_list[at] = cell;
        }
    }
    cells_of_list
}

impl Flow for PathFlow<'_> {
    fn plain(&self) -> String {
        self.paths.texts[self.index].plain()
    }

    fn fit(&self, width: Option<usize>) -> Vec<String> {
        let mut laid = self.paths.laid.borrow_mut();
        // An unlimited width is the largest one.
        let texts = laid
            .entry(width.unwrap_or(usize::MAX))
            .or_insert_with(|| lay_out_all(&self.paths.texts, width));
        texts[self.index].lines().map(str::to_string).collect()
    }
}
