//! Separates the compiler's own code from the source's: code of no line, and branches that no
//! source has.
//!
//! Five facts show it:
//!
//! * *Unwinding.* What only unwinding reaches, up to the handler of an exception, is made: landing
//!   pads, the choice of a handler, and what frees half-made objects. The calls of destructors and
//!   of cleanup functions there are of the source: they end a scope. clang puts landing pads on the
//!   closing brace of a function.
//! * *The mark of sanitizers* (`!nosanitize`), which every instruction of a check has.
//! * *Names of blocks.* clang names each block after what it is made for, `delete.notnull` for
//!   what follows the check of a pointer before `delete`. No name in a source has a dot. By shape
//!   and position alone, `p == nullptr || p->f()` in a macro looks the same as a check of clang's.
//!   Names last until the first pass, so they show nothing behind the optimiser. The driver asks
//!   clang to keep them.
//! * *Positions.* The code of a comparison that is declared as `= default` stands at the name of
//!   the operator, and its parameter elsewhere. The code of a comparison that is written stands at
//!   several places, or at that of a macro, where its parameter stands, too.
//! * *Declarations.* A destructor that also frees its object calls the one that does not, and both
//!   have the same name in the source: such a variant is made. One of an abstract class, or one
//!   into which the other was inlined, calls none; its symbol shows it. Members are made that debug
//!   information calls artificial, but for what initialises their members on other lines. So is
//!   what of a coroutine stands outside of the block that is its body.

use std::collections::HashSet;

use inkwell::basic_block::BasicBlock;
use inkwell::values::{FunctionValue, InstructionOpcode, InstructionValue};
use pathformat::manifest::Chooser;
use pathformat::settings::Stage;

use crate::llvm::{self, Demangled, FunctionFacts, InstructionFacts};
use crate::options::Options;

/// The parts of a function that the compiler made.
pub(crate) struct CompilerMade<'ctx> {
    function: SourceShare,
    /// The blocks that only unwinding reaches.
    unwinding: HashSet<BasicBlock<'ctx>>,
    /// The blocks that begin handlers of exceptions.
    handlers: HashSet<BasicBlock<'ctx>>,
    /// Where landing pads stand.
    pads: HashSet<LineColumn>,
    /// True if it is a coroutine that is not split yet.
    is_coroutine: bool,
    /// True if it is a comparison that the source declares as `= default`.
    is_default_comparison: bool,
    /// True if blocks have the names that clang gave them.
    has_names: bool,
}

/// The part of a function that is of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SourceShare {
    /// All that is said to be.
    All,
    /// What is not on the line of its declaration: the source does not declare it.
    Members(u32),
    /// Nothing.
    Nothing,
}

/// Beginnings of names of blocks to which only branches of the compiler lead, and the whole names
/// where others begin alike. Behind a name clang writes a number if it has it already.
const BEGINNINGS: [&str; 33] = [
    ".cancel.",
    ".omp.",
    "after.coro.free",
    "after.gro.conv",
    "arrayctor.",
    "arraydestroy.",
    "arrayinit.",
    "cast.notnull",
    "cfi.",
    "cleanup.action",
    "cleanup.gro",
    "cmpxchg.",
    "complex_mul_",
    "copyin.not.master",
    "coro.",
    "ctor.",
    "delete.",
    "destruct.",
    "dtor.",
    "dynamic_cast.",
    "fpclassify_",
    "init.attempt",
    "init.check",
    "init.end",
    "memptr.",
    "new.",
    "nrvo.",
    "omp.arraycpy.",
    "omp.arrayinit.",
    "omp.dispatch.",
    "omp.precond.",
    "typeid.",
    "vaarg.",
];

/// Names without a dot, which are those of the orders of atomic operations and of their loops, and
/// names with hyphens.
const WHOLE: [&str; 17] = [
    "acqrel",
    "acquire",
    "acquire_fail",
    "adjust.end",
    "adjust.notnull",
    "adjust.null",
    "atomic_cont",
    "atomic_op",
    "monotonic",
    "monotonic_fail",
    "pre.gvo.conv",
    "release",
    "seqcst",
    "seqcst_fail",
    "vla-init.cont",
    "vla-init.loop",
    "vla-setup.loop",
];

