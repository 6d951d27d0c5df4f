//! Writes command lines so that a shell reads the same words back.
//!
//! Every shell reads plain words and those in single quotes. A word that holds what cannot be seen,
//! or bytes that are no text, is written as `$'…'`: it takes one line and shows each byte. bash,
//! zsh, ksh and POSIX since 2024 read that; dash does not.

use std::fmt::Write;

use profile::escape::is_hidden;

/// Words that are the shell's own where a command begins.
const RESERVED: [&str; 17] = [
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for",
    "in", "function", "select", "time", "coproc",
];

/// The words of a command line, each as a shell reads it back. The first is the program.
pub fn words<W: AsRef<[u8]>>(command_line: impl IntoIterator<Item = W>) -> Vec<String> {
    let quoted = |(at, word): (usize, W)| match at {
        0 => program(word.as_ref()),
        _ => word_of(word.as_ref()),
    };
    command_line.into_iter().enumerate().map(quoted).collect()
}

/// A command line as a shell reads it back.
pub fn line<W: AsRef<[u8]>>(command_line: impl IntoIterator<Item = W>) -> String {
    words(command_line).join(" ")
}

/// The word that begins a command. There `a=b` would set a variable, and `if` begin a statement.
fn program(word: &[u8]) -> String {
    let shown = word_of(word);
    let means_more = shown.contains('=') || RESERVED.contains(&&*shown);
    let is_plain = shown.as_bytes() == word;
    if is_plain && means_more { format!("'{shown}'") } else { shown }
}

/// One word.
fn word_of(word: &[u8]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-./=:,+@%".contains(c);
    match std::str::from_utf8(word) {
        Ok(text) if !text.is_empty() && text.chars().all(is_plain) => text.into(),
        Ok(text) if !text.contains(is_hidden) => format!("'{}'", text.replace('\'', r"'\''")),
        _ => escaped(word),
    }
}

/// The word as `$'…'`. Bytes are octal numbers of three digits, since shells differ in how many
/// digits of a hexadecimal one they take.
fn escaped(word: &[u8]) -> String {
    let mut shown = String::from("$'");
    let bytes = |shown: &mut String, bytes: &[u8]| {
        // Memory does not fail.
        bytes.iter().for_each(|byte| write!(shown, "\\{byte:03o}").unwrap_or_default());
    };
    for chunk in word.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\n' => shown.push_str("\\n"),
                '\t' => shown.push_str("\\t"),
                '\r' => shown.push_str("\\r"),
                '\\' | '\'' => shown.extend(['\\', c]),
                // An interactive shell would look for a former command.
                '!' => bytes(&mut shown, b"!"),
                c if is_hidden(c) => bytes(&mut shown, c.encode_utf8(&mut [0; 4]).as_bytes()),
                c => shown.push(c),
            }
        }
        bytes(&mut shown, chunk.invalid());
    }
    shown + "'"
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use super::*;

    /// What a shell makes of what is pasted into it.
    fn pasted(shell: &[&str], text: &str) -> Vec<Vec<u8>> {
        let mut child = Command::new(shell[0])
            .args(&shell[1..])
            .env("LC_ALL", "C.UTF-8")
            .env_remove("HISTFILE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut stdin = child.stdin.take().expect("a pipe");
        let text = format!("show() {{ printf '%s\\0' \"$@\"; }}\n{text}\n");
        std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(text.as_bytes()).expect("a shell that reads"));
            let output = child.wait_with_output().expect("it ends");
            assert!(output.status.success(), "{output:?}");
            let all = output.stdout.strip_suffix(b"\0").expect("a word");
            all.split(|&byte| byte == 0).map(<[u8]>::to_vec).collect()
        })
    }

    /// Words of all kinds: each byte alone and between others, each pair of what means something to
    /// a shell, text of other languages, and what cannot be seen.
    fn all_kinds() -> Vec<Vec<u8>> {
        let special = b" \t\n\r\x1b\x7f!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~019ab\xc3\xff";
        let alone = (1..=255).flat_map(|byte| [vec![byte], vec![b'a', byte, b'1']]);
        let pairs = special.iter().flat_map(|&a| special.iter().map(move |&b| vec![a, b]));
        let texts = [
            "",
            "x'y",
            "$(touch PWNED)",
            "z'",
            "'",
            "\\",
            "\\'",
            "a\\\nb",
            "it's\n!x",
            "!!\t",
            "é",
            "数 字",
            "\u{202e}abc",
            "e\u{301}",
            "\u{a0}",
            "\u{3000}",
            "\u{feff}",
            "~",
            "-",
            "--",
        ];
        let texts = texts.iter().map(|text| text.as_bytes().to_vec());
        alone.chain(pairs).chain(texts).collect()
    }

    #[test]
    fn what_is_pasted_into_a_shell_is_what_ran() {
        let all = all_kinds();
        let line =
            format!("show {}", all.iter().map(|word| word_of(word)).collect::<Vec<_>>().join(" "));
        assert!(!line.contains(is_hidden), "each can be seen");
        assert_eq!(pasted(&["bash"], &line), all);
        // As if somebody typed it into a shell that keeps a history.
        assert_eq!(pasted(&["bash"], &format!("set -o history -o histexpand\n{line}")), all);
        let portable: Vec<_> =
            all.iter().filter(|word| !word_of(word).starts_with('$')).cloned().collect();
        assert!(portable.len() > 1000, "only what cannot be seen needs more: {}", portable.len());
        let line = format!(
            "show {}",
            portable.iter().map(|word| word_of(word)).collect::<Vec<_>>().join(" ")
        );
        assert_eq!(pasted(&["dash"], &line), portable);
    }

    #[test]
    fn a_program_is_a_program_whatever_it_is_called() {
        for name in RESERVED.iter().copied().chain(["a=b", "a b", "x'y", "$(x)", "!", "{"]) {
            let command = line([name, "a=b", "if"]);
            let ran = pasted(
                &["bash"],
                &format!("PATH=/nowhere; command_not_found_handle() {{ show \"$@\"; }}\n{command}"),
            );
            assert_eq!(ran, [name.as_bytes(), b"a=b", b"if"], "{command}");
        }
    }

    #[test]
    fn words_stay_readable() {
        let shown = line(["./prog", "-o", "a=b", "", "it's", "a\nb", "100%"]);
        assert_eq!(shown, r"./prog -o a=b '' 'it'\''s' $'a\nb' 100%");
        assert_eq!(line([&b"x"[..], b"\xff\x1b["]), r"x $'\377\033['");
    }
}
