//! Tells functions that the compiler made.

/// What names of functions begin with that the compiler makes by itself.
const MADE: [&str; 5] = [
    "_GLOBAL__sub_I_",
    "_GLOBAL__sub_D_",
    "_GLOBAL__I_",
    "__cxx_global_var_init",
    "__cxx_global_array_dtor",
];

/// Whether no source has this function.
pub(super) fn is_made(symbol: &str) -> bool {
    MADE.iter().any(|start| symbol.starts_with(start))
}
