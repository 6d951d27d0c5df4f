//! The names of a function, and the functions that a name refers to.

use std::collections::BTreeSet;

use pathformat::glob;
use profile::escape::terminal;
use profile::names;

use crate::model::{Function, Report};

/// Returns true if `glob` matches one of the [names](all_names) of a function.
pub fn matches(glob: &str, function: &Function) -> bool {
    let names = all_names(function);
    names.iter().any(|name| glob::matches_name(glob, name))
        || (glob.contains(LEFT_OUT) && names.iter().any(|name| is_shortened(glob, name)))
}

/// Returns the functions that a name refers to, by their indexes in the report. Functions with
/// exactly this name take precedence over those that it matches as a glob. Next are those whose
/// name ends in it after a `::`, without some of the outer scopes. Last are those that a table may
/// show in this form: with `…` for omitted text, broken into lines, or followed by a qualifier that
/// distinguishes functions of the same name.
pub fn meant(report: &Report, name: &str) -> Vec<usize> {
    let is_within = |of: &String| {
        of.strip_suffix(name).is_some_and(|scopes| !name.is_empty() && scopes.ends_with("::"))
    };
    let ways: [&dyn Fn(&Function) -> bool; 4] = [
        &|function| all_names(function).contains(name),
        &|function| matches(name, function),
        &|function| all_names(function).iter().any(is_within),
        &|function| is_shown(report, name, function),
    ];
    let chosen = |is_meant: &&dyn Fn(&Function) -> bool| -> Vec<usize> {
        (0..report.functions.len()).filter(|&at| is_meant(&report.functions[at])).collect()
    };
    ways.iter().map(chosen).find(|found| !found.is_empty()).unwrap_or_default()
}

/// Returns true if a table may show a function in this form.
fn is_shown(report: &Report, shown: &str, function: &Function) -> bool {
    let file = match function.shape.file.as_str() {
        "" => report.modules[function.module].source.as_str(),
        file => file,
    };
    let image = report.images.get(function.image).map(|image| image.path.to_string_lossy());
    let image = image.unwrap_or_default();
    let symbol = &function.shape.name;
    let all = format!("{symbol} in {file} of {image}");
    let without_folders = |path| str::rsplit(path, '/').next().unwrap_or(path);
    let qualifiers = [file, without_folders(file), &image, without_folders(&image), symbol, &all];
    all_names(function).iter().any(|name| {
        is_shortened(shown, name)
            || qualifiers.iter().any(|what| is_shortened(shown, &format!("{name} ({what})")))
    })
}

/// Stands for the omitted part of a name.
const LEFT_OUT: char = '…';

/// Returns true if `shown` is a shortened form of a name. White space is ignored: copied text may
/// have been broken anywhere.
fn is_shortened(shown: &str, name: &str) -> bool {
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let shown = dense(shown);
    // The inline namespace that distinguishes versions of the library is not shown.
    [name.to_owned(), name.replace("std::__cxx11::", "std::")].iter().any(|name| {
        let name = dense(&terminal(name));
        let Some((start, rest)) = shown.split_once(LEFT_OUT) else { return shown == name };
        let (middle, end) = rest.rsplit_once(LEFT_OUT).unwrap_or(("", rest));
        let inner = name.strip_prefix(start).and_then(|name| name.strip_suffix(end));
        let after = |name: &str, part: &str| Some(name.split_once(part)?.1.to_owned());
        let mut parts = middle.split(LEFT_OUT);
        let left = |inner: &str| parts.try_fold(inner.to_owned(), |name, part| after(&name, part));
        inner.and_then(left).is_some()
    })
}

/// Returns the names of a function: its symbol, the name as the source writes it, that name without
/// parameters, then without the arguments of templates, then without scopes; and the name in its
/// debug locations, which has no inline namespaces.
pub fn all_names(function: &Function) -> BTreeSet<String> {
    let short = names::short(&function.shape);
    let qualified = short.as_ref().unwrap_or(&function.demangled);
    let bare = without_arguments(qualified, 0, "");
    let last = bare.rsplit("::").next().unwrap_or(&bare).to_owned();
    let of_lines = function.shape.own_location().map(|own| own.function.clone());
    let own = [function.shape.name.clone(), function.demangled.clone(), qualified.clone()];
    let all = own.into_iter().chain([bare, last]).chain(of_lines);
    all.filter(|name| !name.is_empty()).collect()
}

