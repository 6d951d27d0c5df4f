//! Runs a command, or shows it.
//!
//! The command replaces this process: signals, job control, exit status and standard streams are
//! then clang's without any doing of ours. `PATHCC_DRYRUN=1` prints each command on a line of its
//! own instead, quoted for bash: `unset` of variables, assignments, `exec -a` if the name differs
//! from the file.

use crate::invocation::Invocation;
use anyhow::{Context, Result, anyhow};
use rustix::fs::MemfdFlags;
use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::Command;
use wrapper::response::{self, Dialect};

/// The command as the standard library takes it.
pub(crate) fn command(invocation: &Invocation) -> Command {
    let mut command = Command::new(&invocation.program);
    command.arg0(&invocation.argv0).args(&invocation.arguments);
    for (name, value) in &invocation.environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// Replaces this process by the command.
///
/// # Errors
/// Returns only if that fails.
pub(crate) fn replace(invocation: &Invocation) -> Result<Infallible> {
    let mut error = command(invocation).exec();
    if error.kind() == ErrorKind::ArgumentListTooLong {
        // Ours may be the few words too many.
        error = replace_through_response_file(invocation).unwrap_or_else(|error| error);
    }
    Err(anyhow!(error)).with_context(|| format!("cannot run {}", invocation.program.display()))
}

/// As [`replace`], with all arguments in a response file that exists in memory only: nobody has to
/// remove it.
fn replace_through_response_file(invocation: &Invocation) -> io::Result<io::Error> {
    let mut file = File::from(rustix::fs::memfd_create("pathcc-arguments", MemfdFlags::empty())?);
    file.write_all(&response::join(&invocation.arguments, Dialect::Llvm))?;
    let argument = OsString::from(format!("@/proc/self/fd/{}", file.as_raw_fd()));
    Ok(command(&Invocation { arguments: vec![argument], ..invocation.clone() }).exec())
}

/// The command as a line for bash.
pub(crate) fn shell_line(invocation: &Invocation) -> String {
    let mut words = Vec::new();
    let removed: Vec<&str> = invocation
        .environment
        .iter()
        .filter(|(_, value)| value.is_none())
        .map(|(name, _)| *name)
        .collect();
    if !removed.is_empty() {
        words.push(format!("unset {};", removed.join(" ")));
    }
    for (name, value) in &invocation.environment {
        words.extend(value.as_ref().map(|value| format!("{name}={}", quoted(value))));
    }
    if invocation.argv0 != invocation.program.as_os_str() {
        words.push(format!("exec -a {}", quoted(&invocation.argv0)));
    }
    words.push(quoted(invocation.program.as_os_str()));
    words.extend(invocation.arguments.iter().map(|argument| quoted(argument)));
    words.join(" ")
}

/// A word as bash reads it back.
pub(crate) fn quoted(word: &OsStr) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=+./,:@%".contains(&byte);
    let text = String::from_utf8_lossy(word.as_bytes());
    if !text.is_empty() && text.bytes().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        assert_eq!(quoted(OsStr::new("-fuse-ld=/a/b")), "-fuse-ld=/a/b");
        assert_eq!(quoted(OsStr::new("")), "''");
        assert_eq!(quoted(OsStr::new("a b")), "'a b'");
        assert_eq!(quoted(OsStr::new("it's")), r"'it'\''s'");
    }
}
