//! The edge to the code generator: its functions as values, and instructions of ours in them.

use std::ffi::{CStr, CString};
use std::ops::{BitAnd, BitOr, BitOrAssign};
use std::{ptr, slice};

use inkwell::values::{AsValueRef, FunctionValue};

use crate::ffi::machine::{self as ffi, CodeKind, Context, EdgeForm, NONE};
use crate::llvm::{self, DebugLocation};

/// A register, by its place in `RegisterNames` of `cpp/machine.cpp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Register(u32);

impl Register {
    /// All of them.
    pub(crate) fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..15).map(Self)
    }
}

/// A vector register, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vector(u32);

/// A register of the program that is borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loan {
    /// The register.
    pub(crate) register: Register,
    /// The vector register that keeps what it held.
    pub(crate) vector: Vector,
}

/// A set of vector registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vectors(u16);

impl Vectors {
    /// The last of them.
    pub(crate) fn last(self) -> Option<Vector> {
        (self.0 != 0).then(|| Vector(self.0.ilog2()))
    }
}

impl BitAnd for Vectors {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// A set of registers; the flags count as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Registers(u16);

impl Registers {
    const FLAGS: u16 = 1 << 15;

    /// The set of one register.
    pub(crate) fn of(register: Register) -> Self {
        Self(1 << register.0)
    }

    /// True if a register is in it.
    pub(crate) fn has(self, register: Register) -> bool {
        self.0 & Self::of(register).0 != 0
    }

    /// True if the flags are in it.
    pub(crate) fn has_flags(self) -> bool {
        self.0 & Self::FLAGS != 0
    }

    /// The set without some of its registers.
    pub(crate) fn without(self, some: &[Register]) -> Self {
        Self(self.0 & !some.iter().copied().collect::<Self>().0)
    }

    /// The registers that are not in it.
    pub(crate) fn others(self) -> impl DoubleEndedIterator<Item = Register> {
        Register::all().filter(move |&register| !self.has(register))
    }
}

impl FromIterator<Register> for Registers {
    fn from_iter<T: IntoIterator<Item = Register>>(registers: T) -> Self {
        registers.into_iter().fold(Self::default(), |all, of| all | Self::of(of))
    }
}

impl BitOr for Registers {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for Registers {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOrAssign for Registers {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// A condition that an instruction reads from the flags, or its opposite. x86 numbers conditions so
/// that one of the two is even: this has its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition(u32);

impl Condition {
    /// The condition for which a register holds 1, and else 0; and the number whose addition to its
    /// lowest byte makes flags that have the condition if they had it before.
    fn kept_as(self) -> (u32, i64) {
        match self.0 {
            // Overflow and sign: 1 + 127 has both, 0 + 127 neither.
            0 | 8 => (self.0, 127),
            // Even parity: 3 has it, 2 has not.
            10 => (10, 2),
            // Signed less: 0 + -1 is less than 0. Signed less or equal: so is 0, but not 1.
            12 => (13, -1),
            14 => (15, 0),
            // Carry and zero: 1 + 255 has both, 0 + 255 neither.
            even => (even, -1),
        }
    }
}

/// A function in machine code, while the code generator holds it.
pub(crate) struct Function<'ctx> {
    context: *mut Context,
    handle: *mut ffi::ReadFunction,
    /// Its blocks in the order in which they stand.
    pub(crate) blocks: Vec<Block<'ctx>>,
    /// True if it calls something that may return twice.
    pub(crate) returns_twice: bool,
}

/// A block of the code generator.
pub(crate) struct Block<'ctx> {
    instructions: &'ctx [ffi::Instruction],
    /// The edges out of it.
    pub(crate) edges: &'ctx [ffi::MachineEdge],
    /// The name of the block of LLVM's intermediate code that it was made of.
    pub(crate) name: String,
    /// Estimated executions.
    pub(crate) frequency: u64,
    live_out: Registers,
}

/// An instruction, or a label among the instructions.
#[derive(Clone, Copy)]
pub(crate) struct Instruction<'ctx>(&'ctx ffi::Instruction);

impl<'ctx> Block<'ctx> {
    /// The number of its instructions.
    pub(crate) fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Its instructions in this range.
    pub(crate) fn instructions(
        &self,
        range: std::ops::Range<usize>,
    ) -> impl DoubleEndedIterator<Item = Instruction<'ctx>> + use<'ctx> {
        self.instructions[range].iter().map(Instruction)
    }