/// The blocks with which loops of the compiler begin.
const LOOPS: [&str; 8] = [
    "arrayctor.loop",
    "arraydestroy.body",
    "arrayinit.body",
    "atomic_op",
    "new.ctorloop",
    "new.loop",
    "omp.arraycpy.body",
    "vla-init.loop",
];

/// The names of the questions of a coroutine to each thing that it waits for: `await.ready`,
/// `yield2.suspend`.
const AWAITS: [&str; 4] = ["await", "final", "init", "yield"];
const OF_AWAIT: [&str; 3] = [".cleanup", ".ready", ".suspend"];

/// Prefixes of functions that the compiler calls by itself when it unwinds: those of the
/// runtime of exceptions, and `operator delete`.
const RUNTIME: [&str; 5] = ["__clang_call_terminate", "__cxa_", "_Unwind_", "_Zda", "_Zdl"];

/// The function that every handler calls first.
const BEGINS_HANDLER: &str = "__cxa_begin_catch";

impl<'ctx> CompilerMade<'ctx> {
    /// Reads a function.
    pub(crate) fn read(function: FunctionValue<'ctx>, options: &Options) -> Self {
        let blocks = function.get_basic_blocks();
        let begins = |at: &InstructionValue<'_>| at.get_opcode() == InstructionOpcode::LandingPad;
        let pads = |of: &BasicBlock<'ctx>| of.get_instructions().find(begins);
        let pads: Vec<_> = blocks.iter().filter_map(pads).collect();
        let handlers = blocks.into_iter().filter(|&of| !pads.is_empty() && begins_handler(of));
        let handlers: HashSet<_> = handlers.collect();
        Self {
            function: SourceShare::read(function),
            unwinding: unwinding(function, &pads, &handlers),
            handlers,
            pads: pads.into_iter().filter_map(line_column).collect(),
            is_coroutine: FunctionFacts::of(function).is_unsplit_coroutine(),
            is_default_comparison: is_default_comparison(function),
            has_names: options.stage == Stage::Early,
        }
    }

    /// True if no function of the source is this one.
    pub(crate) fn is_whole(&self) -> bool {
        self.function != SourceShare::All
    }

    /// True if an instruction is none of the source.
    pub(crate) fn is_made(&self, at: InstructionValue<'ctx>) -> bool {
        let facts = InstructionFacts::of(at);
        let is_made = match self.function {
            SourceShare::Nothing => true,
            SourceShare::Members(line) => line_column(at).is_some_and(|own| own.0 == line),
            // What the source says of a coroutine stands in the block that is its body.
            SourceShare::All => self.is_coroutine && facts.is_in_no_scope(),
        };
        let begins_handler = || {
            let block = at.get_parent();
            block.is_some_and(|block| self.handlers.contains(&block))
                && line_column(at).is_some_and(|place| self.pads.contains(&place))
        };
        if is_made || facts.is_of_sanitizer() || begins_handler() {
            return true;
        }
        let ends_scope = || {
            let is_of_runtime = |name: String| RUNTIME.iter().any(|start| name.starts_with(start));
            facts.calls_function() && !llvm::callee(at).is_some_and(is_of_runtime)
        };
        self.is_unwinding(at) && !ends_scope()
    }

