//! The list of code that was not covered: lines, ways on from branches, and paths.

use std::collections::{BTreeSet, HashSet};

use counts::acyclic;
use counts::coverage::paths_of;
use counts::model::{self, Count, End, Function, Path, PathId, Report};
use counts::path_text::{self, Wording};
use counts::source_files::SourceFile;
use counts::uncut_paths::without_limit;

use crate::show::cell_text::plain;
use crate::show::rows::Names;
use crate::show::style::{grouped, shown};
use crate::show::table::{Cell, CellKind, Column, Row, Table, Visibility, Words};

/// The number of blocks in paths after which the list of paths that were not taken ends.
pub const MOST_LISTED: usize = 1 << 25;

/// The largest number of paths whose texts are made together, so that they differ: as many as
/// memory has room for.
const TOGETHER: usize = 1 << 12;

/// Code that was not covered.
pub struct Missing<'a> {
    /// The name of the file.
    file: String,
    /// The kind of code: `lines`, `paths`.
    what: &'static str,
    /// The function, if the row is of one alone.
    function: Option<&'a Function>,
    /// The code, in words.
    text: Cell<'a>,
    /// The weight of the row where there is no room for all.
    weight: Weight,
}

/// The information in a row, with the greatest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// The lines or the branches of a file.
    File,
    /// The number of paths of a function.
    Function,
    /// One path.
    Path,
}

/// Returns the table of code that was not covered, in at most `top` rows (0: all).
pub fn table<'a>(report: &Report, missing: Vec<Missing<'a>>, top: usize) -> Table<'a> {
    let all = missing.len();
    let missing = heaviest(missing, shown(top, all));
    let left_out = (missing.len() < all).then(|| {
        format!(
            "{} of {} rows, paths left out first; --top 0 shows all, --file and --function choose",
            grouped(missing.len() as Count),
            grouped(all as Count)
        )
    });
    let has_blocks = missing.iter().any(|missing| names_block(&plain(&missing.text)));
    let meaning = has_blocks.then(|| NO_LINE.to_owned());
    let functions: Vec<_> = missing.iter().filter_map(|missing| missing.function).collect();
    let names = Names::of(report, &functions);
    let row = |missing: Missing<'a>| {
        let name = missing.function.map(|function| Cell::Name(names.name(function)));
        Row::from(vec![
            Cell::Text(missing.file),
            Cell::Text(missing.what.into()),
            name.unwrap_or_else(|| Cell::Text(String::new())),
            missing.text,
        ])
    };
    let rows = missing.into_iter().map(row).collect();
    Table {
        name: "missing",
        columns: vec![
            Column::new("file", CellKind::Text).shown(Visibility::Section),
            Column::new("what", CellKind::Text).shown(Visibility::OnChange),
            Column::new("function", CellKind::Name).shown(Visibility::OnChange),
            Column::new("not covered", CellKind::Flow).key("not_covered"),
        ],
        rows,
        notes: left_out.into_iter().chain(meaning).collect(),
        empty: "Nothing is missing.".into(),
    }
}

/// The note on blocks in place of lines.
const NO_LINE: &str = "bb0, bb1, …: basic blocks that have no line in the source";