    /// An instruction.
    pub(crate) fn instruction(&self, at: usize) -> Instruction<'ctx> {
        Instruction(&self.instructions[at])
    }

    /// The only condition that is read from the flags as they are before an instruction; `None` if
    /// several are, or more than conditions.
    pub(crate) fn condition(&self, at: usize) -> Option<Condition> {
        let mut found = None;
        for index in at..self.instructions.len() {
            if !self.live(index).has_flags() {
                return found;
            }
            match self.instructions[index].condition {
                ffi::NO_CONDITION => {}
                known if known < ffi::NO_CONDITION => {
                    let condition = Condition(known & !1);
                    if found.is_some_and(|other| other != condition) {
                        return None;
                    }
                    found = Some(condition);
                }
                _ => return None,
            }
        }
        found.filter(|_| !self.live_out.has_flags())
    }

    /// The registers that are live before an instruction, or behind the last one.
    pub(crate) fn live(&self, at: usize) -> Registers {
        self.instructions.get(at).map_or(self.live_out, |known| Registers(known.live))
    }
}

impl Instruction<'_> {
    fn has(self, bit: u32) -> bool {
        self.0.facts & 1 << bit != 0
    }

    /// It is a call.
    pub(crate) fn is_call(self) -> bool {
        self.has(0)
    }

    /// Control may not come to the next instruction.
    pub(crate) fn may_stay(self) -> bool {
        self.has(1)
    }

    /// It is one of the branches at the end of a block.
    pub(crate) fn is_terminator(self) -> bool {
        self.has(2)
    }

    /// It leaves the function.
    pub(crate) fn leaves(self) -> bool {
        self.has(3)
    }

    /// It makes no code.
    pub(crate) fn is_meta(self) -> bool {
        self.has(4)
    }

    /// An exception goes on to the caller from here.
    pub(crate) fn unwinds(self) -> bool {
        self.has(5)
    }

    /// It jumps to an address that is computed.
    pub(crate) fn is_indirect(self) -> bool {
        self.has(6)
    }

    /// It is a label.
    pub(crate) fn is_label(self) -> bool {
        self.has(7)
    }

    /// It ends the program.
    pub(crate) fn is_trap(self) -> bool {
        self.has(8)
    }

    /// It looks at what others change: an access that is volatile or atomic.
    pub(crate) fn waits(self) -> bool {
        self.has(9)
    }

    /// A conditional jump stands for it, too, where nothing is counted.
    pub(crate) fn is_split_off(self) -> bool {
        self.has(10)
    }

    /// Registers that it reads or writes.
    pub(crate) fn touched(self) -> Registers {
        Registers(self.0.touched)
    }

    /// The block that an exception leads to from this call.
    pub(crate) fn landing_pad(self) -> Option<usize> {
        (self.0.landing_pad != NONE).then_some(self.0.landing_pad as usize)
    }

    /// LLVM's name for what it does: `ADD64rr`.
    pub(crate) fn name(self) -> &'static str {
        // SAFETY: names of LLVM's are static.
        let name = unsafe { CStr::from_ptr(self.0.name) };
        name.to_str().unwrap_or("unknown")
    }

    /// The symbol that a call names.
    pub(crate) fn callee(self) -> Option<String> {
        // SAFETY: a function of the live module, or null.
        let function = unsafe { FunctionValue::new(self.0.callee) };
        // SAFETY: a name of the code generator's, which lives as long as the function, or null.
        let symbol = (!self.0.symbol.is_null()).then(|| unsafe { CStr::from_ptr(self.0.symbol) });
        let symbol = symbol.map(|name| name.to_string_lossy().into_owned());
        function.map(|function| llvm::name(&function)).or(symbol)
    }

    /// Its position in the source.
    pub(crate) fn location(self) -> Option<DebugLocation> {
        DebugLocation::new(self.0.location)
    }
}