    /// The chooser of the ways at the end of a block: the source or the compiler. `comes_before`
    /// says of a block that control can go to from it whether that stands at or before it.
    pub(crate) fn chooser(
        &self,
        block: BasicBlock<'ctx>,
        comes_before: impl Fn(BasicBlock<'ctx>) -> bool,
    ) -> Chooser {
        let terminator = block.get_terminator().expect("every block has a terminator");
        let several = [InstructionOpcode::Br, InstructionOpcode::Switch];
        let ways = llvm::successors(terminator);
        if terminator.get_opcode() == InstructionOpcode::Invoke {
            return Chooser::Compiler;
        }
        if self.is_default_comparison {
            let is_loop = ways.iter().any(|&way| comes_before(way));
            return if is_loop { Chooser::CompilerLoop } else { Chooser::Compiler };
        }
        if ways.len() < 2 || !several.contains(&terminator.get_opcode()) {
            return Chooser::Source;
        }
        let name = |&way| if self.has_names { base_name(way) } else { String::new() };
        let names: Vec<_> = ways.iter().map(name).collect();
        let goes_around = |(&way, name): (&BasicBlock<'ctx>, &String)| {
            LOOPS.contains(&name.as_str()) && comes_before(way)
        };
        match () {
            () if ways.iter().zip(&names).any(goes_around) => Chooser::CompilerLoop,
            () if InstructionFacts::of(terminator).is_of_sanitizer()
                || self.is_unwinding(terminator)
                || names.iter().any(|name| is_of_compiler(name))
                || is_behind_cleanup(terminator) =>
            {
                Chooser::Compiler
            }
            () => Chooser::Source,
        }
    }

    /// True if an instruction runs only while an exception is on its way to its handler, and is of
    /// no function that was inlined there.
    fn is_unwinding(&self, at: InstructionValue<'ctx>) -> bool {
        let is_own = || {
            let position = llvm::debug_location(at).map(llvm::position);
            position.is_none_or(|position| position.inlined_at.is_none())
        };
        at.get_parent().is_some_and(|block| self.unwinding.contains(&block)) && is_own()
    }
}

impl SourceShare {
    fn read(function: FunctionValue<'_>) -> Self {
        let symbol = llvm::name(&function);
        let is_implicit = FunctionFacts::of(function).is_implicit();
        let line = || llvm::declaration(function).map_or(0, |at| at.line);
        match () {
            () if symbol.contains(WRAPS_AWAIT) || calls_variant(function, &symbol) => Self::Nothing,
            () if is_implicit => Self::Members(line()),
            () => Self::All,
        }
    }
}

/// Part of the name of a function by which a coroutine hands itself to what it waits for.
const WRAPS_AWAIT: &str = ".__await_suspend_wrapper__";

/// True if a function calls another variant of the same function of the source.
fn calls_variant(function: FunctionValue<'_>, symbol: &str) -> bool {
    // Only constructors and destructors have variants.
    if !["C1", "C3", "D0", "D1"].iter().any(|variant| symbol.contains(variant)) {
        return false;
    }
    let own = llvm::demangled(symbol).whole;
    let is_other = |name: String| name != symbol && llvm::demangled(&name).whole == own;
    let calls = |at| InstructionFacts::of(at).calls_function();
    let mut all = function.get_basic_blocks().into_iter().flat_map(|of| of.get_instructions());
    !own.is_empty() && all.any(|at| calls(at) && llvm::callee(at).is_some_and(is_other))
}

/// True if a symbol is that of the variant of a destructor that also frees its object.
pub(crate) fn is_deleting_destructor(symbol: &str, demangled: &Demangled) -> bool {
    // A member function that is called `D0` ends alike.
    let is_destructor = |name: &str| name.rsplit("::").next().is_some_and(|of| of.starts_with('~'));
    symbol.starts_with("_Z") && symbol.ends_with("D0Ev") && is_destructor(&demangled.plain)
}

/// True if a function is `operator==` or `operator<=>`, declared as `= default`.
fn is_default_comparison(function: FunctionValue<'_>) -> bool {
    let symbol = llvm::name(&function);
    if !["eq", "ss"].iter().any(|operator| symbol.contains(operator)) {
        return false;
    }
    let name = llvm::demangled(&symbol).whole;
    if !["operator==(", "operator<=>("].iter().any(|operator| name.contains(operator)) {
        return false;
    }
    let Some(parameter) = llvm::last_parameter(function) else { return false };
    let all = function.get_basic_blocks().into_iter().flat_map(|of| of.get_instructions());
    let places: HashSet<LineColumn> = all.filter_map(line_column).collect();
    places.len() == 1 && !places.contains(&(parameter.line, parameter.column))
}

/// A line and a column.
type LineColumn = (u32, u32);

/// Where an instruction stands, unless it was inlined or stands nowhere.
fn line_column(at: InstructionValue<'_>) -> Option<LineColumn> {
    let position = llvm::position(llvm::debug_location(at)?);
    let is_own = position.inlined_at.is_none() && position.line != 0;
    is_own.then_some((position.line, position.column))
}

/// The blocks that only unwinding reaches, up to handlers of exceptions.
fn unwinding<'ctx>(
    function: FunctionValue<'ctx>,
    pads: &[InstructionValue<'ctx>],
    handlers: &HashSet<BasicBlock<'ctx>>,
) -> HashSet<BasicBlock<'ctx>> {
    if pads.is_empty() {
        return HashSet::new();
    }
    let entry = function.get_first_basic_block().into_iter();
    let of_source = reached(entry.chain(handlers.iter().copied()), |_| true);
    let pads = pads.iter().filter_map(|pad| pad.get_parent());
    let unwinding = reached(pads, |block| !of_source.contains(&block));
    unwinding.difference(&of_source).copied().collect()
}

