//! The calls of a function that allocate or free memory.
//!
//! They are known by the names that C, POSIX, the C++ ABI, libomp and well-known allocators give
//! them, and by the attribute `alloc_size`, by which a program says so of its own functions.

use inkwell::values::InstructionValue;

use crate::llvm::{self, InstructionFacts};

/// A call that allocates or frees memory. Operands are given by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Allocation {
    /// How the caller gets the address of new memory, if there is any.
    pub(crate) address: Option<AddressSource>,
    /// The size of new memory.
    pub(crate) size: Size,
    /// The operand whose memory is free behind the call.
    pub(crate) former: Option<u32>,
}

/// The size of new memory, in operands; none if only the function knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// Their product.
    Product([Option<u32>; 2]),
    /// Their sum.
    Sum([Option<u32>; 2]),
}

impl Size {
    /// The operands.
    pub(crate) fn operands(self) -> impl Iterator<Item = u32> {
        let (Self::Product(operands) | Self::Sum(operands)) = self;
        operands.into_iter().flatten()
    }
}

/// The way in which a function hands over the address of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressSource {
    /// It returns the address, or null.
    Returned,
    /// It returns the address, or -1.
    ReturnedOrFailed,
    /// It stores the address where this operand points to, and returns 0.
    Stored(u32),
}

impl Allocation {
    const fn new(address: AddressSource, size: [Option<u32>; 2], former: Option<u32>) -> Self {
        Self { address: Some(address), size: Size::Product(size), former }
    }
}

const fn of_size(size: [Option<u32>; 2]) -> Allocation {
    Allocation::new(AddressSource::Returned, size, None)
}

const FREES: Allocation =
    Allocation { address: None, size: Size::Product([None, None]), former: Some(0) };

/// The memory of a task of OpenMP: what libomp knows of it and its private variables, and behind
/// that what it shares. libomp uses it for another task when this one has ended.
const TASK: Allocation = Allocation {
    address: Some(AddressSource::Returned),
    size: Size::Sum([Some(3), Some(4)]),
    former: None,
};

/// The functions, by their symbols.
const KNOWN: &[(&str, Allocation)] = &[
    ("malloc", of_size([Some(0), None])),
    ("valloc", of_size([Some(0), None])),
    ("pvalloc", of_size([Some(0), None])),
    ("calloc", of_size([Some(0), Some(1)])),
    ("aligned_alloc", of_size([Some(1), None])),
    ("memalign", of_size([Some(1), None])),
    ("strdup", of_size([None, None])),
    ("__strdup", of_size([None, None])),
    ("strndup", of_size([None, None])),
    ("wcsdup", of_size([None, None])),
    ("posix_memalign", Allocation::new(AddressSource::Stored(0), [Some(2), None], None)),
    ("realloc", Allocation::new(AddressSource::Returned, [Some(1), None], Some(0))),
    ("reallocarray", Allocation::new(AddressSource::Returned, [Some(1), Some(2)], Some(0))),
    ("mmap", Allocation::new(AddressSource::ReturnedOrFailed, [Some(1), None], None)),
    ("mmap64", Allocation::new(AddressSource::ReturnedOrFailed, [Some(1), None], None)),
    ("mremap", Allocation::new(AddressSource::ReturnedOrFailed, [Some(2), None], Some(0))),
    ("free", FREES),
    ("cfree", FREES),
    ("munmap", FREES),
    ("__kmpc_omp_task_alloc", TASK),
    ("__kmpc_omp_target_task_alloc", TASK),
    ("omp_alloc", of_size([Some(0), None])),
    ("omp_calloc", of_size([Some(0), Some(1)])),
    ("omp_aligned_alloc", of_size([Some(1), None])),
    ("omp_aligned_calloc", of_size([Some(1), Some(2)])),
    ("omp_realloc", Allocation::new(AddressSource::Returned, [Some(1), None], Some(0))),
    ("omp_free", FREES),
    ("mallocx", of_size([Some(0), None])),
    ("rallocx", Allocation::new(AddressSource::Returned, [Some(1), None], Some(0))),
    ("dallocx", FREES),
    ("sdallocx", FREES),
    ("free_sized", FREES),
    ("free_aligned_sized", FREES),
    ("mi_free_size", FREES),
    ("mi_free_aligned", FREES),
    ("mi_free_size_aligned", FREES),
    ("scalable_aligned_malloc", of_size([Some(0), None])),
    (
        "scalable_aligned_realloc",
        Allocation::new(AddressSource::Returned, [Some(1), None], Some(0)),
    ),
    ("scalable_aligned_free", FREES),
];

