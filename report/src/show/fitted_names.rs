//! Fits the names of functions of one column into its width.
//!
//! Each name is shown in the longest of its forms that fits: whole, without parameters, without the
//! arguments of templates, without its scopes. If even the shortest is too wide, it loses its
//! middle. Names of different functions that would look the same show more of themselves, on
//! several lines if need be.

use std::collections::{BTreeMap, BTreeSet};

use counts::select::without_arguments;
use unicode_width::UnicodeWidthStr;

use crate::show::style::elide;
use crate::show::table::Name;

/// Returns the lines of each name; whole on one line without a width.
pub(crate) fn fit(names: &[&Name], width: Option<usize>) -> Vec<Vec<String>> {
    let Some(width) = width else {
        return names.iter().map(|name| vec![name.whole()]).collect();
    };
    shown(names, width).iter().map(|text| wrapped(text, width)).collect()
}

/// Returns the form of each name that is shown where there is this width. Of names that would look
/// the same it may be wider.
pub(crate) fn shown(names: &[&Name], width: usize) -> Vec<String> {
    let shown: Vec<_> = names.iter().map(|name| shortened(name, width)).collect();
    let mut alike: BTreeMap<&str, BTreeMap<String, &Name>> = BTreeMap::new();
    for (name, text) in names.iter().zip(&shown) {
        alike.entry(text).or_default().insert(name.whole(), name);
    }
    let distinct = |name: &Name, text: &String| match &alike[text.as_str()] {
        alike if alike.len() > 1 => distinguished(name, alike, width),
        _ => text.clone(),
    };
    names.iter().zip(&shown).map(|(name, text)| distinct(name, text)).collect()
}

/// Returns the lines of a text.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    textwrap::wrap(text, width).iter().map(|line| line.to_string()).collect()
}

/// Returns the longest form that fits, or the shortest without its middle.
fn shortened(name: &Name, width: usize) -> String {
    let mut forms = (0..name.forms.len()).map(|at| name.form(at));
    let last = || elide(&name.form(name.forms.len().saturating_sub(1)), Some(width));
    forms.find(|form| form.width() <= width).unwrap_or_else(last)
}

/// Returns the form of a name among others that look like it: the shortest one that distinguishes
/// all of them, or the whole name without the arguments of templates, if that does it on fewer
/// lines.
fn distinguished(name: &Name, alike: &BTreeMap<String, &Name>, width: usize) -> String {
    // Forms are counted from the shortest.
    let form = |name: &Name, at: usize| name.form(name.forms.len().saturating_sub(at + 1));
    let most = alike.values().map(|name| name.forms.len()).max().unwrap_or_default();
    let differ = |form: &dyn Fn(&Name) -> String| {
        let forms: BTreeSet<_> = alike.values().map(|name| form(name)).collect();
        forms.len() == alike.len()
    };
    let found = (0..most).find(|&at| differ(&|name| form(name, at)));
    let shown = found.map_or_else(|| name.whole(), |at| form(name, at));
    let bare = Some(without_inner_names(name)).filter(|_| differ(&without_inner_names));
    let candidates = [Some(shown), bare].into_iter().flatten();
    candidates.min_by_key(|text| wrapped(text, width).len()).unwrap_or_default()
}

/// Returns the whole name, with its parameters, without the arguments of templates.
fn without_inner_names(name: &Name) -> String {
    let whole = Name { forms: name.forms.first().cloned().into_iter().collect(), ..name.clone() };
    without_arguments(&whole.whole(), 0, "<…>")
}

#[cfg(test)]
mod tests {
    use counts::model::Function;
    use counts::select;

    use super::*;

    fn name(forms: &[&str]) -> Name {
        Name { forms: forms.iter().map(|&form| form.into()).collect(), ..Name::default() }
    }

    fn fitted(names: &[&[&str]], width: usize) -> Vec<Vec<String>> {
        let names: Vec<_> = names.iter().map(|forms| name(forms)).collect();
        fit(&names.iter().collect::<Vec<_>>(), Some(width))
    }

    #[test]
    fn the_longest_form_that_fits_is_shown() {
        let forms: &[&str] = &["int sort<int>(int)", "sort<int>", "sort<…>"];
        let shown = |width| fitted(&[forms], width)[0].join("\n");
        assert_eq!(shown(18), "int sort<int>(int)");
        assert_eq!(shown(17), "sort<int>");
        assert_eq!(shown(7), "sort<…>");
        assert_eq!(shown(6), "sor……>");
    }

