//! Pages of the documentation: what a reader types, and what a page shows of what is printed.
//!
//! An indented block is typed into a shell, one command on a line. A fenced block of the language `output` shows what
//! the block before it prints in a terminal; a line `…` stands for any number of lines. Other fenced blocks hold no
//! commands.

/// The lines that stand for any number of others in what a page shows.
const ELLIPSIS: &str = "…";

/// An indented block of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The heading above it.
    pub section: String,
    /// The number of its first line in the page, from 1.
    pub line: usize,
    /// Its commands, in order; a command that is continued by backslashes has several lines.
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
    let mut lines = page.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let mut inside = Vec::new();
            loop {
                match lines.next() {
                    Some((_, "```")) => break,
                    Some((_, line)) => inside.push(line),
                    None => panic!("line {}: the block is not closed", index + 1),
                }
            }
            if language == "output" {
                let block = blocks.last_mut().filter(|block| block.section == section && block.shown.is_none());
                block.unwrap_or_else(|| panic!("line {}: nothing prints this", index + 1)).shown =
                    Some(inside.join("\n"));
            }
        } else if let Some(first) = line.strip_prefix("    ").filter(|_| before.is_empty()) {
            let mut typed = vec![first];
            while let Some((_, line)) = lines.next_if(|(_, line)| line.starts_with("    ")) {
                typed.push(line.trim_start_matches("    "));
            }
            blocks.push(Block { section: section.clone(), line: index + 1, commands: commands(&typed), shown: None });
        } else if line.starts_with('#') {
            line.trim_start_matches('#').trim().clone_into(&mut section);
        }
        before = line;
    }
    blocks
}

/// Lines as commands: one that ends with a backslash goes on in the next.
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

/// Whether a page shows what was printed.
pub fn shows(shown: &str, printed: &str) -> bool {
    fn fits(shown: &[&str], printed: &[&str]) -> bool {
        match (shown.split_first(), printed.split_first()) {
            (None, rest) => rest.is_none(),
            (Some((&ELLIPSIS, after)), _) => (0..=printed.len()).any(|from| fits(after, &printed[from..])),
            (Some((expected, after)), Some((line, rest))) => expected == line && fits(after, rest),
            (Some(_), None) => false,
        }
    }
    let [shown, printed] = [shown, printed].map(|text| text.trim_end().lines().map(str::trim_end).collect::<Vec<_>>());
    fits(&shown, &printed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_what_they_print_are_found() {
        let page = "# Page\n\n    a \\\n        b\n    c\n\nText\n    of it.\n\n```output\none\n…\n```\n\n\
                    ## Part\n\n```c\n    int x;\n```\n\n    d\n";
        let found = blocks(page);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!((found[0].section.as_str(), found[0].line), ("Page", 3));
        assert_eq!(found[0].commands, ["a \\\nb", "c"]);
        assert_eq!(found[0].shown.as_deref(), Some("one\n…"));
        assert_eq!((found[1].section.as_str(), found[1].line, &found[1].shown), ("Part", 20, &None));
    }

    #[test]
    fn every_line_that_is_shown_counts() {
        assert!(shows("a\nb", "a  \nb\n\n"));
        assert!(shows("a\n…\nd", "a\nb\nc\nd") && shows("…\nd", "d") && shows("a\n…", "a\nb"));
        assert!(!shows("a\nb", "a\nc") && !shows("a", "a\nb") && !shows("a\nb", "a") && !shows("a\n…\nc", "a\nb"));
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
