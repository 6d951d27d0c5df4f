//! The notation of places of the source.

use counts::model::Function;
pub use counts::path_text::base_name;
use counts::path_text::block_name;
use pathformat::manifest;

/// Returns the source lines of a block, without repetitions in a row; the block itself if no line
/// of the function is known.
pub fn lines(function: &Function, block: u32) -> Vec<String> {
    if !function.has_lines() {
        return vec![block_name(block)];
    }
    let mut places = places(function, block);
    places.dedup();
    places
}

/// Returns the first line and the number of a block.
pub(crate) fn block_and_line(function: &Function, block: u32) -> String {
    let number = block_name(block);
    match lines(function, block).into_iter().next() {
        Some(line) if line != number => format!("line {line} ({number})"),
        _ => number,
    }
}

/// Returns the source lines of the locations of a block.
fn places(function: &Function, block: u32) -> Vec<String> {
    let shape = &function.shape;
    let locations = shape.blocks[block as usize]
        .locations
        .iter()
        .map(|&index| &shape.locations[index as usize]);
    locations
        .filter(|location| location.line != 0)
        .map(|location| place(function, location))
        .collect()
}

/// Returns a line, behind the name of its file if that is not the file of the function.
pub fn place(function: &Function, location: &manifest::Location) -> String {
    if location.file == function.shape.file {
        location.line.to_string()
    } else {
        format!("{}:{}", base_name(&location.file), location.line)
    }
}
