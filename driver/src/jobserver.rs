//! GNU make's jobserver: one token for each job beyond the first.
//!
//! make names it in `MAKEFLAGS` (`--jobserver-auth=R,W`, two descriptors of a pipe, or
//! `--jobserver-auth=fifo:PATH`). Every process started by make may run one job; for a further one
//! it reads a byte, and writes the same byte back when the job has ended.
//!
//! The descriptors are opened anew through `/proc/self/fd`: that needs no unsafe code, is refused
//! by itself if they are not open (make closes them for recipes without `+`), and gives us a
//! descriptor that can be made non-blocking without make noticing. So nobody is ever stuck in a
//! read while this process's own job is free.

use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The time after which make's pipe is looked at again.
const PATIENCE: Duration = Duration::from_millis(5);

/// make's tokens, and this process's own job.
#[derive(Debug)]
pub(crate) struct Jobserver {
    tokens: File,
    back: File,
    own_job_is_free: Mutex<bool>,
    freed: Condvar,
}

/// The right to run one job, until it is dropped.
#[derive(Debug)]
pub(crate) struct Token<'a> {
    server: &'a Jobserver,
    /// make's byte, or nothing for the job that every process may run.
    byte: Option<u8>,
}

impl Jobserver {
    /// The jobserver that `makeflags` names, if it is really there.
    pub(crate) fn from_makeflags(makeflags: &str) -> Option<Jobserver> {
        // The last one counts; before 4.2 the option was called --jobserver-fds.
        let auth = makeflags
            .split_ascii_whitespace()
            .filter_map(|word| {
                word.strip_prefix("--jobserver-auth=").or(word.strip_prefix("--jobserver-fds="))
            })
            .next_back()?;
        let (tokens, back) = match auth.strip_prefix("fifo:") {
            // For reading and writing, so that opening does not wait for somebody at the other end.
            Some(path) => (open(path, true)?, open(path, true)?),
            None => {
                let (read, write) = auth.split_once(',')?;
                let [read, write] = [read, write]
                    .map(|fd| fd.parse::<u32>().map(|fd| format!("/proc/self/fd/{fd}")));
                let (read, write) = (read.ok()?, write.ok()?);
                // If make has closed them, the numbers may by now be something else.
                let pipe = std::fs::read_link(&read).ok()?;
                if pipe != std::fs::read_link(&write).ok()? || !pipe.to_str()?.starts_with("pipe:")
                {
                    return None;
                }
                (open(&read, false)?, OpenOptions::new().write(true).open(&write).ok()?)
            }
        };
        Some(Jobserver { tokens, back, own_job_is_free: Mutex::new(true), freed: Condvar::new() })
    }

    /// Waits for the right to run a job. Returns nothing once `given_up` is true.
    pub(crate) fn acquire(&self, given_up: &dyn Fn() -> bool) -> Option<Token<'_>> {
        let mut free = self.own_job_is_free.lock().unwrap_or_else(PoisonError::into_inner);
        while !given_up() {
            if std::mem::take(&mut *free) {
                return Some(Token { server: self, byte: None });
            }
            let mut byte = [0];
            match (&self.tokens).read(&mut byte) {
                Ok(1) => return Some(Token { server: self, byte: Some(byte[0]) }),
                Ok(_) => {}
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                // A broken jobserver leaves us our own job.
                Err(_) => {}
            }
            free =
                self.freed.wait_timeout(free, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }
}

impl Drop for Token<'_> {
    fn drop(&mut self) {
        match self.byte {
            // If make is gone, nobody waits for the token.
            Some(byte) => drop((&self.server.back).write_all(&[byte])),
            None => {
                *self.server.own_job_is_free.lock().unwrap_or_else(PoisonError::into_inner) = true;
                self.server.freed.notify_one();
            }
        }
    }
}

fn open(path: impl AsRef<Path>, write: bool) -> Option<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).ok()?;
    OpenOptions::new().read(true).write(write).custom_flags(flags).open(path).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    fn counted(server: &Jobserver) -> usize {
        let mut tokens = Vec::new();
        let tries = std::cell::Cell::new(0);
        let twice = || tries.replace(tries.get() + 1) > 1;
        while let Some(token) = server.acquire(&twice) {
            tokens.push(token);
            tries.set(0);
        }
        tokens.len()
    }

    #[test]
    fn a_pipe_gives_its_tokens_and_gets_them_back() {
        let (reader, mut writer) = std::io::pipe().expect("pipe");
        writer.write_all(b"+-").expect("room");
        let flags = format!(" -j3 --jobserver-auth={},{}", reader.as_raw_fd(), writer.as_raw_fd());
        let server = Jobserver::from_makeflags(&flags).expect("jobserver");
        assert_eq!(counted(&server), 3);
        assert_eq!(counted(&server), 3);
        let mut bytes = [0; 2];
        (&reader).read_exact(&mut bytes).expect("tokens");
        bytes.sort_unstable();
        assert_eq!(&bytes, b"+-");
    }

    #[test]
    fn no_jobserver_is_seen_where_there_is_none() {
        assert!(Jobserver::from_makeflags(" -j1").is_none());
        assert!(Jobserver::from_makeflags(" -j3 --jobserver-auth=-2,-2").is_none());
        assert!(Jobserver::from_makeflags("--jobserver-auth=998,999").is_none());
        assert!(Jobserver::from_makeflags("--jobserver-auth=fifo:/nonexistent/fifo").is_none());
        let file = tempfile::tempfile().expect("file");
        let fd = file.as_raw_fd();
        assert!(Jobserver::from_makeflags(&format!("--jobserver-auth={fd},{fd}")).is_none());
    }
}