/// The blocks that control comes to from some of them, unwinding aside, as far as it may go on.
fn reached<'ctx>(
    from: impl IntoIterator<Item = BasicBlock<'ctx>>,
    goes_on: impl Fn(BasicBlock<'ctx>) -> bool,
) -> HashSet<BasicBlock<'ctx>> {
    let mut open: Vec<_> = from.into_iter().collect();
    let mut known: HashSet<_> = open.iter().copied().collect();
    while let Some(block) = open.pop() {
        let terminator = block.get_terminator().expect("every block has a terminator");
        let invokes = terminator.get_opcode() == InstructionOpcode::Invoke;
        let ways = llvm::successors(terminator).into_iter();
        let ways = ways.take(if invokes { 1 } else { usize::MAX });
        open.extend(ways.filter(|&way| goes_on(way) && known.insert(way)));
    }
    known
}

fn begins_handler(block: BasicBlock<'_>) -> bool {
    let begins = |name: String| name == BEGINS_HANDLER;
    let mut calls =
        block.get_instructions().filter(|&at| InstructionFacts::of(at).calls_function());
    calls.any(|at| llvm::callee(at).is_some_and(begins))
}

/// True if a `switch` sends control on that came to the end of a scope from several places.
fn is_behind_cleanup(terminator: InstructionValue<'_>) -> bool {
    let operand = terminator.get_operand(0).and_then(|operand| operand.value());
    let is_destination = |name: &std::ffi::CStr| name.to_bytes().starts_with(b"cleanup.dest");
    terminator.get_opcode() == InstructionOpcode::Switch
        && operand.is_some_and(|value| {
            value.is_int_value() && is_destination(value.into_int_value().get_name())
        })
}

/// The name of a block without the number that makes it unique; empty if names were dropped.
fn base_name(block: BasicBlock<'_>) -> String {
    let name = block.get_name().to_string_lossy();
    name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned()
}

/// True if only the compiler's own branches lead to a block of this name.
fn is_of_compiler(name: &str) -> bool {
    let awaits = |ending: &&str| {
        let of = name.strip_suffix(*ending).unwrap_or_default();
        AWAITS.contains(&of.trim_end_matches(|c: char| c.is_ascii_digit()))
    };
    WHOLE.contains(&name)
        || BEGINNINGS.iter().any(|start| name.starts_with(start))
        || OF_AWAIT.iter().any(awaits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destructors_that_free_their_objects_have_a_symbol_of_their_own() {
        for (symbol, expected) in [
            ("_ZN1BD0Ev", true),
            ("_ZN2A2D0Ev", true),
            ("_ZN2ns1BIiED0Ev", true),
            ("_ZN1BD1Ev", false),
            ("_ZN1BD2Ev", false),
            // `A::D0()`
            ("_ZN1A2D0Ev", false),
            ("D0Ev", false),
        ] {
            let demangled = llvm::demangled(symbol);
            assert_eq!(is_deleting_destructor(symbol, &demangled), expected, "{symbol}");
        }
    }

    #[test]
    fn the_names_of_the_compilers_blocks_are_known() {
        for name in ["delete.notnull", "init.end", "await.ready", "yield2.suspend", "atomic_op"] {
            assert!(is_of_compiler(name), "{name}");
        }
        for name in ["if.then", "for.cond.cleanup", "land.lhs.true", "init", "release_all", ""] {
            assert!(!is_of_compiler(name), "{name}");
        }
    }
}
