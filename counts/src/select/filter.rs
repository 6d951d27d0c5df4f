//! Chooses functions and files by globs, and leaves out those of system headers.

use std::collections::HashMap;
use std::path::Path as FilePath;
use std::slice;

use pathformat::glob;

use crate::model::{Count, Function, Module, Report};
use crate::origin::SystemFiles;
use crate::select::names::matches;

/// The functions and files to choose.
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
    /// The number of functions that are left out because they are of system headers.
    pub of_system: usize,
    /// The instructions that those functions executed.
    pub executed_by_system: Count,
}

impl Filter {
    /// Creates a filter for functions whose name matches a glob, including those of system headers.
    pub fn of_function(glob: &str) -> Self {
        Self { functions: vec![glob.into()], system: true, ..Self::default() }
    }

    /// Chooses the functions that match, without those of system headers unless they are requested.
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

    /// Returns true if the filter has no globs.
    pub fn takes_all(&self) -> bool {
        self.functions.is_empty() && self.files.is_empty() && self.hidden.is_empty()
    }

    /// Returns the globs in words: `parse*, in src/, without *.h`.
    pub fn words(&self) -> String {
        let part = |word: &str, globs: &[String]| {
            (!globs.is_empty()).then(|| format!("{word}{}", globs.join(" ")))
        };
        let parts =
            [part("", &self.functions), part("in ", &self.files), part("without ", &self.hidden)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Returns true if a function of a module passes the globs.
    pub fn matches(&self, module: &Module, function: &Function) -> bool {
        self.matches_at(&module.path(&function.shape.file), function)
    }

    /// Returns true if a function whose file has this path passes the globs.
    pub fn matches_at(&self, path: &FilePath, function: &Function) -> bool {
        let file = function.shape.file.as_str();
        let of_file = |glob: &String| !file.is_empty() && matches_file(glob, path);
        self.takes_name(function)
            && (self.files.is_empty() || self.files.iter().any(of_file))
            && !self.hidden.iter().any(of_file)
    }

    /// Returns true if a function passes the globs by its name, in any file.
    pub fn takes_name(&self, function: &Function) -> bool {
        let named = |glob: &String| matches(glob, function);
        (self.functions.is_empty() || self.functions.iter().any(named))
            && !self.hidden.iter().any(named)
    }

    /// Returns true if the file at this path is chosen; `system` identifies the files of the
    /// system.
    pub fn takes_file(&self, system: &SystemFiles, path: &FilePath) -> bool {
        let matches = |glob: &String| matches_file(glob, path);
        (self.files.is_empty() || self.files.iter().any(matches))
            && !self.hidden.iter().any(matches)
            && !(self.hides_system() && system.has(path))
    }

    /// Returns true if functions that the compiler made are left out.
    pub fn hides_made(&self) -> bool {
        !self.system && self.functions.is_empty()
    }

    /// Returns true if code of the system is left out. Functions or files that are named are kept,
    /// wherever they are.
    fn hides_system(&self) -> bool {
        !self.system && self.functions.is_empty() && self.files.is_empty()
    }
}

/// Returns the part of a report that passes the globs of a filter.
#[must_use]
pub fn narrowed(mut report: Report, filter: &Filter) -> Report {
    let Report { modules, functions, dropped, .. } = &mut report;
    let matches = |function: &Function| filter.matches(&modules[function.module], function);
    functions.retain(matches);
    dropped.retain(matches);
    report
}

/// Returns the instrumented functions that a filter chooses.
pub fn functions<'a>(report: &'a Report, filter: &Filter) -> Chosen<'a> {
    filter.choose(report, report.counted())
}

/// Returns true if `glob` matches the path of a file, see [`pathformat::glob`].
pub fn matches_file(glob: &str, path: &FilePath) -> bool {
    glob::matches_file(glob, &path.to_string_lossy())
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
}
