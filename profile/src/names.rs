//! Demangles names of functions.
//!
//! The manifest has the names of functions that were compiled with pathcc, as LLVM demangles them.
//! Other functions are only called, and their symbols are demangled here. The library for that does
//! not support all of C++. Names with modules and constraints stay mangled, and the constructor of
//! a template loses a parameter. Of 88,659 functions of LLVM, clang and the C++ library,
//! cpp_demangle 0.5.1 names 97.0 % as LLVM 22 does, apart from spaces and the numbers of closures.
//! It cannot read 0.5 %.
//!
//! Fortran names are mangled as `BijectiveInternalNameUniquing.md` of flang describes: words of
//! small letters, each after a capital letter that states its kind.

use std::fmt;

use cpp_demangle::{DemangleNodeType, DemangleOptions, DemangleWrite, Symbol};
use pathformat::manifest;

/// Longer names stay mangled: a few hundred bytes may stand for gigabytes, since a substitution may
/// refer to others many times.
const LONGEST: usize = 1 << 16;

/// Returns the name of a function.
pub fn of(shape: &manifest::Function) -> String {
    if shape.full_name.is_empty() { demangle(&shape.name) } else { shape.full_name.clone() }
}

/// Returns the name without parameters and return type, as a person types it; `None` if there is no
/// such name.
pub fn short(shape: &manifest::Function) -> Option<String> {
    match shape.short_name.as_str() {
        "" => demangle_with(&shape.name, DemangleOptions::new().no_params().no_return_type()),
        name => Some(name.into()),
    }
}

/// Returns the name of a Fortran procedure or variable with its hosts, as in `module::procedure`.
/// What the compiler took out of a procedure has a further name behind a dot.
fn fortran(symbol: &str) -> Option<String> {
    let (symbol, part) = match symbol.split_once("..") {
        Some((symbol, part)) => (symbol, Some(part)),
        None => (symbol, None),
    };
    let named = fortran_name(symbol)?;
    Some(part.map_or_else(|| named.clone(), |part| format!("{named}.{part}")))
}

fn fortran_name(symbol: &str) -> Option<String> {
    let mut rest = symbol.strip_prefix("_Q")?;
    if rest == "Qmain" {
        return Some("main program".into());
    }
    let mut names = Vec::new();
    while !rest.is_empty() {
        // Modules, submodules, enclosing functions, procedures, constants, variables.
        let name =
            rest.strip_prefix("EC").or_else(|| rest.strip_prefix(['M', 'S', 'F', 'P', 'E']))?;
        let end = name.find(|c: char| c.is_ascii_uppercase()).unwrap_or(name.len());
        // An enclosing main program has no name.
        names.extend(Some(&name[..end]).filter(|name| !name.is_empty()));
        rest = &name[end..];
    }
    (!names.is_empty()).then(|| names.join("::"))
}

/// Demangles a name. A name that is not mangled, or cannot be read, stays as it is.
pub fn demangle(symbol: &str) -> String {
    demangle_with(symbol, DemangleOptions::new()).unwrap_or_else(|| symbol.into())
}

fn demangle_with(symbol: &str, options: DemangleOptions) -> Option<String> {
    if let Some(name) = fortran(symbol) {
        return Some(name);
    }
    if !symbol.starts_with("_Z") || symbol.len() > LONGEST {
        return None;
    }
    let mut text = Text::default();
    Symbol::new(symbol).ok()?.structured_demangle(&mut text, &options).ok()?;
    (text.pieces < LONGEST).then_some(text.written)
}

/// Text of bounded length.
#[derive(Default)]
struct Text {
    written: String,
    pieces: usize,
}

impl DemangleWrite for Text {
    fn push_demangle_node(&mut self, _: DemangleNodeType) {}

    fn write_string(&mut self, piece: &str) -> fmt::Result {
        self.pieces += 1;
        if self.pieces >= LONGEST || self.written.len() + piece.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.written.push_str(piece);
        Ok(())
    }

    fn pop_demangle_node(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_compiler_says_comes_first() {
        let mut shape = manifest::Function {
            name: "_ZN1AC1IdEEPKcRKT_".into(),
            ..manifest::Function::default()
        };
        assert_eq!(short(&shape).as_deref(), Some("A::A<double>"));
        shape.full_name = "A::A<double>(char const*, double const&)".into();
        shape.short_name = "A::A<double>".into();
        assert_eq!(of(&shape), "A::A<double>(char const*, double const&)");
        assert_eq!(short(&shape).as_deref(), Some("A::A<double>"));
    }

    #[test]
    fn what_is_not_mangled_stays() {
        assert_eq!(demangle("main"), "main");
        assert_eq!(demangle("_Znonsense"), "_Znonsense");
        assert_eq!(demangle("_ZN4util5weighEi"), "util::weigh(int)");
        assert_eq!(
            short(&manifest::Function { name: "main".into(), ..manifest::Function::default() }),
            None
        );
    }

    #[test]
    fn procedures_of_fortran_have_their_hosts() {
        assert_eq!(demangle("_QMshapesPfibonacci"), "shapes::fibonacci");
        assert_eq!(demangle("_QMshapesSroundFareaPinner_2"), "shapes::round::area::inner_2");
        assert_eq!(demangle("_QFPshow"), "show");
        assert_eq!(demangle("_QMcountersEtotal"), "counters::total");
        assert_eq!(demangle("_QFEa"), "a");
        assert_eq!(demangle("_QMmFaddECsize"), "m::add::size");
        assert_eq!(demangle("_QQmain..omp_par.1"), "main program.omp_par.1");
        assert_eq!(demangle("_QQmain"), "main program");
        for other in ["_Q", "_QF", "_QQclX61", "fib_"] {
            assert_eq!(demangle(other), other);
        }
    }

    /// Returns the name of a class template whose arguments are two of the previous class, and so
    /// on: each level doubles the text.
    fn doubling(levels: usize) -> String {
        let digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        let reference = |index: usize| match index {
            0 => "S_".to_string(),
            index if index <= digits.len() => format!("S{}_", &digits[index - 1..index]),
            index => format!(
                "S{}{}_",
                &digits[index / 36 - 1..index / 36],
                &digits[index % 36..=index % 36]
            ),
        };
        let mut name = String::from("_Z1f1aIiE");
        // Each level adds two substitutions: the template and its instance. The instance of the
        // first is number 1.
        for level in 0..levels {
            let before = reference(2 * level + 1);
            name += &format!("1aI{before}{before}E");
        }
        name
    }

    #[test]
    fn a_short_name_of_a_long_text_stays_mangled() {
        assert!(demangle(&doubling(3)).starts_with("f("), "{}", demangle(&doubling(3)));
        for levels in [12, 15, 18] {
            let name = doubling(levels);
            assert!(name.len() < 300);
            assert_eq!(demangle(&name), name, "{levels}");
        }
        let long = format!("_Z1f{}i", "P".repeat(1 << 20));
        assert_eq!(demangle(&long), long);
    }
}
