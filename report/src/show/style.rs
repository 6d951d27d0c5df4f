//! How numbers, names and tables look.

use std::io::{Result, Write};

use comfy_table::{Cell, CellAlignment, ContentLineStyle, LineStyle, Table, TableStyle};
use owo_colors::OwoColorize;

use crate::analyse::model::Count;

/// A whole number with its digits in groups of three.
pub fn grouped(number: Count) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `part` of `whole` in percent with one decimal. Rounds down near 100, so that only all is all.
pub fn percent(part: Count, whole: Count) -> String {
    let permille = permille(part, whole);
    match permille {
        0 if part > 0 => "<0.1%".into(),
        1000 if part >= whole => "100%".into(),
        _ => format!("{}.{}%", permille / 10, permille % 10),
    }
}

/// Thousandths of `whole`, rounded, but below 1000 unless it is all.
fn permille(part: Count, whole: Count) -> Count {
    if whole == 0 {
        return 0;
    }
    if part >= whole {
        return 1000;
    }
    // Keep 118 bits, so that the product fits; what is lost does not show.
    let shift = (Count::BITS - whole.leading_zeros()).saturating_sub(118);
    let (part, whole) = (part >> shift, whole >> shift);
    ((part * 1000 + whole / 2) / whole).min(999)
}

/// A share in percent, coloured by its weight.
pub fn share(part: Count, whole: Count) -> String {
    let text = percent(part, whole);
    match permille(part, whole) {
        200.. => text.red().bold().to_string(),
        50.. => text.yellow().to_string(),
        _ => text,
    }
}

/// How many of `all` rows are shown if at most `top` may be (0: all).
pub fn shown(top: usize, all: usize) -> usize {
    if top == 0 { all } else { top.min(all) }
}

/// Writes a table.
///
/// # Errors
/// Those of `out`.
pub fn print(table: &Table, out: &mut impl Write) -> Result<()> {
    writeln!(out, "{}", table.trim_fmt())
}

/// Says below a table that it has only the first `shown` of `all` rows. `named` is the number of
/// all in words.
///
/// # Errors
/// Those of `out`.
pub fn left_out(shown: usize, all: usize, named: &str, out: &mut impl Write) -> Result<()> {
    if shown < all {
        let text = format!("the first {} of {named}; --top 0 shows all", grouped(shown as Count));
        writeln!(out, "{}", text.dimmed())?;
    }
    Ok(())
}

/// `one thing`, `2 things`.
pub fn plural(number: usize, thing: &str) -> String {
    let number_text = grouped(number as Count);
    if number == 1 { format!("{number_text} {thing}") } else { format!("{number_text} {thing}s") }
}

/// `text`, cut in its middle to at most `width` characters.
pub fn elide(text: &str, width: Option<usize>) -> String {
    let text: Vec<char> = text.chars().collect();
    match width {
        Some(width) if text.len() > width && width > 0 => {
            let head = (width - 1).div_ceil(2);
            let tail = width - 1 - head;
            text[..head].iter().chain(['…'].iter()).chain(&text[text.len() - tail..]).collect()
        }
        _ => text.into_iter().collect(),
    }
}

/// A longer name loses its parameters, and then its template arguments.
const NAME: usize = 40;

/// The name of a function for a table: as the source writes it, or `short` (without parameters) if
/// that is long, with the template arguments left out if even that is long.
pub fn label(name: &str, short: Option<String>) -> String {
    let fits = |name: &str| name.chars().count() <= NAME;
    match short {
        Some(short) if !fits(name) && fits(&short) => short,
        Some(short) if !fits(name) => without_arguments(&short),
        _ => name.into(),
    }
}

/// `a<b<c>>::d` becomes `a<…>::d`. Operators made of angle brackets stay; a name that does not
/// balance stays whole.
fn without_arguments(name: &str) -> String {
    const OPERATORS: [&str; 9] = ["<=>", "<<=", ">>=", "->*", "<<", ">>", "->", "<", ">"];
    let mut text = String::new();
    let mut depth = 0usize;
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        let after = rest.strip_prefix("operator");
        let operator =
            after.and_then(|after| OPERATORS.iter().find(|operator| after.starts_with(**operator)));
        let length = operator.map_or(c.len_utf8(), |operator| "operator".len() + operator.len());
        match c {
            '<' => {
                text.push_str(if depth == 0 { "<…>" } else { "" });
                depth += 1;
            }
            '>' if depth == 0 => return name.into(),
            '>' => depth -= 1,
            _ if depth == 0 => text.push_str(&rest[..length]),
            _ => {}
        }
        rest = &rest[length..];
    }
    if depth == 0 { text } else { name.into() }
}

/// A table with these column heads, each right-aligned or not.
pub fn table(columns: &[(&str, CellAlignment)]) -> Table {
    let mut table = Table::new();
    table.load_style(
        TableStyle::new()
            .header_lines(ContentLineStyle::none())
            .header_separator(LineStyle::none().fill('─'))
            .content_lines(ContentLineStyle::none()),
    );
    table.set_header(columns.iter().map(|(title, _)| Cell::new(title.bold())));
    for (index, (_, alignment)) in columns.iter().enumerate() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(*alignment);
            column.set_padding((u16::from(index > 0), u16::from(index + 1 < columns.len())));
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(plural(1, "path"), "1 path");
        assert_eq!(plural(1000, "path"), "1,000 paths");
    }

    #[test]
    fn only_all_is_all() {
        assert_eq!(percent(1, 1), "100%");
        assert_eq!(percent(999_999, 1_000_000), "99.9%");
        assert_eq!(percent(1, 1_000_000), "<0.1%");
        assert_eq!(percent(0, 7), "0.0%");
        assert_eq!(percent(0, 0), "0.0%");
        assert_eq!(percent(1, 3), "33.3%");
        assert_eq!(percent(Count::MAX / 2, Count::MAX), "50.0%");
        assert_eq!(percent(u128::from(u64::MAX) / 4, u128::from(u64::MAX)), "25.0%");
    }

    #[test]
    fn template_arguments_are_left_out() {
        assert_eq!(without_arguments("a<b<c>, d>::e<f>"), "a<…>::e<…>");
        assert_eq!(without_arguments("a<b>::operator<< <c>"), "a<…>::operator<< <…>");
        assert_eq!(without_arguments("a<&b::operator-> >::operator<"), "a<…>::operator<");
        assert_eq!(without_arguments("a<b"), "a<b");
        assert_eq!(without_arguments("a>b"), "a>b");
    }

    #[test]
    fn only_long_names_are_shortened() {
        let long = "void sort<std::vector<int>::iterator>(std::vector<int>::iterator)";
        assert_eq!(
            label(long, Some("sort<std::vector<int>::iterator>".into())),
            "sort<std::vector<int>::iterator>"
        );
        assert_eq!(label(long, Some(format!("sort<{}>", "x".repeat(40)))), "sort<…>");
        assert_eq!(label("f(int)", Some("f".into())), "f(int)");
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(elide("abcdefgh", Some(5)), "ab…gh");
        assert_eq!(elide("abcde", Some(5)), "abcde");
    }
}