impl<'ctx> Function<'ctx> {
    /// Reads the machine code of a function; `None` if there is none, or if its registers are not
    /// known.
    pub(crate) fn read(context: *mut Context, function: FunctionValue<'ctx>) -> Option<Self> {
        let (mut blocks, mut length) = (ptr::null(), 0);
        // SAFETY: a live context and function; C++ fills in both values unless it returns null.
        // What they point to lives as long as the context.
        unsafe {
            let function = function.as_value_ref();
            let handle =
                ffi::pathpass_machine_read(context, function, &raw mut blocks, &raw mut length);
            if handle.is_null() {
                return None;
            }
            let blocks = slice::from_raw_parts(blocks, length).iter().map(|block| Block::of(block));
            Some(Self {
                context,
                handle,
                blocks: blocks.collect(),
                returns_twice: ffi::pathpass_machine_returns_twice(handle),
            })
        }
    }

    /// A vector register that is free before an instruction of a block.
    pub(crate) fn free_vector(&self, block: usize, instruction: usize) -> Option<Vector> {
        let (block, instruction) = (block as u32, instruction as u32);
        // SAFETY: a live function, the context that it was read in, and a place in it.
        let found = unsafe {
            ffi::pathpass_machine_free_vector(self.context, self.handle, block, instruction)
        };
        (found != NONE).then_some(Vector(found))
    }

    /// The vector registers that are free all through a block.
    pub(crate) fn free_vectors(&self, block: usize) -> Vectors {
        // SAFETY: a live function, the context that it was read in, and a block of it.
        Vectors(unsafe {
            ffi::pathpass_machine_free_vectors(self.context, self.handle, block as u32)
        })
    }

    /// Gives it the `word` by which its map of the code names it, and marks where each of the
    /// things begins that the numbers are of. To be called before code is put in.
    pub(crate) fn mark(&self, word: u64, marks: impl IntoIterator<Item = (Position, u32)>) {
        let mark = |(position, number): (Position, u32)| {
            let ffi::Position { block, instruction, to, .. } = position.lower(&[]);
            ffi::Mark { block, instruction, to, number }
        };
        let marks: Vec<_> = marks.into_iter().map(mark).collect();
        // SAFETY: a live function, and places in it.
        unsafe {
            ffi::pathpass_machine_mark(self.handle, word, marks.as_ptr(), marks.len());
        }
    }

    /// Puts code into it. What stands at the same place stands in the order given.
    pub(crate) fn write(&self, code: &[(Position, Vec<Code>)]) {
        let lists: Vec<Vec<ffi::Code>> =
            code.iter().map(|(_, code)| code.iter().map(Code::lower).collect()).collect();
        let positions: Vec<_> =
            code.iter().zip(&lists).map(|((position, _), list)| position.lower(list)).collect();
        // SAFETY: a live function and the context that it was read in; the lists live as long as
        // the call, and the texts in them do, too.
        unsafe {
            ffi::pathpass_machine_write(
                self.context,
                self.handle,
                positions.as_ptr(),
                positions.len(),
            );
        }
    }
}

impl Block<'_> {
    /// # Safety
    /// C++ made the value, and what it points to lives as long as `'ctx`.
    unsafe fn of(block: &ffi::MachineBlock) -> Self {
        // A vector of C++ without elements may have a null pointer.
        /// # Safety
        /// There are so many values at `first`, which live as long as `'ctx`.
        unsafe fn list<'ctx, T>(first: *const T, length: usize) -> &'ctx [T] {
            if length == 0 {
                return &[];
            }
            // SAFETY: as said above.
            unsafe { slice::from_raw_parts(first, length) }
        }
        // SAFETY: as said above.
        let (instructions, edges, name) = unsafe {
            (
                list(block.instructions, block.num_instructions),
                list(block.edges, block.num_edges),
                list(block.name, block.name_length),
            )
        };
        Self {
            instructions,
            edges,
            name: String::from_utf8_lossy(name).into_owned(),
            frequency: block.frequency,
            live_out: Registers(block.live_out),
        }
    }
}

/// A place for our code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// In a block, before an instruction, or behind the last one.
    Before { block: usize, instruction: usize },
    /// In a new block between two blocks.
    Between { from: usize, to: usize },
    /// In a new block before the first one.
    BeforeEntry,
}

impl Position {
    fn lower(self, code: &[ffi::Code]) -> ffi::Position {
        let (block, instruction, to) = match self {
            Self::Before { block, instruction } => (block as u32, instruction as u32, NONE),
            Self::Between { from, to } => (from as u32, 0, to as u32),
            Self::BeforeEntry => (NONE, 0, 0),
        };
        ffi::Position { block, instruction, to, code: code.as_ptr(), length: code.len() }
    }
}

