//! Runs the real linker as a child and ends as it ended. Signals that would end pathld go to the child, so that
//! temporary files are removed before pathld follows it.

use std::fs;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

/// How the real linker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// With this exit code.
    Code(u8),
    /// Through this signal.
    Signal(i32),
}

impl Outcome {
    /// Whether the output is there.
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

/// What the signal thread and the main thread share.
#[derive(Default)]
struct State {
    child: Option<Pid>,
    received: Option<i32>,
}

/// Runs one child after the other.
pub(crate) struct Runner {
    state: Arc<Mutex<State>>,
}

impl Runner {
    /// From now on signals are passed on to the child, but for those that this program was told to ignore.
    ///
    /// # Errors
    /// The system has no room for a handler or a thread.
    pub(crate) fn new() -> io::Result<Self> {
        let state = Arc::new(Mutex::new(State::default()));
        let ignored = ignored_signals();
        let wanted = [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let mut signals = Signals::new(wanted.collect::<Vec<_>>())?;
        let shared = Arc::clone(&state);
        thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
                state.received = Some(signal);
                if let (Some(child), Some(signal)) = (state.child, Signal::from_named_raw(signal)) {
                    let _ = kill_process(child, signal);
                }
            }
        })?;
        Ok(Self { state })
    }

    /// The signal that has told us to stop.
    pub(crate) fn stopped_by(&self) -> Option<i32> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).received
    }

    /// Runs a command to its end.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn run(&self, mut command: Command) -> io::Result<Outcome> {
        let lock = || self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut child = {
            let mut state = lock();
            if let Some(signal) = state.received {
                return Ok(Outcome::Signal(signal));
            }
            let child = command.spawn()?;
            state.child = Pid::from_raw(child.id() as i32);
            child
        };
        let status = child.wait();
        lock().child = None;
        status.map(Outcome::from)
    }
}

/// The signals that are ignored, as the kernel's bit mask: `nohup make` must not lose its linker.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_signals_come_through() {
        let runner = Runner::new().expect("threads");
        let run = |script: &str| {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", script]);
            runner.run(command).expect("there is a shell")
        };
        assert_eq!(run("exit 7"), Outcome::Code(7));
        assert!(run("true").success());
        assert_eq!(run("kill -SEGV $$"), Outcome::Signal(11));
    }
}