/// Returns true if a text has the name of a block: `bb3`.
fn names_block(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| {
        let number = word.strip_prefix("bb");
        number.is_some_and(|of| !of.is_empty() && of.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// Chooses at most `most` rows by weight. Their order stays. All paths of a function stay or none.
fn heaviest(missing: Vec<Missing<'_>>, most: usize) -> Vec<Missing<'_>> {
    let mut room = most;
    let mut stays = vec![false; missing.len()];
    for weight in [Weight::File, Weight::Function, Weight::Path] {
        let of_weight = |at: &usize| missing[*at].weight == weight;
        let places: Vec<_> = (0..missing.len()).filter(of_weight).collect();
        let key = |at: &usize| missing[*at].function.map(std::ptr::from_ref);
        let groups: Vec<&[usize]> = match weight {
            Weight::Path => places.chunk_by(|one, other| key(one) == key(other)).collect(),
            _ => places.chunks(1).collect(),
        };
        for group in groups {
            if group.len() <= room {
                room -= group.len();
                group.iter().for_each(|&at| stays[at] = true);
            }
        }
    }
    missing.into_iter().zip(stays).filter_map(|(missing, stays)| stays.then_some(missing)).collect()
}

/// Returns the code of a file that was not covered: lines, ways on from branches, and paths.
/// `functions` are those of the file, and `unknown` are the lines of those that could not be
/// counted. Paths are listed for functions with at most `most_paths` possible ones. `room` is the
/// number of blocks that these lists may still take.
pub fn of<'a>(
    report: &Report,
    file: &SourceFile,
    functions: &[&'a Function],
    unknown: &BTreeSet<u32>,
    most_paths: u64,
    room: &mut usize,
) -> Vec<Missing<'a>> {
    let unknown = unknown.iter().map(u32::to_string).collect();
    let lines = ranges(file.lines.iter().map(|(&line, &count)| (line, count > 0)));
    let found = [("unknown", unknown), ("lines", lines), ("branches", branches(file))];
    let found = found.into_iter().filter(|(_, words)| !words.is_empty());
    let mut missing: Vec<_> = found
        .map(|(what, words)| Missing {
            file: file.name.clone(),
            what,
            function: None,
            text: Cell::Flow(Box::new(Words(separated(words)))),
            weight: Weight::File,
        })
        .collect();
    for &function in functions {
        let paths = paths(report, function, most_paths, room).into_iter();
        let weights = std::iter::once(Weight::Function).chain(std::iter::repeat(Weight::Path));
        missing.extend(paths.zip(weights).map(|(text, weight)| Missing {
            file: file.name.clone(),
            what: "paths",
            function: Some(function),
            text,
            weight,
        }));
    }
    missing
}

/// Returns the words with commas between them.
fn separated(mut words: Vec<String>) -> Vec<String> {
    let last = words.len().saturating_sub(1);
    words[..last].iter_mut().for_each(|word| word.push(','));
    words
}

/// Returns the lines that did not run as `12-15, 18`. Lines without code do not end a range.
fn ranges(lines: impl Iterator<Item = (u32, bool)>) -> Vec<String> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    let mut goes_on = false;
    for (line, ran) in lines {
        match found.last_mut() {
            Some((_, last)) if !ran && goes_on => *last = line,
            _ if !ran => found.push((line, line)),
            _ => {}
        }
        goes_on = !ran;
    }
    let text =
        |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    found.into_iter().map(text).collect()
}

/// Returns the ways that were not taken from branches that were reached: `13→16, 31(case 2)→35`.
fn branches(file: &SourceFile) -> Vec<String> {
    let mut found = BTreeSet::new();
    for (place, ways) in &file.branches {
        let reached = ways.iter().any(|way| way.taken != Some(0));
        let left = ways.iter().filter(|way| reached && way.taken == Some(0));
        found.extend(left.map(|way| (place.line, &way.target)));
    }
    let text = |(line, (word, target)): (u32, &(Option<String>, String))| {
        let word = word.as_ref().map(|word| format!("({word})")).unwrap_or_default();
        format!("{line}{word}→{target}")
    };
    found.into_iter().map(text).collect()
}

/// Returns the number of paths that a function did not take, and the paths themselves if they are
/// few enough. `room` is the number of blocks that the list may still take.
fn paths<'a>(
    report: &Report,
    function: &'a Function,
    most: u64,
    room: &mut usize,
) -> Vec<Cell<'a>> {
    let covered = paths_of(function);
    if covered.executed >= covered.all {
        return Vec::new();
    }
    let left = covered.all - covered.executed;
    let mut cells = vec![Cell::Text(format!("{} of {}", grouped(left), grouped(covered.all)))];
    if function.num_paths() > most || function.entries == 0 {
        return cells;
    }
    let uncut = function.shape.uncut.as_ref();
    let unlimited = uncut
        .map(|uncut| Function { shape: without_limit(&function.shape, uncut), ..function.clone() });
    let function = unlimited.as_ref().unwrap_or(function);
    let Ok(decoder) = acyclic::decoder(&function.shape) else { return cells };
    let taken: HashSet<PathId> = function.completed().map(|path| path.id).collect();
    let mut missing = Vec::new();
    let mut is_complete = true;
    for id in (0..model::num_ids(&function.shape)).map(PathId).filter(|id| !taken.contains(id)) {
        is_complete = *room > 0;
        if !is_complete {
            break;
        }
        // Each id takes work, even one without a path.
        *room = room.saturating_sub(function.shape.blocks.len() + 1);
        let path = acyclic::possible(&function.shape, &decoder, id);
        missing.extend(path.ok().filter(|path| path.end != End::InFlight));
        if missing.len() == TOGETHER {
            cells.extend(path_cells(report, function, &std::mem::take(&mut missing)));
        }
    }
    cells.extend(path_cells(report, function, &missing));
    if !is_complete {
        cells.push(Cell::Text("… and more, too many to list".into()));
    }
    cells
}

