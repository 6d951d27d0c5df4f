//! Chooses functions and paths, and sorts them.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path as FilePath, PathBuf};
use std::slice;

use pathformat::glob;
use profile::escape::terminal;
use profile::names;

use crate::model::{Count, Function, Module, Path, Report};
use crate::origin::SystemFiles;

/// Order of a table. Ties go to the more executed, then to the name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// How often it ran (a function: how often it was called).
    Count,
    /// Executed instructions.
    #[default]
    Instructions,
    /// Number of basic blocks.
    Length,
    /// Name of the function.
    Function,
}

/// Which functions and files are looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only functions whose name matches one of these globs, if there are any.
    pub functions: Vec<String>,
    /// Only functions in files that match one of these globs, if there are any.
    pub files: Vec<String>,
    /// No functions whose name or file matches one of these globs.
    pub hidden: Vec<String>,
    /// The code of system headers, too.
    pub system: bool,
}

/// The functions that were chosen.
#[derive(Clone, Debug, Default)]
pub struct Chosen<'a> {
    /// The functions themselves.
    pub functions: Vec<&'a Function>,
    /// How many are left out because they are of system headers.
    pub of_system: usize,
    /// The instructions that those executed.
    pub executed_by_system: Count,
}

impl Filter {
    /// The functions whose name matches a glob, those of system headers, too.
    pub fn of_function(glob: &str) -> Self {
        Self { functions: vec![glob.into()], system: true, ..Self::default() }
    }

    /// All that match, without those of system headers unless they are asked for.
    pub fn choose<'a>(
        &self,
        report: &Report,
        functions: impl Iterator<Item = &'a Function>,
    ) -> Chosen<'a> {
        let module = |function: &Function| &report.modules[function.module];
        let matching = functions.filter(|function| self.matches(module(function), function));
        let mut system: HashMap<usize, SystemFiles> = HashMap::new();
        let hides = |function: &&Function| {
            let (module, file) = (module(function), &function.shape.file);
            let system = system
                .entry(function.module)
                .or_insert_with(|| SystemFiles::of(slice::from_ref(module)));
            self.hides_system() && !file.is_empty() && system.has(&module.path(file))
        };
        let (hidden, functions): (Vec<_>, _) = matching.partition(hides);
        let executed = hidden.iter().map(|function| function.executed());
        let executed_by_system = executed.fold(0, Count::saturating_add);
        Chosen { functions, of_system: hidden.len(), executed_by_system }
    }

    /// Whether no glob chooses.
    pub fn takes_all(&self) -> bool {
        self.functions.is_empty() && self.files.is_empty() && self.hidden.is_empty()
    }

    /// The globs in words: `parse*, in src/, without *.h`.
    pub fn words(&self) -> String {
        let part = |word: &str, globs: &[String]| {
            (!globs.is_empty()).then(|| format!("{word}{}", globs.join(" ")))
        };
        let parts =
            [part("", &self.functions), part("in ", &self.files), part("without ", &self.hidden)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Whether the globs let a function of a module through.
    pub fn matches(&self, module: &Module, function: &Function) -> bool {
        self.matches_at(&module.path(&function.shape.file), function)
    }

    /// Whether the globs let a function through whose file has this path.
    pub fn matches_at(&self, path: &FilePath, function: &Function) -> bool {
        let file = function.shape.file.as_str();
        let of_file = |glob: &String| !file.is_empty() && matches_file(glob, path);
        self.takes_name(function)
            && (self.files.is_empty() || self.files.iter().any(of_file))
            && !self.hidden.iter().any(of_file)
    }

    /// Whether the globs let a function through by its name, whatever file it is in.
    pub fn takes_name(&self, function: &Function) -> bool {
        let named = |glob: &String| matches(glob, function);
        (self.functions.is_empty() || self.functions.iter().any(named))
            && !self.hidden.iter().any(named)
    }

    /// Whether the file at this path is looked at, where the system has these.
    pub fn takes_file(&self, system: &SystemFiles, path: &FilePath) -> bool {
        let matches = |glob: &String| matches_file(glob, path);
        (self.files.is_empty() || self.files.iter().any(matches))
            && !self.hidden.iter().any(matches)
            && !(self.hides_system() && system.has(path))
    }

    /// Whether functions are left out that the compiler made.
    pub fn hides_made(&self) -> bool {
        !self.system && self.functions.is_empty()
    }

    /// Whether the system's own is left out. Who names functions or files means them, wherever
    /// they are.
    fn hides_system(&self) -> bool {
        !self.system && self.functions.is_empty() && self.files.is_empty()
    }
}

/// The part of a report that the globs of a filter let through.
#[must_use]
pub fn narrowed(mut report: Report, filter: &Filter) -> Report {
    let Report { modules, functions, dropped, .. } = &mut report;
    let matches = |function: &Function| filter.matches(&modules[function.module], function);
    functions.retain(matches);
    dropped.retain(matches);
    report
}

/// The instrumented functions that a filter chooses.
pub fn functions<'a>(report: &'a Report, filter: &Filter) -> Chosen<'a> {
    filter.choose(report, report.counted())
}