    #[test]
    fn different_functions_never_look_the_same() {
        let whole = |inner: &str| format!("f<std::vector<{inner}, std::allocator<{inner}>>>(int)");
        let names = ["char", "short", "long", "long long"].map(whole);
        let forms = names.each_ref().map(|name| crate::show::rows::forms(name, None));
        let names: Vec<_> = forms
            .iter()
            .map(|forms| forms.iter().map(String::as_str).collect::<Vec<_>>())
            .collect();
        let names: Vec<&[&str]> = names.iter().map(Vec::as_slice).collect();
        for width in 12..200 {
            let shown = fitted(&names, width);
            let distinct: BTreeSet<_> = shown.iter().collect();
            assert_eq!(distinct.len(), names.len(), "{width}: {shown:?}");
            assert!(shown.iter().flatten().all(|line| line.width() <= width), "{shown:?}");
            let short = "f<std::vector<char,std::allocator<…>>>(int)";
            let lines = shown[0].concat().replace(' ', "");
            assert!(!(22..44).contains(&width) || lines == short, "{width}: {shown:?}");
        }
    }

    #[test]
    fn overloads_of_templates_are_told_by_their_parameters() {
        let text = "std::basic_string<char, std::char_traits<char>, std::allocator<char>>";
        let map = format!("std::_Map_base<{text}, std::pair<{text} const, long>>");
        let overload = |by: &str| {
            let (whole, short) =
                (format!("{map}::operator[]({text}{by})"), format!("{map}::operator[]"));
            crate::show::rows::forms(&whole, Some(short))
        };
        let forms = [overload(" const&"), overload("&&")];
        let names = forms.map(|forms| Name { forms, ..Name::default() });
        assert_eq!(
            shown(&names.iter().collect::<Vec<_>>(), 40),
            [
                "std::_Map_base<…>::operator[](std::basic_string<…> const&)",
                "std::_Map_base<…>::operator[](std::basic_string<…>&&)"
            ]
        );
        assert_eq!(
            fit(&names.iter().collect::<Vec<_>>(), Some(40)),
            [
                ["std::_Map_base<…>::operator[](std::basic", "_string<…> const&)"],
                ["std::_Map_base<…>::operator[](std::basic", "_string<…>&&)"]
            ]
        );
    }

    #[test]
    fn what_is_shown_can_be_named() {
        let short = [
            "main",
            "sim::detail::walk<int, main::$_3&>",
            "sim::Table<std::__cxx11::basic_string<char>, std::vector<int>>::each<main::$_5>",
            "sim::Table<int, std::less<int>>::each<main::{lambda(int)#1}>",
            "operator new[]",
            "std::_Map_base<std::pair<int, long>>::operator[]",
            "std::_Map_base<std::pair<int, long>>::operator[]",
            "std::operator< <char>",
            "(anonymous namespace)::Parser::operator()",
            "helper",
            "helper",
        ];
        let of = |(at, short): (usize, &&str)| {
            let shape = pathformat::manifest::Function {
                name: format!("_Z{at}"),
                short_name: (*short).into(),
                file: format!("src/file{at}.c"),
                ..Default::default()
            };
            Function { demangled: format!("{short}(int, char*)"), shape, ..Function::default() }
        };
        let mut report = crate::sample::report();
        report.functions = short.iter().enumerate().map(of).collect();
        let functions: Vec<_> = report.functions.iter().collect();
        let names = crate::show::rows::Names::of(&report, &functions);
        let names: Vec<_> = functions.iter().map(|of| names.name(of)).collect();
        for width in (8..120).map(Some).chain([None]) {
            let shown = fit(&names.iter().collect::<Vec<_>>(), width);
            for (at, lines) in shown.iter().enumerate() {
                // The name as it is copied from a column.
                let copied = lines.join("\n    ");
                let found = select::meant(&report, &copied);
                assert!(found.contains(&at), "{width:?}: {copied:?} of {}", names[at].whole());
                let is_whole = !copied.contains('…');
                assert!(!is_whole || found.len() == 1, "{width:?}: {copied:?}: {found:?}");
            }
        }
    }

    #[test]
    fn one_function_in_many_rows_is_shown_alike() {
        let forms: &[&str] = &["a_long_name<int>()", "a_long_name<…>"];
        assert_eq!(fitted(&[forms, forms], 14), [["a_long_name<…>"], ["a_long_name<…>"]]);
    }
}