/// With these the symbols of all forms of `operator new` begin.
const NEW: [&str; 2] = ["_Znwm", "_Znam"];

/// With these the symbols of the forms end that take memory from the allocator.
const FORMS_OF_NEW: [&str; 8] = [
    "",
    "RKSt9nothrow_t",
    "St11align_val_t",
    "St11align_val_tRKSt9nothrow_t",
    "12__hot_cold_t",
    "RKSt9nothrow_t12__hot_cold_t",
    "St11align_val_t12__hot_cold_t",
    "St11align_val_tRKSt9nothrow_t12__hot_cold_t",
];

/// With these those of `operator delete` begin.
const DELETE: [&str; 2] = ["_ZdlPv", "_ZdaPv"];

/// So it ends where it frees nothing.
const PLACEMENT: &str = "S_";

/// What allocators that are linked in put before the names of their functions: jemalloc, mimalloc,
/// gperftools, rpmalloc, oneTBB, and libomp.
const PREFIXES: [&str; 6] = ["je_", "mi_", "tc_", "rp", "scalable_", "kmp_"];

/// The operand of the attribute `alloc_size` that stands for none.
const NO_OPERAND: u32 = u32::MAX;

/// The allocation that a call makes or frees, if that is known.
pub(crate) fn of(call: InstructionValue<'_>) -> Option<Allocation> {
    let facts = InstructionFacts::of(call);
    if !facts.calls_function() || facts.must_be_last() || facts.does_not_return() {
        return None;
    }
    let name = llvm::callee(call)?;
    let behind = |prefixes: &[&str]| prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
    let found = match () {
        () if behind(&NEW).is_some_and(|form| FORMS_OF_NEW.contains(&form)) => {
            of_size([Some(0), None])
        }
        () if behind(&DELETE).is_some_and(|form| form != PLACEMENT) => FREES,
        () => known(&name).or_else(|| annotated(call))?,
    };
    has_its_types(call, found).then_some(found)
}

/// The allocation of a function of this name.
fn known(name: &str) -> Option<Allocation> {
    let of_others = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
    let mut names = [Some(name), of_others].into_iter().flatten();
    names.find_map(|name| KNOWN.iter().find(|(known, _)| *known == name).map(|&(_, of)| of))
}

/// True if a call allocates memory.
pub(crate) fn allocates(call: InstructionValue<'_>) -> bool {
    of(call).is_some_and(|allocation| allocation.address.is_some())
}

/// The allocation that the attribute `alloc_size` describes.
fn annotated(call: InstructionValue<'_>) -> Option<Allocation> {
    let operands = llvm::allocated_size(call)?;
    let [first, second] = [(operands >> 32) as u32, operands as u32]
        .map(|operand| (operand != NO_OPERAND).then_some(operand));
    Some(of_size([first, second]))
}

/// True if a function of this name is called as its header declares it.
fn has_its_types(call: InstructionValue<'_>, allocation: Allocation) -> bool {
    let is_word = |at: u32| {
        llvm::argument(call, at).is_some_and(|value| {
            value.is_int_value() && value.into_int_value().get_type().get_bit_width() == 64
        })
    };
    let is_pointer =
        |at: u32| llvm::argument(call, at).is_some_and(|value| value.is_pointer_value());
    let returns = call.get_type();
    let has_address = match allocation.address {
        None => true,
        Some(AddressSource::Returned | AddressSource::ReturnedOrFailed) => {
            returns.is_pointer_type()
        }
        Some(AddressSource::Stored(at)) => {
            is_pointer(at) && returns.is_int_type() && returns.into_int_type().get_bit_width() == 32
        }
    };
    has_address
        && allocation.size.operands().all(is_word)
        && allocation.former.is_none_or(is_pointer)
}
