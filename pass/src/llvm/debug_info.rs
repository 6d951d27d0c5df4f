//! Safe wrappers for debug metadata: positions in the source, and the scopes that functions are in.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::slice;

use inkwell::values::{AsValueRef, FunctionValue, InstructionValue};

use crate::ffi;

pub(crate) use crate::ffi::ScopeKind;

/// A position in a source file.
#[derive(Clone, Debug)]
pub(crate) struct Position {
    /// Where the text was inlined, as a handle for [`position`].
    pub(crate) inlined_at: Option<DebugLocation>,
    /// The function whose text it is.
    pub(crate) function: Option<Subprogram>,
    pub(crate) file: String,
    pub(crate) directory: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A debug location of the module that is being compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct DebugLocation(*const ffi::DebugLocation);

impl DebugLocation {
    /// The location that LLVM has here, if it has one.
    pub(crate) fn new(location: *const ffi::DebugLocation) -> Option<Self> {
        (!location.is_null()).then_some(Self(location))
    }
}

/// The debug metadata of a function of the module that is being compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Subprogram(*const ffi::Subprogram);

/// A function, or a scope around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    pub(crate) kind: ScopeKind,
    /// Empty if it has none.
    pub(crate) name: String,
}

/// The debug location of an instruction.
pub(crate) fn debug_location(instruction: InstructionValue<'_>) -> Option<DebugLocation> {
    // SAFETY: a live instruction.
    let location = unsafe { ffi::pathpass_debug_location(instruction.as_value_ref()) };
    DebugLocation::new(location)
}

/// A debug location.
pub(crate) fn position(location: DebugLocation) -> Position {
    let mut out = MaybeUninit::uninit();
    // SAFETY: a location of the live module; C++ fills in every field.
    let out = unsafe {
        ffi::pathpass_read_location(location.0, out.as_mut_ptr());
        out.assume_init()
    };
    Position::read(&out)
}

/// Where a function is declared.
pub(crate) fn declaration(function: FunctionValue<'_>) -> Option<Position> {
    let mut out = MaybeUninit::uninit();
    // SAFETY: a live function; C++ fills in every field when it returns true.
    let out = unsafe {
        ffi::pathpass_read_declaration(function.as_value_ref(), out.as_mut_ptr())
            .then(|| out.assume_init())
    };
    out.map(|out| Position::read(&out))
}

/// Where the last parameter of a function with code is declared.
pub(crate) fn last_parameter(function: FunctionValue<'_>) -> Option<Position> {
    // SAFETY: a live function that has a first block.
    let location = unsafe { ffi::pathpass_parameter_location(function.as_value_ref()) };
    (!location.is_null()).then(|| position(DebugLocation(location)))
}

/// A function and the scopes around it, from the inside out; `Err` has the only name of a function
/// that is not C++.
pub(crate) fn scopes(function: Subprogram) -> Result<Vec<Scope>, String> {
    extern "C" fn push(found: *mut c_void, kind: ScopeKind, name: *const u8, length: usize) {
        // SAFETY: C++ hands back what it was given below, and a text of the metadata.
        let (found, name) = unsafe { (&mut *found.cast::<Vec<Scope>>(), text(name, length)) };
        found.push(Scope { kind, name });
    }
    let mut found = Vec::<Scope>::new();
    // SAFETY: metadata of the live module, and a value of the type that `push` takes.
    let has_scopes = unsafe { ffi::pathpass_scopes(function.0, (&raw mut found).cast(), push) };
    if has_scopes {
        return Ok(found);
    }
    Err(found.pop().map(|own| own.name).unwrap_or_default())
}

impl Position {
    fn read(from: &ffi::Location) -> Self {
        // SAFETY: texts of the module's metadata with their lengths.
        let (file, directory) = unsafe {
            (text(from.file, from.file_length), text(from.directory, from.directory_length))
        };
        Self {
            inlined_at: (!from.inlined_at.is_null()).then_some(DebugLocation(from.inlined_at)),
            function: (!from.function.is_null()).then_some(Subprogram(from.function)),
            file,
            directory,
            line: from.line,
            column: from.column,
        }
    }
}

/// A text of LLVM's.
///
/// # Safety
/// `length` bytes can be read at `start`, unless there are none.
unsafe fn text(start: *const u8, length: usize) -> String {
    if length == 0 {
        return String::new();
    }
    // SAFETY: the caller promises it.
    String::from_utf8_lossy(unsafe { slice::from_raw_parts(start, length) }).into_owned()
}
