//! Fits a command line into a width so that a shell still reads the same words when the lines are
//! pasted.
//!
//! A line that goes on ends in a backslash. A word is never broken: one that is wider than the
//! screen goes on in the next line of the terminal, which joins the two when they are copied. A
//! command line that is far too long is cut so that no shell runs it.

use crate::show::style::{grouped, visible_width};
use crate::show::table::Flow;

/// The end of a line that goes on.
const GOES_ON: &str = " \\";

/// The largest number of lines of a command line.
const MOST_LINES: usize = 4;

/// The words of a command line, [quoted for a shell](crate::shell::words).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandLine(pub Vec<String>);

impl CommandLine {
    /// Returns the command line, with other words behind it, in lines of `width` columns.
    pub(crate) fn before(&self, rest: &str, width: Option<usize>) -> Vec<String> {
        let mut lines = self.fit(width);
        for word in rest.split(' ').filter(|word| !word.is_empty()) {
            let line = lines.last_mut().filter(|line| {
                width.is_none_or(|width| visible_width(line) + 1 + visible_width(word) <= width)
            });
            match line {
                Some(line) if line.is_empty() => word.clone_into(line),
                Some(line) => *line += &format!(" {word}"),
                None => lines.push(word.to_owned()),
            }
        }
        lines
    }
}

impl Flow for CommandLine {
    fn plain(&self) -> String {
        self.0.join(" ")
    }

    fn fit(&self, width: Option<usize>) -> Vec<String> {
        let Some(width) = width else { return vec![self.plain()] };
        let mut lines = vec![String::new()];
        let mut taken = 0;
        for (at, word) in self.0.iter().enumerate() {
            let wide = visible_width(word);
            let end = if at + 1 < self.0.len() { GOES_ON.len() } else { 0 };
            let starts_line = taken > 0 && taken + 1 + wide + end > width;
            if lines.len() + usize::from(starts_line) + wide / width.max(1) > MOST_LINES {
                let cut = cut(self.0.len() - at, width);
                if taken > 0 {
                    goes_on(&mut lines, cut);
                } else {
                    lines = vec![cut];
                }
                return lines;
            }
            if starts_line {
                goes_on(&mut lines, String::new());
                taken = 0;
            }
            if let Some(line) = lines.last_mut() {
                *line += if taken > 0 { " " } else { "" };
                *line += word;
            }
            taken += wide + usize::from(taken > 0);
        }
        lines
    }
}

/// Begins another line.
fn goes_on(lines: &mut Vec<String>, next: String) {
    if let Some(line) = lines.last_mut() {
        *line += GOES_ON;
    }
    lines.push(next);
}

/// Returns a placeholder for words that are left out. No shell runs a command with it.
fn cut(words: usize, width: usize) -> String {
    let words =
        if words == 1 { "1 word".into() } else { format!("{} words", grouped(words as u128)) };
    let [long, short] = [format!("<… {words}; --full shows all>"), "<…>".to_owned()];
    if visible_width(&long) <= width { long } else { short }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::shell;

    /// Returns the result of bash for lines that are pasted.
    fn pasted(lines: &[String]) -> (bool, Vec<String>) {
        let script = lines.join("\n          ");
        let output = Command::new("bash").args(["-c", &script]).output().expect("bash");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.success(), text.split_terminator('\0').map(str::to_owned).collect())
    }

    #[test]
    fn a_shell_joins_what_was_broken() {
        let words =
            ["a file", "it's", "", "b\nc", "--long-option=value", "漢字 漢字", "$HOME", "z"];
        let command = ["printf", "%s\\0"].into_iter().chain(words);
        let command = CommandLine(shell::words(command));
        for width in 12..120 {
            let lines = command.fit(Some(width));
            let (has_run, read) = pasted(&lines);
            let is_whole = !lines.iter().any(|line| line.contains('…'));
            assert_eq!(has_run, is_whole, "{width}: {lines:?}");
            assert!(!is_whole || read == words, "{width}: {lines:?} {read:?}");
            assert!(is_whole || width < 40, "{lines:?}");
            let fits = |line: &&String| visible_width(line) <= width.max(23);
            assert!(lines.iter().all(|line| fits(&line)), "{width}: {lines:?}");
        }
    }

    #[test]
    fn what_is_far_too_long_does_not_run() {
        for words in [vec!["x".repeat(1000)], vec!["true".into(); 1000]] {
            let lines = CommandLine(words).fit(Some(40));
            assert!(lines.len() <= MOST_LINES + 1 && !pasted(&lines).0, "{lines:?}");
        }
    }

    #[test]
    fn other_words_follow_a_command() {
        let command = CommandLine(vec!["./prog".into(), "'a b'".into()]);
        assert_eq!(command.before("(pid 7, x)", None), ["./prog 'a b' (pid 7, x)"]);
        let lines = command.before("(pid 7, x)", Some(12));
        assert_eq!(lines, ["./prog 'a b'", "(pid 7, x)"]);
        assert_eq!(CommandLine::default().before("(pid 7)", Some(12)), ["(pid 7)"]);
    }
}