/// A counter in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counter {
    /// Where it is.
    pub(crate) address: CounterAddress,
    /// True if the base of segment `%gs`, which leads from the region to the thread's slot, is
    /// added to the address.
    pub(crate) in_segment: bool,
}

impl Counter {
    fn lower(self, kind: CodeKind) -> ffi::Code {
        let none = ffi::Code { kind, segment: self.in_segment, ..NOTHING };
        match self.address {
            CounterAddress::Based { base, displacement } => {
                ffi::Code { register: base.0, value: displacement, ..none }
            }
            CounterAddress::Fixed { array, displacement } => {
                ffi::Code { global: array.0, value: displacement, ..none }
            }
        }
    }
}

/// The address of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CounterAddress {
    /// `base + displacement`
    Based { base: Register, displacement: i64 },
    /// At a distance from a variable.
    Fixed { array: Global, displacement: i64 },
}

/// A global variable of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Global(llvm_sys::prelude::LLVMValueRef);

impl Global {
    pub(crate) fn of(value: &inkwell::values::GlobalValue<'_>) -> Self {
        Self(value.as_value_ref())
    }
}

/// One step of our code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// Reads the thread's word, whose distance the linker knows.
    ReadWord { into: Register, word: Global },
    /// Reads the thread's word, whose distance a variable has.
    ReadDelta { into: Register, place: Global },
    /// Takes an address at a distance from a variable.
    LoadAddress { into: Register, of: Global, displacement: i64 },
    /// Adds a register to another one; no flags change.
    AddUp { into: Register, other: Register },
    /// Copies a register and adds to the copy; no flags change.
    Copy { into: Register, from: Register, value: i64 },
    /// Sets a register to 0; no flags change.
    Clear(Register),
    /// Adds a register to a counter. Flags change.
    AddTo { at: Counter, sum: Register },
    /// Adds to a register; no flags change.
    Add { register: Register, value: i64 },
    /// Steps a counter by one, down if `is_back`. Flags change.
    Step { at: Counter, is_back: bool, is_locked: bool },
    /// Pushes the flags.
    SaveFlags,
    /// Pops the flags.
    RestoreFlags,
    /// Pushes a register.
    Save(Register),
    /// Pops a register.
    Restore(Register),
    /// Keeps in a register whether the condition holds; no flags change.
    SaveCondition(Register, Condition),
    /// Makes flags that have the condition if the register says so.
    RestoreCondition(Register, Condition),
    /// Copies a register to a vector register.
    SaveInVector(Register, Vector),
    /// Copies it back.
    RestoreFromVector(Register, Vector),
    /// Moves the stack pointer; no flags change.
    MoveStack(i64),
    /// Pushes a number.
    PushNumber(i32),
    /// Pushes the word at a distance from a variable.
    PushWord { of: Global, at: i64 },
    /// Calls a function that changes no register.
    Call(CString),
    /// Assembly.
    Assembly(CString),
}

/// Code that names nothing.
const NOTHING: ffi::Code = ffi::Code {
    kind: CodeKind::SaveFlags,
    register: NONE,
    index: NONE,
    value: 0,
    global: ptr::null_mut(),
    text: ptr::null(),
    segment: false,
};

