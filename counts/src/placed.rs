//! Settles the places of the code of each function for all later stages.
//!
//! * A file has one name in a unit, and one path in all units: see [`source_names`].
//! * A function is in the file of its lines. A generator such as `valac` or Cython declares
//!   functions in its own file and assigns their statements to the user's file with `#line`.
//! * A column that is beyond the end of its line is a column of generated code. It is unknown.
//!
//! [`source_names`]: profile::source_names

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use pathformat::manifest;
use profile::source;
use profile::source_names::SourceNames;

use crate::model::{Function, Module, Report};
use crate::origin::SystemFiles;

/// Returns the report with the places of its code.
#[must_use]
pub fn placed(mut report: Report) -> Report {
    let mut names = SourceNames::default();
    let Report { modules, functions, dropped, .. } = &mut report;
    for function in functions.iter_mut().chain(dropped.iter_mut()) {
        rename(&mut names, &modules[function.module], &mut function.shape);
        settle(&mut function.shape);
    }
    let beyond = Beyond::of(modules, functions);
    for function in functions {
        beyond.take_from(&modules[function.module], function);
    }
    report
}

/// Renames the files of a function of a module to the names that all views use.
pub fn rename(names: &mut SourceNames, module: &Module, shape: &mut manifest::Function) {
    let mut last: Option<(String, String)> = None;
    let files = shape.locations.iter_mut().map(|at| &mut at.file).chain([&mut shape.file]);
    for file in files {
        // Neighbouring locations are mostly of the same file.
        match &last {
            Some((given, name)) if given == file => file.clone_from(name),
            _ => {
                let name = names.name(&module.directory, file);
                let given = std::mem::replace(file, name.clone());
                last = Some((given, name));
            }
        }
    }
}

/// Moves a function to the file of its first line, if most of its lines are in that file.
fn settle(shape: &mut manifest::Function) {
    let own = || shape.locations.iter().filter(|at| at.inlined_at.is_none() && at.line != 0);
    let Some(first) = own().next().filter(|first| first.file != shape.file) else { return };
    let lines: HashSet<_> = own().map(|at| (at.file.as_str(), at.line)).collect();
    let of_first = lines.iter().filter(|(file, _)| *file == first.file).count();
    if shape.line != 0 && of_first * 2 > lines.len() {
        (shape.file, shape.line) = (first.file.clone(), first.line);
    }
}

/// The lines that have columns beyond their ends.
struct Beyond(HashSet<(PathBuf, u32)>);

impl Beyond {
    fn of(modules: &[Module], functions: &[Function]) -> Self {
        let system = SystemFiles::of(modules);
        let mut lengths: HashMap<PathBuf, Vec<usize>> = HashMap::new();
        let mut beyond = HashSet::new();
        for function in functions {
            let module = &modules[function.module];
            for of_file in function.shape.locations.chunk_by(|one, next| one.file == next.file) {
                let path = module.path(&of_file[0].file);
                let lengths = lengths.entry(path.clone()).or_insert_with_key(|path| {
                    let is_users = !system.has(path);
                    is_users.then(|| source::line_lengths(path)).flatten().unwrap_or_default()
                });
                let end = |line: u32| lengths.get((line as usize).checked_sub(1)?);
                let is_beyond = |at: &&manifest::Location| {
                    end(at.line).is_some_and(|&length| at.column as usize > length + 1)
                };
                let lines = of_file.iter().filter(is_beyond).map(|at| at.line);
                beyond.extend(lines.map(|line| (path.clone(), line)));
            }
        }
        Self(beyond)
    }

    fn take_from(&self, module: &Module, function: &mut Function) {
        if self.0.is_empty() {
            return;
        }
        for at in &mut function.shape.locations {
            if self.0.contains(&(module.path(&at.file), at.line)) {
                at.column = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use pathformat::manifest::Location;

    use super::*;

    /// Returns a function of a.c, with its own code at these places.
    fn shape(places: &[(&str, u32, u32)]) -> manifest::Function {
        let at = |&(file, line, column): &(&str, u32, u32)| Location {
            file: file.into(),
            line,
            column,
            ..Location::default()
        };
        let locations = places.iter().map(at).collect();
        manifest::Function { file: "a.c".into(), line: 1, locations, ..Default::default() }
    }

    fn report(directory: &str, shapes: &[manifest::Function]) -> Report {
        let module = Module { directory: directory.into(), ..Module::default() };
        let function =
            |shape: &manifest::Function| Function { shape: shape.clone(), ..Function::default() };
        let functions = shapes.iter().map(function).collect();
        Report { modules: vec![module], functions, ..Report::default() }
    }

    fn settled(places: &[(&str, u32)]) -> String {
        let places: Vec<_> = places.iter().map(|&(file, line)| (file, line, 1)).collect();
        let report = placed(report("/no", &[shape(&places)]));
        let shape = &report.functions[0].shape;
        format!("{}:{}", shape.file, shape.line)
    }

    #[test]
    fn a_function_is_in_the_file_of_its_lines() {
        assert_eq!(settled(&[("a.c", 2), ("a.c", 3)]), "a.c:1");
        assert_eq!(settled(&[("x.vala", 7), ("x.vala", 8), ("a.c", 9)]), "x.vala:7");
        // Lines of a header in the middle, or at the beginning, do not move the function.
        assert_eq!(settled(&[("a.c", 2), ("ops.def", 3), ("ops.def", 4)]), "a.c:1");
        assert_eq!(settled(&[("x.h", 2), ("a.c", 3)]), "a.c:1");
        assert_eq!(settled(&[]), "a.c:1");
        assert_eq!(settled(&[("./a.c", 2), ("x/../a.c", 3)]), "a.c:1");
    }

    #[test]
    fn a_column_beyond_the_end_of_its_line_is_unknown() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a.c"), "short;\nf();\n").expect("written");
        let one = shape(&[("a.c", 1, 3), ("a.c", 1, 40), ("a.c", 2, 5), ("b.c", 1, 40)]);
        // The other columns of such a line are unknown, too, in any function.
        let other = shape(&[("a.c", 1, 1)]);
        let report = placed(report(&folder.path().to_string_lossy(), &[one, other]));
        let columns = report.functions.iter().flat_map(|of| &of.shape.locations);
        assert_eq!(columns.map(|at| at.column).collect::<Vec<_>>(), [0, 0, 5, 40, 0]);
    }
}
