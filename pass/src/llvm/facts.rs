//! Facts about functions and instructions, as bits that C++ sets.

use inkwell::values::{AsValueRef, FunctionValue, InstructionValue};

use crate::ffi;

/// Facts about a function. Must match `pathpass_function_facts`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FunctionFacts(u32);

impl FunctionFacts {
    /// The facts about `function`.
    pub(crate) fn of(function: FunctionValue<'_>) -> Self {
        // SAFETY: a live function.
        Self(unsafe { ffi::pathpass_function_facts(function.as_value_ref()) })
    }

    pub(crate) fn is_naked(self) -> bool {
        self.0 & 1 != 0
    }

    pub(crate) fn is_foreign_coroutine(self) -> bool {
        self.0 & 2 != 0
    }

    pub(crate) fn is_not_to_be_profiled(self) -> bool {
        self.0 & 4 != 0
    }

    pub(crate) fn has_funclets(self) -> bool {
        self.0 & 8 != 0
    }

    pub(crate) fn has_comdat(self) -> bool {
        self.0 & 16 != 0
    }

    /// A sanitizer will check the memory that it touches.
    pub(crate) fn is_sanitized(self) -> bool {
        self.0 & 32 != 0
    }

    /// Nothing will improve its code, instruction selection included.
    pub(crate) fn is_left_slow(self) -> bool {
        self.0 & 64 != 0
    }

    /// A register of ours stays a stack slot: nothing will improve the code, and nothing that is
    /// still to come looks at slots.
    pub(crate) fn keeps_slots(self) -> bool {
        self.is_left_slow() && !self.is_sanitized() && !self.is_unsplit_coroutine()
    }

    /// It is a member that no source declares, or a thunk.
    pub(crate) fn is_implicit(self) -> bool {
        self.0 & 256 != 0
    }

    /// It is a coroutine that is still to be split.
    pub(crate) fn is_unsplit_coroutine(self) -> bool {
        self.0 & 128 != 0
    }
}

/// Facts about an instruction. Must match `pathpass_instruction_facts`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InstructionFacts(u32);

impl InstructionFacts {
    /// The facts about `instruction`.
    pub(crate) fn of(instruction: InstructionValue<'_>) -> Self {
        // SAFETY: a live instruction.
        Self(unsafe { ffi::pathpass_instruction_facts(instruction.as_value_ref()) })
    }

    /// Control always goes on to the next instruction.
    pub(crate) fn goes_on(self) -> bool {
        self.0 & 1 != 0
    }

    pub(crate) fn is_call(self) -> bool {
        self.0 & 2 != 0
    }

    pub(crate) fn is_intrinsic(self) -> bool {
        self.0 & 4 != 0
    }

    pub(crate) fn is_inline_asm(self) -> bool {
        self.0 & 8 != 0
    }

    pub(crate) fn does_not_return(self) -> bool {
        self.0 & 16 != 0
    }

    /// Such as `setjmp`: it may come back out of a later call, or only in some parts of a
    /// coroutine.
    pub(crate) fn returns_twice(self) -> bool {
        self.0 & 32 != 0
    }

    /// Only a return may follow (`musttail`, deoptimisation), or follows in all parts of a
    /// coroutine.
    pub(crate) fn must_be_last(self) -> bool {
        self.0 & 64 != 0
    }

    /// It gives or takes a vector.
    pub(crate) fn is_vector(self) -> bool {
        self.0 & 128 != 0
    }

    /// It only says where variables live, and is no code.
    pub(crate) fn is_marker(self) -> bool {
        self.0 & 256 != 0
    }

    /// It is part of a check of a sanitizer, or else nothing that one would check.
    pub(crate) fn is_of_sanitizer(self) -> bool {
        self.0 & 512 != 0
    }

    /// It stands in its function and in no block there, as debug information says.
    pub(crate) fn is_in_no_scope(self) -> bool {
        self.0 & 1024 != 0
    }

    /// It resumes or destroys a coroutine, or asks what one waits for, by an intrinsic.
    pub(crate) fn runs_coroutine(self) -> bool {
        self.0 & 2048 != 0
    }

    /// True if it calls a function: no intrinsic, and no inline assembly.
    pub(crate) fn calls_function(self) -> bool {
        self.is_call() && !self.is_intrinsic() && !self.is_inline_asm()
    }
}
