//! Texts of bounded length, which replace strings, since the runtime does not allocate.

use core::ffi::CStr;
use core::slice;

use pathformat::label::LONGEST;

/// A text of at most `N` − 1 bytes. Bytes that do not fit are dropped and recorded as an overflow.
///
/// The length stands in front, so that a short text touches one page.
#[derive(Debug)]
#[repr(C)]
pub struct Text<const N: usize> {
    length: usize,
    overflowed: bool,
    bytes: [u8; N],
}

/// A label, longer by a few bytes than what is [kept](pathformat::label::kept) of it, so that it is
/// cut at a character.
pub type LabelText = Text<{ LONGEST + 8 }>;

/// A file's path. The kernel's own limit is 4096 bytes with the closing NUL.
pub type Path = Text<4096>;

impl<const N: usize> Text<N> {
    /// Creates an empty text.
    pub const fn new() -> Self {
        Self { length: 0, overflowed: false, bytes: [0; N] }
    }

    /// Removes the content.
    pub fn clear(&mut self) {
        self.length = 0;
        self.overflowed = false;
    }

    /// Appends a byte.
    pub fn push(&mut self, byte: u8) {
        // One byte stays free for the NUL.
        match self.bytes[..N - 1].get_mut(self.length) {
            Some(place) => {
                *place = byte;
                self.length += 1;
            }
            None => self.overflowed = true,
        }
    }

    /// Appends bytes.
    pub fn push_all(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.push(byte));
    }

    /// Replaces the content by that of another text.
    pub fn copy(&mut self, other: &Self) {
        self.clear();
        self.push_all(other.as_bytes());
        self.overflowed = other.overflowed;
    }

    /// Appends a number in decimal.
    pub fn push_decimal(&mut self, value: u32) {
        let mut divisor = 1_000_000_000;
        while divisor > 1 && value / divisor == 0 {
            divisor /= 10;
        }
        while divisor > 0 {
            self.push(b'0' + (value / divisor % 10) as u8);
            divisor /= 10;
        }
    }

    /// Appends bytes in lower-case hexadecimal.
    pub fn push_hexadecimal(&mut self, bytes: &[u8]) {
        for byte in bytes {
            for digit in [byte >> 4, byte & 15] {
                self.push(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 });
            }
        }
    }

    /// Cuts the text after `length` bytes.
    pub fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    /// Cuts off the first `length` bytes.
    pub fn cut_front(&mut self, length: usize) {
        let length = length.min(self.length);
        self.bytes.copy_within(length..self.length, 0);
        self.length -= length;
    }

    /// Cuts off `end`, if the text ends with it.
    pub fn cut_end(&mut self, end: &[u8]) {
        if self.as_bytes().ends_with(end) {
            self.truncate(self.length - end.len());
        }
    }

    /// Fills the text by `fill`, which returns the new length. `None` makes the text empty.
    pub fn fill(&mut self, fill: impl FnOnce(&mut [u8]) -> Option<usize>) {
        self.clear();
        self.length = fill(&mut self.bytes[..N - 1]).unwrap_or(0).min(N - 1);
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// Returns true if some bytes did not fit.
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// Returns the text for a system call; `None` if it is not complete.
    pub fn as_path(&mut self) -> Option<&CStr> {
        self.as_path_from(0)
    }

    /// Returns the text from an index on for a system call; `None` if it is not complete.
    pub fn as_path_from(&mut self, first: usize) -> Option<&CStr> {
        *self.bytes.get_mut(self.length)? = 0;
        if self.overflowed {
            return None;
        }
        CStr::from_bytes_with_nul(self.bytes.get(first..=self.length)?).ok()
    }
}

/// Returns the C string at an address.
///
/// # Safety
/// It must end with a NUL, and must not change.
pub unsafe fn c_string<'a>(start: *const u8) -> &'a CStr {
    // SAFETY: the caller vouches for it. The reads are volatile, because the compiler would call
    // the C library's `strlen`.
    unsafe {
        let length = (0..).take_while(|&at| start.add(at).read_volatile() != 0).count();
        CStr::from_bytes_with_nul_unchecked(slice::from_raw_parts(start, length + 1))
    }
}

/// Returns the length of the directory part of a path, with the slash.
pub fn directory_length(path: &[u8]) -> usize {
    path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_noticed() {
        let mut text = Text::<4>::new();
        text.push_all(b"abc");
        assert_eq!(text.as_path(), Some(c"abc"));
        text.push(b'd');
        assert!(text.overflowed() && text.as_path().is_none());
        assert_eq!(text.as_bytes(), b"abc");
    }

    #[test]
    fn numbers_have_no_leading_zeros() {
        for value in [0, 7, 10, 4_294_967_295] {
            let mut text = Text::<16>::new();
            text.push_decimal(value);
            assert_eq!(text.as_bytes(), value.to_string().as_bytes());
        }
        let mut text = Text::<16>::new();
        text.push_hexadecimal(&[0x0f, 0xa5]);
        assert_eq!(text.as_bytes(), b"0fa5");
    }

    #[test]
    fn a_nul_inside_is_no_path() {
        let mut text = Text::<16>::new();
        text.push_all(b"a\0b");
        assert!(text.as_path().is_none());
    }
}
