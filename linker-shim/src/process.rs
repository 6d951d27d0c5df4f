//! Runs the real linker as a child and ends as it ended. Signals that would end pathld go to the
//! child, so that temporary files are removed before pathld follows it.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, ExitStatus};

use signal_hook::low_level::emulate_default_handler;
use wrapper::children::Children;

/// The end of the real linker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// With this exit code.
    Code(u8),
    /// Through this signal.
    Signal(i32),
}

impl Outcome {
    /// True if the output is there.
    pub(crate) fn success(self) -> bool {
        self == Outcome::Code(0)
    }

    /// Ends this program in the same way.
    pub(crate) fn exit(self) -> ExitCode {
        match self {
            Outcome::Code(code) => ExitCode::from(code),
            Outcome::Signal(signal) => {
                // Comes back only if the signal does not end a program.
                let _ = emulate_default_handler(signal);
                ExitCode::from(128u8.wrapping_add(signal as u8))
            }
        }
    }
}

impl From<ExitStatus> for Outcome {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Outcome::Code(code as u8),
            (None, Some(signal)) => Outcome::Signal(signal),
            (None, None) => Outcome::Code(1),
        }
    }
}

/// Runs a command to its end as one of the children.
///
/// # Errors
/// It cannot be started.
pub(crate) fn run(mut command: Command, children: &Children) -> io::Result<Outcome> {
    let status = children.run(&mut command)?;
    // Without a status a signal came before the command began.
    let stopped = || children.stopped_by().map_or(Outcome::Code(1), Outcome::Signal);
    Ok(status.map_or_else(stopped, Outcome::from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_signals_come_through() {
        let children = Children::watching_signals().expect("threads");
        let run = |script: &str| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script]);
            super::run(command, &children).expect("there is a shell")
        };
        assert_eq!(run("exit 7"), Outcome::Code(7));
        assert!(run("true").success());
        assert_eq!(run("kill -SEGV $$"), Outcome::Signal(11));
    }
}
