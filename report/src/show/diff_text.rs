//! How comparisons write functions, paths and numbers.

use counts::model::Function;
use profile::names;

use crate::show::notation::{base_name, lines};
use crate::show::rows::forms;
use crate::show::style::grouped;

/// A longer name is shown in a shorter form.
const LONGEST: usize = 40;

/// A function by its name, whole or shortened.
pub(crate) fn name(function: &Function, is_full: bool) -> String {
    if is_full {
        return function.demangled.clone();
    }
    let mut forms = forms(&function.demangled, names::short(&function.shape));
    let fits = forms.iter().position(|form| form.chars().count() <= LONGEST);
    forms.swap_remove(fits.unwrap_or(forms.len() - 1))
}

/// Where a function is declared: `parse.c:12`; empty if that is not known.
pub(crate) fn place(function: &Function) -> String {
    match (function.shape.file.as_str(), function.shape.line) {
        ("", _) => String::new(),
        (file, line) => format!("{}:{line}", base_name(file)),
    }
}

/// A block by its first line and its number.
pub(crate) fn block(function: &Function, block: u32) -> String {
    let number = format!("bb{block}");
    match lines(function, block).into_iter().next() {
        Some(line) if line != number => format!("line {line} ({number})"),
        _ => number,
    }
}

/// A number of units, of which `unit` are 1, with its sign if that is wanted.
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
    let mut hundredths = (rest as f64 / unit as f64 * 100.0).round() as u128;
    if hundredths == 100 {
        (whole, hundredths) = (whole + 1, 0);
    }
    format!("{sign}{}.{hundredths:02}", grouped(whole))
}

/// A part of a difference in percent; negative if it goes the other way.
pub(crate) fn share(part: i128, whole: i128) -> String {
    if whole == 0 {
        return "–".into();
    }
    let percent = part as f64 / whole as f64 * 100.0;
    match part == whole {
        true => "100%".into(),
        // Only all of it is 100.
        false if (99.95..100.0).contains(&percent) => "99.9%".into(),
        false => format!("{percent:.1}%"),
    }
}

/// `one thing`, `2 things`.
pub(crate) fn many(number: usize, one: &str, several: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{} {several}", grouped(number as u128)) }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn shares_have_the_direction_of_the_whole() {
        assert_eq!(share(50, 200), "25.0%");
        assert_eq!(share(-50, -200), "25.0%");
        assert_eq!(share(300, -200), "-150.0%");
        assert_eq!(share(99_999, 100_000), "99.9%");
        assert_eq!((share(7, 7), share(7, 0)), ("100%".into(), "–".into()));
    }
}