/// Returns the name with `instead` for the arguments of each template: `a<b<c>>::d` becomes
/// `a<…>::d`. The outermost `kept` levels of arguments are kept: with 1, it becomes `a<b<…>>::d`.
/// Operators made of angle brackets are kept; a name with unbalanced brackets is returned whole.
pub fn without_arguments(name: &str, kept: usize, instead: &str) -> String {
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
                text.push_str(if depth < kept { "<" } else { "" });
                text.push_str(if depth == kept { instead } else { "" });
                depth += 1;
            }
            '>' if depth == 0 => return name.into(),
            '>' => {
                depth -= 1;
                text.push_str(if depth < kept { ">" } else { "" });
            }
            _ if depth <= kept => text.push_str(&rest[..length]),
            _ => {}
        }
        rest = &rest[length..];
    }
    if depth == 0 { text.trim_end().into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn a_name_may_leave_out_what_the_function_is_in() {
        let mut report = sample::report();
        let of = |demangled: &str| Function { demangled: demangled.into(), ..Function::default() };
        report.functions = vec![
            of("tinyxml2::XMLNode::FirstChild(int) const"),
            of("tinyxml2::FirstChild(int)"),
            of("FirstChild"),
        ];
        report.functions[0].shape.short_name = "tinyxml2::XMLNode::FirstChild".into();
        report.functions[1].shape.short_name = "tinyxml2::FirstChild".into();
        for (name, expected) in [
            ("XMLNode::FirstChild", &[0][..]),
            ("XMLNode::FirstChild(int) const", &[0]),
            ("tinyxml2::XMLNode::FirstChild", &[0]),
            ("tinyxml2::FirstChild", &[1]),
            ("FirstChild", &[0, 1, 2]),
            ("Node::FirstChild", &[]),
            ("", &[]),
        ] {
            assert_eq!(meant(&report, name), expected, "{name}");
        }
    }

    #[test]
    fn a_template_has_the_name_that_it_has_in_the_source() {
        let shape = pathformat::manifest::Function {
            name: "_ZN3stdIiE4pushEv".into(),
            short_name: "std::stack<int, std::deque<int>>::push<char>".into(),
            ..Default::default()
        };
        let demangled = "void std::stack<int, std::deque<int>>::push<char>(int)".into();
        let function = Function { demangled, shape, ..Function::default() };
        for glob in ["std::stack::push", "push", "std::stack<*>::push<*", "*::push", "std::**"] {
            assert!(matches(glob, &function), "{glob}");
        }
        for glob in ["stack", "std::stack", "pus", "char"] {
            assert!(!matches(glob, &function), "{glob}");
        }
    }

    #[test]
    fn an_inline_namespace_need_not_be_named() {
        let own = pathformat::manifest::Location {
            line: 3,
            function: "std::basic_string::append".into(),
            ..Default::default()
        };
        let shape = pathformat::manifest::Function {
            short_name: "std::__cxx11::basic_string<char>::append".into(),
            locations: vec![own],
            ..Default::default()
        };
        let demangled = "std::__cxx11::basic_string<char>::append(char)".into();
        let function = Function { demangled, shape, ..Function::default() };
        for glob in ["std::basic_string::append", "std::__cxx11::basic_string::append", "append"] {
            assert!(matches(glob, &function), "{glob}");
        }
        assert!(!matches("basic_string::append", &function));
    }

    #[test]
    fn arguments_of_templates_are_left_out() {
        let short = |name| without_arguments(name, 0, "<…>");
        assert_eq!(without_arguments("a<b<c<d>>, e>::f", 1, "<…>"), "a<b<…>, e>::f");
        assert_eq!(without_arguments("a<b<c<d>>, e>::f", 2, "<…>"), "a<b<c<…>>, e>::f");
        assert_eq!(short("a<b<c>, d>::e<f>"), "a<…>::e<…>");
        assert_eq!(short("a<b>::operator<< <c>"), "a<…>::operator<< <…>");
        assert_eq!(short("a<&b::operator-> >::operator<"), "a<…>::operator<");
        assert_eq!(short("a<b"), "a<b");
        assert_eq!(short("a>b"), "a>b");
    }
}
