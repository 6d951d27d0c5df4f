//! Runs a program, survives the signals that end it, and hands on those that are meant for it.
//!
//! Signals that a terminal sends reach the program directly. Those that are sent to this process
//! alone are handed on.

use std::fs;
use std::io;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};

/// How far the program has come.
#[derive(Clone, Copy)]
enum Program {
    /// It has not started; this signal is for it.
    Awaited(Option<Signal>),
    /// It runs.
    Running(Pid),
    /// It has ended.
    Over,
}

/// Survives the signals that end a program, and hands them on.
pub(crate) struct SignalForwarder {
    /// Whether signals have their usual effect again.
    over: Arc<AtomicBool>,
    program: Arc<Mutex<Program>>,
    handle: Handle,
    thread: thread::JoinHandle<()>,
}

impl SignalForwarder {
    /// Watches from now on.
    ///
    /// # Errors
    /// A handler cannot be set.
    pub(crate) fn new() -> io::Result<Self> {
        let ignored = ignored_signals();
        let watched = [SIGINT, SIGQUIT, SIGTERM, SIGHUP]
            .into_iter()
            .filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let watched: Vec<_> = watched.collect();
        let over = Arc::new(AtomicBool::new(false));
        for &signal in &watched {
            // Once the program is over, signals have their usual effect again.
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&over))?;
        }
        let mut signals = Signals::new(&watched)?;
        let handle = signals.handle();
        let program = Arc::new(Mutex::new(Program::Awaited(None)));
        let target = Arc::clone(&program);
        let thread = thread::spawn(move || {
            for signal in signals.forever() {
                hand_on(signal, &mut target.lock().unwrap_or_else(PoisonError::into_inner));
            }
        });
        Ok(Self { over, program, handle, thread })
    }

    /// Runs `command` to its end.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn attend(&self, command: &mut Command) -> io::Result<ExitStatus> {
        let program = || self.program.lock().unwrap_or_else(PoisonError::into_inner);
        let mut child = command.spawn()?;
        if let Some(id) = process_id(&child) {
            let before = std::mem::replace(&mut *program(), Program::Running(id));
            if let Program::Awaited(Some(signal)) = before {
                let _ = kill_process(id, signal);
            }
            // Wait without reaping, so that the process id stays the program's until nobody uses it
            // any more.
            let exit = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
            while waitid(WaitId::Pid(id), exit).is_err_and(|error| error == Errno::INTR) {}
        }
        *program() = Program::Over;
        child.wait()
    }

    /// Gives signals their usual effect again.
    pub(crate) fn end(self) {
        self.over.store(true, Ordering::SeqCst);
        self.handle.close();
        // A panic in the thread cannot be helped, and the program has ended anyway.
        let _ = self.thread.join();
    }
}

/// Hands a signal on to the program, or keeps it until there is one.
fn hand_on(signal: i32, program: &mut Program) {
    match program {
        Program::Awaited(kept) => *kept = Signal::from_named_raw(signal),
        // SIGINT and SIGQUIT come from the terminal, which sends them to the program itself.
        Program::Running(id) if matches!(signal, SIGTERM | SIGHUP) => {
            // The program may be gone already; then there is nobody to tell.
            let _ = Signal::from_named_raw(signal).map(|signal| kill_process(*id, signal));
        }
        Program::Running(_) | Program::Over => {}
    }
}

fn process_id(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

/// The signals that this process has ignored since it started, as a bit mask. The program must
/// ignore them, too: a handler here would make them deadly there.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn a_signal_waits_for_the_program() {
        let mut program = Program::Awaited(None);
        hand_on(SIGTERM, &mut program);
        assert!(matches!(program, Program::Awaited(Some(Signal::TERM))));
        let forwarder = SignalForwarder::new().expect("handlers");
        *forwarder.program.lock().expect("no panic") = program;
        let status =
            forwarder.attend(Command::new("sleep").arg("600")).expect("there is such a program");
        assert_eq!(status.signal(), Some(SIGTERM));
        forwarder.end();
    }
}