/// Whether `glob` matches the path of a file, as [`pathformat::glob`] says.
pub fn matches_file(glob: &str, path: &FilePath) -> bool {
    glob::matches_file(glob, &path.to_string_lossy())
}

/// Whether `glob` matches a function's symbol or one of the [names](all_names) by which people
/// know it.
pub fn matches(glob: &str, function: &Function) -> bool {
    let names = all_names(function);
    names.iter().any(|name| glob::matches_name(glob, name))
        || (glob.contains(LEFT_OUT) && names.iter().any(|name| is_shortened(glob, name)))
}

/// The functions that somebody means by a name, by their places in the report. Functions with
/// exactly this name are meant before those that it matches as a glob, and these before those whose
/// name ends in it, without some of what the function is in. Last come those of which a table shows
/// it so: with `…` for what was left out, broken into lines, or with what tells the function from
/// others of its name behind it.
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

/// Whether a table may show a function so.
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
    let tells_apart = [file, without_folders(file), &image, without_folders(&image), symbol, &all];
    all_names(function).iter().any(|name| {
        is_shortened(shown, name)
            || tells_apart.iter().any(|what| is_shortened(shown, &format!("{name} ({what})")))
    })
}

/// Stands for what was left out of a name.
const LEFT_OUT: char = '…';

/// Whether a name was shortened to this. Lines and blanks do not matter: what is copied may have
/// been broken anywhere.
fn is_shortened(shown: &str, name: &str) -> bool {
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let shown = dense(shown);
    // What a library adds to tell its versions apart is not shown.
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

/// The names of a function: its symbol, the name as the source writes it, that without parameters,
/// without the arguments of templates, and without the names of what it is in; and the name that
/// its lines give it, which has no inline namespaces.
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

/// The names of these functions that are most like `glob`, the nearest first.
pub fn nearest(functions: &[&Function], glob: &str) -> Vec<String> {
    let named = functions.iter().map(|function| {
        let short = names::short(&function.shape);
        (short.unwrap_or_else(|| function.demangled.clone()), all_names(function))
    });
    nearest_of(glob, named)
}

/// Those whose names are most like `glob`, the nearest first: each with what it is called, and all
/// names that it has.
fn nearest_of(glob: &str, all: impl Iterator<Item = (String, BTreeSet<String>)>) -> Vec<String> {
    // More are not read.
    const MOST: usize = 3;
    let wanted = glob.replace(['*', '?'], "").to_lowercase();
    let mut found: Vec<(usize, String)> = Vec::new();
    for (called, names) in all {
        let distance = |name: &String| {
            let name = name.to_lowercase();
            let has = !wanted.is_empty() && name.contains(&wanted);
            if has { 1 } else { strsim::osa_distance(&wanted, &name) }
        };
        let Some(least) = names.iter().map(distance).min() else { continue };
        if least <= (wanted.chars().count() / 3).max(1) {
            found.push((least, called));
        }
    }
    found.sort();
    found.dedup();
    found.into_iter().map(|(_, name)| name).take(MOST).collect()
}

/// The files that functions have code of, as the compiler was given them and by their absolute
/// paths.
pub fn files<'a>(
    functions: impl Iterator<Item = &'a Function>,
    modules: &[Module],
) -> BTreeSet<(&'a str, PathBuf)> {
    let mut files = BTreeSet::new();
    for function in functions {
        let shape = &function.shape;
        let names = shape.locations.iter().map(|at| at.file.as_str());
        let mut names: Vec<_> = names.chain([shape.file.as_str()]).collect();
        // The code of a file comes in long rows.
        names.dedup();
        let module = &modules[function.module];
        let named = names.into_iter().filter(|name| !name.is_empty());
        files.extend(named.map(|name| (name, module.path(name))));
    }
    files
}

/// The names of these files that are most like `glob`, the nearest first.
pub fn nearest_files(files: &BTreeSet<(&str, PathBuf)>, glob: &str) -> Vec<String> {
    let names = |file: &str| [file.to_owned(), file.rsplit('/').next().unwrap_or(file).to_owned()];
    let files = files.iter().map(|(file, _)| ((*file).to_owned(), names(file).into()));
    nearest_of(glob, files)
}

/// The name with `instead` for the arguments of each template: `a<b<c>>::d` becomes `a<…>::d`, or
/// `a<b<…>>::d` where those of templates that are not in others are kept (`kept` is 1), and so on.
/// Operators made of angle brackets stay; a name that does not balance stays whole.
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

/// The executed paths of `functions`, sorted.
pub fn paths<'a>(functions: &[&'a Function], sort: Sort) -> Vec<(&'a Function, &'a Path)> {
    let mut paths: Vec<_> = functions
        .iter()
        .flat_map(|&function| function.paths.iter().map(move |path| (function, path)))
        .collect();
    paths.sort_by(|left, right| {
        let by = |what: fn(&Path) -> u128| what(right.1).cmp(&what(left.1));
        let name = left.0.demangled.cmp(&right.0.demangled);
        let first = match sort {
            Sort::Count => by(|path| path.count),
            Sort::Instructions => by(Path::executed),
            Sort::Length => by(|path| path.blocks.len() as u128),
            Sort::Function => name,
        };
        first
            .then(by(Path::executed))
            .then(by(|path| path.count))
            .then(name)
            .then(left.1.id.cmp(&right.1.id))
    });
    paths
}

