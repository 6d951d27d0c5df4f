//! Collects bytes and writes them to a file in large pieces.

use pathformat::wire::Sink;

use crate::sys::{self, File};

/// How much is collected.
pub(crate) const BUFFER: usize = 4096;

/// A sink that, after the first failure, only pretends to write.
pub(crate) struct FileSink<'a> {
    file: &'a File,
    buffer: &'a mut [u8; BUFFER],
    filled: usize,
    /// How much may still be written: beyond the limit a signal would end the program.
    allowed: u64,
    failed: bool,
}

impl<'a> FileSink<'a> {
    /// A sink that writes where the file stands.
    pub(crate) fn new(file: &'a File, buffer: &'a mut [u8; BUFFER]) -> Self {
        Self { file, buffer, filled: 0, allowed: sys::file_size_limit(), failed: false }
    }

    fn flush(&mut self) {
        let bytes = self.buffer.get(..self.filled).unwrap_or_default();
        match self.allowed.checked_sub(bytes.len() as u64) {
            Some(left) if !self.failed => {
                self.allowed = left;
                self.failed = !self.file.write_all(bytes);
            }
            _ => self.failed = true,
        }
        self.filled = 0;
    }

    /// Writes what is left; whether everything arrived.
    pub(crate) fn finish(mut self) -> bool {
        self.flush();
        !self.failed
    }
}

impl Sink for FileSink<'_> {
    fn put(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            if self.filled == BUFFER {
                self.flush();
            }
            if let Some(place) = self.buffer.get_mut(self.filled) {
                *place = byte;
                self.filled += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_device_is_noticed() {
        let file = File::append(c"/dev/full").expect("Linux has it");
        let mut buffer = [0; BUFFER];
        let mut sink = FileSink::new(&file, &mut buffer);
        sink.put(&[0; 3 * BUFFER]);
        assert!(!sink.finish());
    }

    #[test]
    fn the_limit_of_file_sizes_is_kept() {
        let file = File::append(c"/dev/null").expect("Linux has it");
        let mut buffer = [0; BUFFER];
        let mut sink = FileSink { allowed: 5000, ..FileSink::new(&file, &mut buffer) };
        sink.put(&[0; 5000]);
        assert_eq!(sink.allowed, 5000 - BUFFER as u64);
        sink.put(&[0; 5000]);
        assert!(!sink.finish());
    }
}
