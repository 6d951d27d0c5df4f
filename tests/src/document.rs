//! Pages of the documentation: what a reader types, and what a page shows of what is printed.
//!
//! An indented block is typed into a shell, one command on a line. A fenced block of the language
//! `output` shows what the indented block before it prints in a terminal. There, a line `…` stands
//! for any number of lines. Other fenced blocks hold no commands.

use std::collections::HashSet;
use std::iter;

/// Stands for any number of lines in what a page shows.
const ELLIPSIS: &str = "…";

/// An indented block of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The heading above it.
    pub section: String,
    /// The number of its first line in the page, from 1.
    pub line: usize,
    /// Its commands, in order. A command that is continued by a backslash has several lines.
    pub commands: Vec<String>,
    /// What the page shows them printing, if it does.
    pub shown: Option<String>,
}

/// The indented blocks of a page, in order.
///
/// # Panics
/// If a fenced block is not closed, or one of the language `output` follows no indented block.
pub fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut section = String::new();
    let mut before = "";
    let mut lines = (1..).zip(page.lines()).peekable();
    while let Some((number, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let mut inside = Vec::new();
            loop {
                match lines.next() {
                    Some((_, "```")) => break,
                    Some((_, line)) => inside.push(line),
                    None => panic!("line {number}: the block is not closed"),
                }
            }
            if language == "output" {
                let last = blocks.last_mut().filter(|block| block.section == section);
                match last.filter(|block| block.shown.is_none()) {
                    Some(block) => block.shown = Some(inside.join("\n")),
                    None => panic!("line {number}: nothing prints this"),
                }
            }
        } else if let Some(first) = line.strip_prefix("    ").filter(|_| before.is_empty()) {
            let mut typed = vec![first];
            while let Some((_, line)) = lines.next_if(|(_, line)| line.starts_with("    ")) {
                typed.push(line.trim_start());
            }
            let (section, commands) = (section.clone(), commands(&typed));
            blocks.push(Block { section, line: number, commands, shown: None });
        } else if line.starts_with('#') {
            line.trim_start_matches('#').trim().clone_into(&mut section);
        }
        before = line;
    }
    blocks
}

/// The anchors of a page's headings, as GitHub makes them: in small letters, hyphens for spaces, no
/// other punctuation, and a number behind those that are there already.
pub fn anchors(page: &str) -> HashSet<String> {
    let mut anchors = HashSet::new();
    let mut is_fenced = false;
    for line in page.lines() {
        is_fenced ^= line.starts_with("```");
        let Some(heading) = line.strip_prefix('#').filter(|_| !is_fenced) else { continue };
        let kept = |of: &char| of.is_alphanumeric() || " -_".contains(*of);
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let anchor = text.chars().filter(kept).collect::<String>().replace(' ', "-");
        let numbered = (1..).map(|number| format!("{anchor}-{number}"));
        let mut names = iter::once(anchor.clone()).chain(numbered);
        anchors.extend(names.find(|name| !anchors.contains(name)));
    }
    anchors
}

/// Where the links in a line of a page lead, without those to other sites: files, and what stands
/// behind `#`.
pub fn targets(line: &str) -> Vec<(String, String)> {
    // Code between backticks may look like a link.
    let text: String = line.split('`').step_by(2).collect();
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let parts = targets.map(|target| target.split_once('#').unwrap_or((target, "")));
    let own = parts.filter(|(file, _)| !file.contains(':'));
    own.map(|(file, anchor)| (file.to_owned(), anchor.to_owned())).collect()
}

/// The files to which the links in a line of a page lead.
pub fn links(line: &str) -> Vec<String> {
    let files = targets(line).into_iter().map(|(file, _)| file);
    files.filter(|file| !file.is_empty()).collect()
}

/// Lines as commands: one that ends with a backslash continues in the next line.
fn commands(lines: &[&str]) -> Vec<String> {
    let mut commands: Vec<String> = Vec::new();
    for line in lines {
        match commands.last_mut().filter(|last| last.ends_with('\\')) {
            Some(last) => last.extend(["\n", line]),
            None => commands.push((*line).to_owned()),
        }
    }
    commands
}

/// Whether a page shows what was printed. Spaces at the ends of lines do not count.
pub fn shows(shown: &str, printed: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.trim_end().lines();
        lines.map(|line| line.trim_end().to_owned()).collect()
    };
    fits(&lines(shown), &lines(printed))
}

fn fits(shown: &[String], printed: &[String]) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, rest) => rest.is_none(),
        (Some((expected, after)), _) if expected == ELLIPSIS => {
            (0..=printed.len()).any(|from| fits(after, &printed[from..]))
        }
        (Some((expected, after)), Some((line, rest))) => expected == line && fits(after, rest),
        (Some(_), None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_what_they_print_are_found() {
        let first = "# Page\n\n    a \\\n        b\n    c\n\nText\n    of it.\n\n";
        let second = "```output\none\n…\n```\n\n## Part\n\n```c\n    int x;\n```\n\n    d\n";
        let found = blocks(&format!("{first}{second}"));
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!((found[0].section.as_str(), found[0].line), ("Page", 3));
        assert_eq!(found[0].commands, ["a \\\nb", "c"]);
        assert_eq!(found[0].shown.as_deref(), Some("one\n…"));
        assert_eq!((found[1].section.as_str(), found[1].line), ("Part", 21));
        assert_eq!(found[1].shown, None);
    }

    #[test]
    fn headings_have_the_anchors_of_github() {
        let page = "# Threads\n\n```sh\n# no heading\n```\n\n## `a.b`, c-d?\n\n### Threads\n";
        let expected = ["threads", "ab-c-d", "threads-1"].map(str::to_owned);
        assert_eq!(anchors(page), HashSet::from(expected));
    }

    #[test]
    fn links_lead_to_files_and_headings() {
        let line = "[`a`](b.md#part), [c](#part), [d](https://example.org/), `x[](y)`, [e](../f)";
        assert_eq!(links(line), ["b.md", "../f"]);
        assert_eq!(targets(line)[1], (String::new(), "part".to_owned()));
    }

    #[test]
    fn every_line_that_is_shown_counts() {
        assert!(shows("a\nb", "a  \nb\n\n"));
        assert!(shows("a\n…\nd", "a\nb\nc\nd"));
        assert!(shows("…\nd", "d"));
        assert!(shows("a\n…", "a\nb"));
        assert!(!shows("a\nb", "a\nc"));
        assert!(!shows("a", "a\nb"));
        assert!(!shows("a\nb", "a"));
        assert!(!shows("a\n…\nc", "a\nb"));
    }

    #[test]
    #[should_panic(expected = "line 3: nothing prints this")]
    fn what_nothing_prints_is_refused() {
        blocks("# Page\n\n```output\nx\n```\n");
    }

    #[test]
    #[should_panic(expected = "line 1: the block is not closed")]
    fn an_open_block_is_refused() {
        blocks("```c\nint x;\n");
    }
}