fn path_cells<'a>(report: &Report, function: &Function, paths: &[Path]) -> Vec<Cell<'a>> {
    let paths: Vec<_> = paths.iter().collect();
    let wording = Wording::of(&report.modules[function.module]);
    let texts = path_text::texts(function, wording, &paths);
    let words = |text: &path_text::PathText<'_>| {
        Words(text.plain().split(' ').map(str::to_owned).collect())
    };
    texts.iter().map(|text| Cell::Flow(Box::new(words(text)))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use counts::source_files::{BranchPlace, BranchWay};
    use pathformat::manifest::{DagEdge, DagEdgeKind, Outcome, Uncut};

    use super::*;
    use crate::sample;

    fn named(name: &str) -> Function {
        sample::report()
            .functions
            .into_iter()
            .find(|function| function.demangled == name)
            .expect("there")
    }

    #[test]
    fn lines_and_ways_that_were_not_taken_are_listed() {
        let way = |outcome: Outcome, taken| {
            let word = matches!(outcome, Outcome::Cases(_)).then(|| "case 7".to_owned());
            let target = if outcome == Outcome::True { "5" } else { "8" };
            BranchWay { outcome, target: (word, target.into()), taken }
        };
        let branch = |line, ways| (BranchPlace { line, column: 1, copy: 0 }, ways);
        let file = SourceFile {
            name: "a.c".into(),
            lines: [(1, 5), (2, 0), (3, 0), (7, 1)].into(),
            branches: BTreeMap::from([
                branch(2, vec![way(Outcome::True, Some(3)), way(Outcome::False, Some(0))]),
                // A branch that was never reached, and one with an unknown count.
                branch(3, vec![way(Outcome::True, Some(0)), way(Outcome::False, Some(0))]),
                branch(4, vec![way(Outcome::Default, None), way(Outcome::Cases(vec![7]), Some(0))]),
            ]),
            ..SourceFile::default()
        };
        let missing = of(&sample::report(), &file, &[], &BTreeSet::new(), 64, &mut 1);
        insta::assert_snapshot!(sample::text_of(table(&sample::report(), missing, 0)), @r"
        what      not covered
        a.c
        lines     2-3
        branches  2→8, 4(case 7)→8
        ");
    }

    #[test]
    fn names_of_blocks_are_found_among_words() {
        for (text, expected) in [
            ("702→bb1, 5→8", true),
            ("bb0 → cut", true),
            ("loop: 3→bb12", true),
            ("bbx:3 bb 1_bb1 abb1", false),
        ] {
            assert_eq!(names_block(text), expected, "{text}");
        }
    }

    #[test]
    fn where_there_is_little_room_paths_are_left_out_first() {
        let report = sample::report();
        let functions: Vec<_> = report.counted().collect();
        let file =
            SourceFile { name: "a.c".into(), lines: [(2, 0)].into(), ..SourceFile::default() };
        let rows = |top: usize| {
            let missing = of(&report, &file, &functions, &BTreeSet::new(), 64, &mut 1000);
            let all = missing.len();
            let table = table(&report, missing, top);
            let weight = |row: &Row<'_>| plain(&row.cells[3]);
            (table.rows.iter().map(weight).collect::<Vec<_>>(), table.notes, all)
        };
        let (whole, notes, all) = rows(0);
        assert_eq!((whole.len(), notes.is_empty()), (all, true));
        assert_eq!(rows(all).0, whole);
        assert_eq!(rows(1).0, ["2"]);
        let counts: Vec<_> = whole.iter().filter(|text| text.contains(" of ")).cloned().collect();
        for top in 2..all {
            let (some, notes, _) = rows(top);
            assert!(some.len() <= top && notes.len() == 1, "{top}: {some:?}");
            let said = counts.iter().filter(|text| some.contains(text)).count();
            assert_eq!(said, counts.len().min(top - 1), "{top}: {some:?}");
            // The rows are in their order.
            let mut rest = whole.iter();
            assert!(some.iter().all(|row| rest.any(|of| of == row)), "{top}: {some:?}");
        }
    }

    /// Returns the rows for the paths of a function that were not taken.
    fn missing_paths(function: &Function, most: u64) -> Vec<String> {
        paths(&sample::report(), function, most, &mut 1000).iter().map(plain).collect()
    }

    #[test]
    fn the_paths_of_what_ran_are_listed_if_they_are_few() {
        let mut function = named("collatz");
        assert_eq!(missing_paths(&function, 7).len(), 1, "it has eight");
        assert_eq!(missing_paths(&function, 8).len(), 1 + 3);
        function.entries = 0;
        assert_eq!(missing_paths(&function, 8).len(), 1);
    }

    #[test]
    fn missing_paths_are_whole_where_those_are_known() {
        let mut function = named("util::guard(int)");
        function.paths.clear();
        // As in the sample, but without the cut behind the landing pad.
        let mut dag = function.shape.dag.clone();
        dag[3] = DagEdge { kind: DagEdgeKind::Flow { edge: 2 }, value: 0 };
        dag.remove(4);
        let cuts =
            function.shape.edges.iter().map(|edge| edge.cut.filter(|cut| cut.0 == 0)).collect();
        function.shape.uncut = Some(Uncut { num_paths: 4, slots: 64, dag, cuts });
        let ways = [
            "bb0 → cut",
            "resume: bb1 → return",
            "resume: bb2→bb3 → return",
            "resume: bb2→bb4 → unwind",
        ];
        assert_eq!(missing_paths(&function, 64)[1..], ways);
    }

    #[test]
    fn the_list_of_paths_ends_where_the_work_does() {
        let report = sample::report();
        let function = report.functions.iter().find(|of| of.demangled == "collatz").expect("there");
        // Room for the blocks of one path.
        let mut room = function.shape.blocks.len() + 1;
        let lines: Vec<_> = paths(&report, function, 64, &mut room).iter().map(plain).collect();
        assert!(lines.len() == 3 && lines[2] == "… and more, too many to list", "{lines:?}");
        assert_eq!(room, 0);
    }

    #[test]
    fn ranges_go_over_lines_without_code() {
        let lines =
            [(1, true), (3, false), (5, false), (6, true), (8, false), (9, true), (12, false)];
        assert_eq!(ranges(lines.into_iter()), ["3-5", "8", "12"]);
    }
}
