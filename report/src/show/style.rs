//! The form of numbers and names.

use counts::model::Count;
use owo_colors::OwoColorize;
use unicode_width::UnicodeWidthStr;

/// Returns a whole number with its digits in groups of three.
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

/// Returns `part` of `whole` in percent with one decimal. Only the whole is 100%: values near it
/// are rounded down.
pub fn percent(part: Count, whole: Count) -> String {
    let permille = permille(part, whole);
    match permille {
        0 if part > 0 => "<0.1%".into(),
        1000 if part >= whole => "100%".into(),
        _ => format!("{}.{}%", permille / 10, permille % 10),
    }
}

/// Returns a number of units, of which `unit` are 1, rounded to hundredths; signed if wanted.
pub(crate) fn amount(number: i128, unit: i128, has_sign: bool) -> String {
    let sign = match number.signum() {
        -1 => "-",
        1 if has_sign => "+",
        _ => "",
    };
    let (number, unit) = (number.unsigned_abs(), unit.unsigned_abs().max(1));
    let (mut whole, rest) = (number / unit, number % unit);
    if unit == 1 {
        return format!("{sign}{}", grouped(whole));
    }
    let mut hundredths = (rest as f64 / unit as f64 * 100.0).round() as Count;
    if hundredths == 100 {
        (whole, hundredths) = (whole + 1, 0);
    }
    format!("{sign}{}.{hundredths:02}", grouped(whole))
}

/// Returns a part of a difference in percent; negative if it goes the other way.
pub(crate) fn signed_percent(part: i128, whole: i128) -> String {
    if whole == 0 {
        return "–".into();
    }
    let percent = part as f64 / whole as f64 * 100.0;
    match part == whole {
        true => "100%".into(),
        // Only the whole is 100.
        false if (99.95..100.0).contains(&percent) => "99.9%".into(),
        false => format!("{percent:.1}%"),
    }
}

/// Returns thousandths of `whole`, rounded, but below 1000 unless it is all.
fn permille(part: Count, whole: Count) -> Count {
    if whole == 0 {
        return 0;
    }
    if part >= whole {
        return 1000;
    }
    // Keep 118 bits, so that the product fits. The lost bits do not show.
    let shift = (Count::BITS - whole.leading_zeros()).saturating_sub(118);
    let (part, whole) = (part >> shift, whole >> shift);
    ((part * 1000 + whole / 2) / whole).min(999)
}

/// Returns a share in percent, coloured by its weight.
pub fn share(part: Count, whole: Count) -> String {
    let text = percent(part, whole);
    match permille(part, whole) {
        200.. => text.red().bold().to_string(),
        50.. => text.yellow().to_string(),
        _ => text,
    }
}

/// Returns the number of shown rows of `all` if at most `top` may be shown (0: all).
pub fn shown(top: usize, all: usize) -> usize {
    if top == 0 { all } else { top.min(all) }
}

/// Returns `one thing`, `2 things`.
pub fn plural(number: usize, thing: &str) -> String {
    let number_text = grouped(number as Count);
    if number == 1 { format!("{number_text} {thing}") } else { format!("{number_text} {thing}s") }
}

/// Returns the columns that `text` takes on a terminal, without its styles.
pub fn visible_width(text: &str) -> usize {
    anstream::adapter::strip_str(text).map(UnicodeWidthStr::width).sum()
}

/// Returns `text`, cut in its middle to at most `width` columns of a terminal.
pub fn elide(text: &str, width: Option<usize>) -> String {
    let Some(width) = width.filter(|&width| text.width() > width) else { return text.into() };
    let room = width.saturating_sub(1);
    let head = start(text, room.div_ceil(2));
    let tail = end(text, room - head.width());
    // Neighbours may be wider than each alone. Then the tail is dropped.
    let cut = format!("{head}…{tail}");
    if cut.width() <= width { cut } else { format!("{head}…") }
}

/// Returns as much of the start of `text` as fits into `width` columns.
pub fn start(text: &str, width: usize) -> &str {
    let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    let fitting = ends.take_while(|&end| text[..end].width() <= width);
    &text[..fitting.last().unwrap_or(0)]
}

/// Returns as much of the end of `text` as fits into `width` columns.
pub fn end(text: &str, width: usize) -> &str {
    let starts = text.char_indices().rev().map(|(at, _)| at);
    let fitting = starts.take_while(|&start| text[start..].width() <= width);
    &text[fitting.last().unwrap_or(text.len())..]
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
    fn amounts_are_rounded_to_hundredths() {
        assert_eq!(amount(1234, 1, true), "+1,234");
        assert_eq!(amount(-1234, 1, true), "-1,234");
        assert_eq!(amount(0, 1, true), "0");
        assert_eq!(amount(10, 4, false), "2.50");
        assert_eq!(amount(-7, 3, false), "-2.33");
        assert_eq!(amount(2999, 1000, true), "+3.00");
    }

    #[test]
    fn signed_shares_have_the_direction_of_the_whole() {
        assert_eq!(signed_percent(50, 200), "25.0%");
        assert_eq!(signed_percent(-50, -200), "25.0%");
        assert_eq!(signed_percent(300, -200), "-150.0%");
        assert_eq!(signed_percent(99_999, 100_000), "99.9%");
        assert_eq!((signed_percent(7, 7), signed_percent(7, 0)), ("100%".into(), "–".into()));
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(elide("abcdefgh", Some(5)), "ab…gh");
        assert_eq!(elide("abcde", Some(5)), "abcde");
        assert_eq!(elide("漢字漢字漢字", Some(6)), "漢…字");
        assert_eq!(elide("abc", Some(1)), "…");
        for width in 1..12 {
            let cut = elide("a漢\u{2764}\u{fe0f}e\u{301}字b漢", Some(width));
            assert!(cut.width() <= width, "{cut} in {width}");
        }
    }
}
