//! Lines of source code for a terminal.

use profile::escape;
use unicode_width::UnicodeWidthChar;

/// The distance of tab stops.
const TAB: usize = 8;

/// A line of code that can be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The text, in which tabs are blanks and invisible characters are written as their codes.
    pub text: String,
    /// The column in `text`, from 0, of each byte of the source line and of its end.
    columns: Vec<usize>,
}

impl Line {
    /// Creates the line for this text of a source file.
    pub fn new(source: &str) -> Self {
        let mut line = Self::default();
        let mut width = 0;
        for c in source.chars() {
            let shown = match c {
                '\t' => " ".repeat(TAB - width % TAB),
                c => escape::terminal(c.encode_utf8(&mut [0; 4])).into_owned(),
            };
            line.columns.extend(std::iter::repeat_n(width, c.len_utf8()));
            width += shown.chars().filter_map(UnicodeWidthChar::width).sum::<usize>();
            line.text += &shown;
        }
        line.columns.push(width);
        line
    }

    /// Returns the column in the text of a column of the source, in bytes from 1 as compilers
    /// count.
    pub fn column(&self, column: u32) -> usize {
        let index = (column as usize).saturating_sub(1);
        self.columns.get(index).or(self.columns.last()).copied().unwrap_or_default()
    }
}

/// Returns marks below a line of code: texts at columns, in lines of at most `width` characters. A
/// text without room on a line goes to the next.
pub fn marks(marks: &[(usize, String)], width: usize) -> Vec<String> {
    let mut lines: Vec<(String, usize)> = Vec::new();
    for (column, text) in marks {
        let wide = text.chars().count();
        let column = (*column).min(width.saturating_sub(wide));
        let fits = |(_, taken): &&mut (String, usize)| *taken == 0 || *taken < column;
        match lines.iter_mut().find(fits) {
            Some((line, taken)) => {
                *line += &" ".repeat(column - *taken);
                *line += text;
                *taken = column + wide;
            }
            None => lines.push((" ".repeat(column) + text, column + wide)),
        }
    }
    lines.into_iter().map(|(line, _)| line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_text() {
        let line = Line::new("\tä = \u{202e}1;");
        assert_eq!(line.text, "        ä = \\u{202e}1;");
        assert_eq!((line.column(1), line.column(2), line.column(4)), (0, 8, 9));
        assert_eq!((line.column(10), line.column(99)), (20, 22));
        assert_eq!(Line::new("").column(1), 0);
    }

    #[test]
    fn marks_stand_below_their_columns() {
        let mark = |column, text: &str| (column, text.to_string());
        let marks =
            super::marks(&[mark(2, "^12"), mark(4, "^7"), mark(8, "^1"), mark(90, "^3")], 20);
        assert_eq!(marks, ["  ^12   ^1        ^3", "    ^7"]);
    }
}