/// `functions`, sorted.
pub fn sort_functions(functions: &mut [&Function], sort: Sort) {
    functions.sort_by_cached_key(|function| {
        let key = match sort {
            Sort::Count => function.entries,
            Sort::Instructions => function.executed(),
            Sort::Length => function.shape.blocks.len() as u128,
            Sort::Function => 0,
        };
        // By name means that nothing comes before the name.
        let tie = (sort != Sort::Function).then(|| function.executed());
        (Reverse(key), Reverse(tie), function.demangled.clone())
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn filter(functions: &[&str], files: &[&str], hidden: &[&str]) -> Filter {
        let globs = |globs: &[&str]| globs.iter().map(|&glob| glob.to_owned()).collect();
        Filter {
            functions: globs(functions),
            files: globs(files),
            hidden: globs(hidden),
            system: false,
        }
    }

    fn chosen(filter: &Filter) -> Vec<String> {
        let report = sample::report();
        let chosen = functions(&report, filter).functions;
        chosen.iter().map(|function| function.demangled.clone()).collect()
    }

    fn names(glob: &str) -> Vec<String> {
        chosen(&filter(&[glob], &[], &[]))
    }

    #[test]
    fn a_glob_matches_every_form_of_a_name() {
        assert_eq!(names("collatz"), ["collatz"]);
        assert_eq!(names("util::weigh"), ["util::weigh(int)"]);
        assert_eq!(names("weigh"), ["util::weigh(int)"]);
        assert_eq!(names("_ZN4util5weighEi"), ["util::weigh(int)"]);
        assert_eq!(names("util::*"), ["util::weigh(int)", "util::guard(int)"]);
        assert_eq!(names("*"), ["collatz", "main", "util::weigh(int)", "util::guard(int)"]);
        assert!(names("start").is_empty(), "a skipped function is not counted");
    }

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
    fn files_match_as_git_ignores_them() {
        let path = FilePath::new("/home/me/src/deep/main.c");
        for glob in [
            "main.c",
            "*.c",
            "deep/",
            "src/",
            "src/**",
            "src/deep/*.c",
            "deep/main.c",
            "src/**/main.c",
            "/home/me/",
            "/home/**/main.c",
        ] {
            assert!(matches_file(glob, path), "{glob}");
        }
        for glob in
            ["main", "deep", "src/deep", "src/*.c", "/src/", "/deep/main.c", "ain.c", "*.h", "c/"]
        {
            assert!(!matches_file(glob, path), "{glob}");
        }
    }

    #[test]
    fn globs_show_and_hide_functions_and_files() {
        assert_eq!(chosen(&filter(&["c*", "main"], &[], &[])), ["collatz", "main"]);
        assert_eq!(chosen(&filter(&[], &["util.h"], &[])), ["util::weigh(int)"]);
        assert_eq!(chosen(&filter(&["*"], &["*.c"], &["coll*"])), ["main"]);
        assert_eq!(
            chosen(&filter(&[], &[], &["main.c"])),
            ["util::weigh(int)", "util::guard(int)"]
        );
    }

    #[test]
    fn what_is_misspelt_has_neighbours() {
        let report = sample::report();
        let functions: Vec<_> = report.functions.iter().collect();
        assert_eq!(nearest(&functions, "colatz"), ["collatz"]);
        assert_eq!(nearest(&functions, "wiegh"), ["util::weigh"]);
        assert_eq!(nearest(&functions, "Main"), ["main"]);
        assert_eq!(nearest(&functions, "util::*x"), [""; 0]);
        assert_eq!(nearest(&functions, "util:"), ["util::guard", "util::weigh"]);
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

    #[test]
    fn paths_sort_by_each_key() {
        let report = sample::report();
        let all = functions(&report, &Filter::default()).functions;
        let first = |sort| {
            let (function, path) = paths(&all, sort)[0];
            (function.demangled.clone(), path.id)
        };
        assert_eq!(first(Sort::Instructions), ("collatz".into(), 7));
        assert_eq!(first(Sort::Count), ("collatz".into(), 7));
        assert_eq!(first(Sort::Length), ("collatz".into(), 0));
        assert_eq!(first(Sort::Function), ("collatz".into(), 7));
    }

    #[test]
    fn functions_sort_by_each_key() {
        let report = sample::report();
        let first = |sort| {
            let mut all = functions(&report, &Filter::default()).functions;
            sort_functions(&mut all, sort);
            all[0].demangled.clone()
        };
        assert_eq!(first(Sort::Instructions), "collatz");
        assert_eq!(first(Sort::Count), "util::weigh(int)");
        assert_eq!(first(Sort::Length), "collatz");
        assert_eq!(first(Sort::Function), "collatz");
    }
}