impl Code {
    fn lower(&self) -> ffi::Code {
        let none = NOTHING;
        let register = |kind, register: Register| ffi::Code { kind, register: register.0, ..none };
        match self {
            &Self::ReadWord { into, word } => {
                ffi::Code { global: word.0, ..register(CodeKind::ReadWord, into) }
            }
            &Self::ReadDelta { into, place } => {
                ffi::Code { global: place.0, ..register(CodeKind::ReadDelta, into) }
            }
            &Self::LoadAddress { into, of, displacement: value } => {
                ffi::Code { global: of.0, value, ..register(CodeKind::LoadAddress, into) }
            }
            &Self::AddUp { into, other } => {
                ffi::Code { index: other.0, ..register(CodeKind::AddUp, into) }
            }
            &Self::Copy { into, from, value } => {
                ffi::Code { index: from.0, value, ..register(CodeKind::Copy, into) }
            }
            &Self::Clear(which) => register(CodeKind::Clear, which),
            &Self::AddTo { at, sum } => ffi::Code { index: sum.0, ..at.lower(CodeKind::AddTo) },
            &Self::Add { register: into, value } => {
                ffi::Code { value, ..register(CodeKind::Add, into) }
            }
            &Self::Step { at, is_back, is_locked } => {
                let kind = match (is_back, is_locked) {
                    (false, false) => CodeKind::Increment,
                    (true, false) => CodeKind::Decrement,
                    (false, true) => CodeKind::LockedIncrement,
                    (true, true) => CodeKind::LockedDecrement,
                };
                at.lower(kind)
            }
            Self::SaveFlags => ffi::Code { kind: CodeKind::SaveFlags, ..none },
            Self::RestoreFlags => ffi::Code { kind: CodeKind::RestoreFlags, ..none },
            &Self::Save(which) => register(CodeKind::Save, which),
            &Self::Restore(which) => register(CodeKind::Restore, which),
            &Self::SaveCondition(which, condition) => {
                let value = condition.kept_as().0.into();
                ffi::Code { value, ..register(CodeKind::SaveCondition, which) }
            }
            &Self::RestoreCondition(which, condition) => {
                let value = condition.kept_as().1;
                ffi::Code { value, ..register(CodeKind::RestoreCondition, which) }
            }
            &Self::SaveInVector(which, vector) => {
                ffi::Code { index: vector.0, ..register(CodeKind::SaveInVector, which) }
            }
            &Self::RestoreFromVector(which, vector) => {
                ffi::Code { index: vector.0, ..register(CodeKind::RestoreFromVector, which) }
            }
            &Self::MoveStack(value) => ffi::Code { kind: CodeKind::MoveStack, value, ..none },
            Self::Assembly(text) => {
                ffi::Code { kind: CodeKind::Assembly, text: text.as_ptr(), ..none }
            }
            &Self::PushNumber(value) => {
                ffi::Code { kind: CodeKind::PushNumber, value: value.into(), ..none }
            }
            &Self::PushWord { of, at } => {
                ffi::Code { kind: CodeKind::PushWord, value: at, global: of.0, ..none }
            }
            Self::Call(name) => {
                ffi::Code { kind: CodeKind::CallSymbol, text: name.as_ptr(), ..none }
            }
        }
    }
}

/// True if code can be put on an edge.
pub(crate) fn holds_code(form: EdgeForm) -> bool {
    matches!(form, EdgeForm::FallsThrough | EdgeForm::Jumps)
}

/// The last instruction of its source that leads to where an edge leads, unless control also comes
/// there behind all of them.
pub(crate) fn last_instruction(edge: &ffi::MachineEdge) -> Option<usize> {
    Some(edge.last as usize).filter(|_| edge.last != NONE)
}

/// True if a block ends in a jump to an address that is computed.
pub(crate) fn is_indirect(block: &Block<'_>) -> bool {
    block.instructions(0..block.len()).any(|of| of.is_indirect())
}

/// Puts assembly at the entry of a function.
pub(crate) fn add_assembly(context: *mut Context, function: FunctionValue<'_>, text: &str) {
    let text = CString::new(text).expect("our own text has no NUL");
    // SAFETY: a live context, a live function, and a text with its end.
    unsafe { ffi::pathpass_machine_assembly(context, function.as_value_ref(), text.as_ptr()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// True if x86's condition of this number holds of the flags that adding two bytes makes.
    fn holds(condition: u32, a: u8, b: u8) -> bool {
        let (sum, carry) = a.overflowing_add(b);
        let (_, overflow) = (a as i8).overflowing_add(b as i8);
        let sign = (sum as i8) < 0;
        let even = match condition & !1 {
            0 => overflow,
            2 => carry,
            4 => sum == 0,
            6 => carry || sum == 0,
            8 => sign,
            10 => sum.count_ones() % 2 == 0,
            12 => sign != overflow,
            _ => sum == 0 || sign != overflow,
        };
        even == condition.is_multiple_of(2)
    }

    #[test]
    fn flags_have_the_condition_that_was_kept() {
        for condition in (0..16).step_by(2) {
            let (kept, added) = Condition(condition).kept_as();
            for held in [false, true] {
                let byte = u8::from(if kept == condition { held } else { !held });
                assert_eq!(holds(condition, byte, added as u8), held, "{condition}");
                assert_eq!(holds(condition + 1, byte, added as u8), !held, "{condition}");
                assert!([condition, condition + 1].contains(&kept));
            }
        }
    }
}
