"""Writes programs from templates into a folder; with those of `tests/torture` they are the corpus.

    python3 -m tests.real.torture_templates FOLDER

Four families: each statement that chooses a way inside each other one; each attribute that has to
do with control, at a function with a loop and branches; each way to throw through each kind of
frame to each kind of handler; and each construct for which the compiler makes branches and loops of
which the source has none, beside a branch of the source and without one.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

# Statements around BODY, which sees `n` and changes `s`. @ is a number that no other statement of
# the program has.
STATEMENTS = {
    "if": "if (n % 3 == 1) { BODY }",
    "else": "if (n & 1) { s++; } else { BODY }",
    "for": "for (int i@ = 0; i@ < n % 4; i@++) { BODY }",
    "while": "{ int w@ = n; while (w@ > 2) { w@ /= 2; BODY } }",
    "do": "{ int d@ = 0; do { BODY } while (++d@ < n % 3); }",
    "switch": (
        "switch (n % 4) { case 0: s += 2; break; case 1: BODY /* falls through */ "
        "case 2: s += 3; break; default: BODY }"
    ),
    "goto": "{ int g@ = n % 3; again@: if (g@-- > 0) { BODY goto again@; } }",
    "computed": (
        "{ static void *const to@[] = {&&a@, &&b@}; goto *to@[n & 1]; a@: BODY b@: s++; }"
    ),
    "ternary": "s += n > 4 ? ({ BODY n; }) : ({ s++; 1; });",
    "and": "if (n > 2 && (s += 1, n < 9) && n != 5) { BODY }",
    "or": "if (n < 2 || (s += 1, n > 7)) { BODY }",
}
# A `switch` whose body is no copy, since what holds labels may stand but once.
ONE_BODY = (
    "switch (n % 4) { case 0: s += 2; break; case 1: BODY /* falls through */ default: s += 3; }"
)
LEAF = "s += n; if (s > 5000) return s;"

# Attributes of functions, as clang 22 lists them (`Attr.td`) for C and C++ on x86-64 Linux, that
# change how control comes in, goes out or what the optimiser may do about it. What must stand in a
# program of another form is in tests/torture by its own name: alias, cleanup, constructor,
# cpu_dispatch, destructor, ifunc, init_priority, musttail, naked, noreturn, returns_twice,
# target_clones, weak, weakref, `coro_*`, statement attributes (likely, unlikely, fallthrough,
# assume, nomerge, code_align, loop hints). Left out: attributes of other targets and languages
# (AMDGPU, ARM, AVR, BPF, CUDA, HLSL, Mips, MSP430, ObjC, OpenCL, RISCV, SYCL, Swift errors,
# WebAssembly, Windows' dllexport and `uuid`), of types, fields and variables, those that only warn
# (capabilities, consumed, `nonnull`, `format`, `nonblocking`, `error`), and `interrupt`, whose
# functions no program can call.
ATTRIBUTES = {
    "abi_tag": 'abi_tag("x")',
    "always_inline": "always_inline",
    "cold": "cold",
    "const": "const",
    "convergent": "convergent",
    "disable_sanitizer_instrumentation": "disable_sanitizer_instrumentation",
    "disable_tail_calls": "disable_tail_calls",
    "flatten": "flatten",
    "function_return": 'function_return("keep")',
    "hot": "hot",
    "internal_linkage": "internal_linkage",
    "leaf": "leaf",
    "minsize": "minsize",
    "min_vector_width": "min_vector_width(128)",
    "ms_abi": "ms_abi",
    "no_builtin": "no_builtin",
    "no_instrument_function": "no_instrument_function",
    "no_profile_instrument_function": "no_profile_instrument_function",
    "no_sanitize": 'no_sanitize("undefined")',
    "no_split_stack": "no_split_stack",
    "no_stack_protector": "no_stack_protector",
    "nocf_check": "nocf_check",
    "nodebug": "nodebug",
    "noduplicate": "noduplicate",
    "noinline": "noinline",
    "nomerge": "nomerge",
    "not_tail_called": "not_tail_called",
    "nothrow": "nothrow",
    "nouwtable": "nouwtable",
    "optnone": "optnone, noinline",
    "patchable_function_entry": "patchable_function_entry(4, 2)",
    "preserve_all": "preserve_all",
    "preserve_most": "preserve_most",
    "preserve_none": "preserve_none",
    "pure": "pure",
    "regcall": "regcall",
    "retain": "retain, used",
    "section": 'section(".text.apart")',
    "speculative_load_hardening": "speculative_load_hardening",
    "sysv_abi": "sysv_abi",
    "target": 'target("avx2")',
    "unused": "unused",
    "used": "used",
    "vectorcall": "vectorcall",
    "visibility": 'visibility("hidden")',
    "warn_unused_result": "warn_unused_result",
    "weak": "weak",
    "xray_always_instrument": "xray_always_instrument",
    "xray_never_instrument": "xray_never_instrument",
    "zero_call_used_regs": 'zero_call_used_regs("used-gpr")',
    "swiftcall": "swiftcall",
    "swiftasynccall": "swiftasynccall",
    "no_speculative_load_hardening": "no_speculative_load_hardening",
    "force_align_arg_pointer": "force_align_arg_pointer",
    "annotate": 'annotate("pathcc:count")',
    "annotate_skip": 'annotate("pathcc:skip")',
    "aligned": "aligned(64)",
    "enable_if": 'enable_if(1, "")',
    "overloadable": "overloadable",
    "cfi_canonical_jump_table": "cfi_canonical_jump_table",
}
ONLY_C = {"overloadable"}
ONLY_CPP = {"abi_tag"}

# Flags of clang that change how control is compiled.
FLAGS = [
    "-fstack-protector-all",
    "-fcf-protection=full",
    "-fno-jump-tables",
    "-fno-plt",
    "-fPIE -pie",
    "-fno-pie -no-pie",
    "-fomit-frame-pointer",
    "-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer",
    "-ftrapv",
    "-fwrapv",
    "-fexceptions",
    "-fno-unwind-tables -fno-asynchronous-unwind-tables",
    "-ffunction-sections -Wl,--gc-sections",
    "-finstrument-functions-after-inlining",
    "-fno-inline",
    "-finline-hint-functions",
    "-fno-builtin",
    "-fsplit-stack -fno-split-stack",
    "-mretpoline",
    "-mspeculative-load-hardening",
    "-fno-optimize-sibling-calls",
    "-funroll-loops",
    "-fstrict-flex-arrays=3",
    "-fvisibility=hidden",
    "-fno-semantic-interposition",
    "-mcmodel=medium",
    "-fzero-call-used-regs=used",
    "-fsanitize=undefined -fsanitize-trap=undefined",
    "-fsanitize=bounds,integer-divide-by-zero -fsanitize-minimal-runtime",
    "-fstack-clash-protection",
    "-flto",
    "-flto=thin",
    "-fpatchable-function-entry=2",
    "-mno-red-zone",
    "-fno-strict-aliasing -fno-strict-overflow",
    "-fshort-enums",
    "-fuse-ld=lld",
    "-static",
    "-march=x86-64-v3",
    "-ffast-math",
    "-fno-common -fdata-sections",
    "-fbasic-block-sections=all",
    "-fsplit-machine-functions",
    "-mharden-sls=all",
    "-mindirect-branch-cs-prefix",
    "-fno-delete-null-pointer-checks",
    "-ffinite-loops",
    "-fno-finite-loops",
    "-fpseudo-probe-for-profiling",
    "-fxray-instrument -fxray-instruction-threshold=1",
    "-fsanitize=kcfi",
    "-fsanitize=address",
    "-mllvm -enable-machine-outliner=always",
    "-mllvm -enable-ipra",
    "-mstackrealign",
]

FUNCTION = (
    """#include <stdio.h>
{attribute}{linkage}int f(int n) {{
    int s = 0;
    for (int i = 0; i < n; i++) {{
        if (i % 3 == 0) continue;
        switch (i & 3) {{ case 1: s += 5; break; case 2: s -= 1; default: s += i; }}
        if (s > 60) return -s;
    }}
    return s ? s : 1;
}}
static int g(int n) {{ return n > 4 ? f(n) : n & 1 ? f(n + 1) + 1 : 0; }}
"""
    "int main(void) {{ int s = 0; for (int i = 0; i < 14; i++) s += f(i) + g(i); "
    'printf("%d\\n", s); return 0; }}\n'
)

NESTED = (
    """#include <stdio.h>
static int f(int n) {{
    int s = 0;
    {body}
    return s;
}}
"""
    "int main(void) {{ int s = 0; for (int n = 0; n < 12; n++) s += f(n); "
    'printf("%d\\n", s); return 0; }}\n'
)

# How it is thrown, through what, and who catches it.
THROWS = {
    "plain": "if (n % 3 == 1) throw n;",
    "call": "if (n % 3 == 1) raise(n);",
    "loop": "for (int i = 0; i < n; i++) { if (i == 2) throw i; s += i; }",
    "rethrown": (
        "try { if (n % 3) throw n; s++; } catch (int &x) { x++; if (n & 1) throw; s += x; }"
    ),
    "conditional": "s += n & 1 ? throw n : n;",
    "destructor": "{ Thrower t{n}; s++; }",
}
FRAMES = {
    "bare": "THROW",
    "object": "Object o{s}; THROW",
    "two": "Object o{s}; { Object p{s}; THROW } Object q{s};",
    "switch": (
        "switch (n & 3) { case 0: s++; break; case 1: { Object o{s}; THROW break; } "
        "default: THROW }"
    ),
    "noexcept": "auto quiet = [&]() noexcept { try { THROW } catch (...) { s += 50; } }; quiet();",
    "lambda": "auto inner = [&] { Object o{s}; THROW return s; }; s += inner();",
    "wrong": "try { THROW } catch (char) { s = -1; } catch (double) { s = -2; }",
}
EXCEPTIONS = (
    """#include <cstdio>
struct Object {{ int &s; ~Object() {{ if (s & 1) s += 3; else s += 4; }} }};
struct Thrower {{ int n; ~Thrower() noexcept(false) {{ if (n % 4 == 2) throw n; }} }};
[[noreturn]] __attribute__((noinline)) static void raise(int n) {{ throw n; }}
static int s;
{inline}static int f(int n) {{ {frame} s += 2; return s; }}
int main() {{
    int caught = 0;
"""
    "    for (int n = 0; n < 9; n++) try {{ f(n); }} catch (int x) {{ caught += x; }} "
    "catch (...) {{ caught += 1000; }}\n"
    '    std::printf("%d %d\\n", s, caught);\n}}\n'
)


# Constructs for which the compiler branches or repeats. `n` is from 0 to 4.
HIDDEN = {
    "delete": "delete new Object{n};",
    "delete_array": "delete[] new Object[3]{{n}, {n}, {n}};",
    "delete_virtual": "Base *b = new Derived; delete b;",
    "delete_null": "Object *o = nullptr; delete o;",
    "array": "Object a[3]{{n}, {n}, {n}}; s += a[1].n;",
    "array_constructed": "Counted a[4]; s += a[1].n;",
    "array_new": "Counted *a = new Counted[n + 1]; s += a[0].n; delete[] a;",
    "array_copied": "struct { Counted a[3]; } one, other = one; s += other.a[2].n;",
    "array_captured": "Counted a[3]; s += [a] { return a[1].n; }();",
    "array_variable": "int a[n + 1]; a[n] = n; s += a[n];",
    "array_list": "std::initializer_list<Object> l{{n}, {n}}; s += l.begin()->n;",
    "guarded": "static Object o{n}; s += o.n;",
    "guarded_thread": "static thread_local Object o{n}; s += o.n;",
    "to_base": "Derived d; Derived *p = &d; Other *o = p; s += o->m;",
    "to_virtual_base": "Diamond d; Diamond *p = &d; Base *b = p; s += b->get();",
    "to_derived": "Derived d; Other *o = &d; s += static_cast<Derived *>(o)->get();",
    "dynamic": "Derived d; Base *b = &d; s += dynamic_cast<Derived *>(b)->get();",
    "dynamic_reference": "Derived d; Base &b = d; s += dynamic_cast<Derived &>(b).get();",
    "dynamic_whole": "Derived d; Other *o = &d; s += dynamic_cast<void *>(o) == &d;",
    "typed": "Derived d; Base *b = &d; s += typeid(*b) == typeid(Derived);",
    "member": "Derived d; int (Base::*f)() = &Base::get; s += (d.*f)();",
    "member_data": "Derived d; int Other::*m = &Other::m; s += d.*m;",
    "member_compared": "int (Base::*f)() = &Base::get, (Base::*g)() = &Base::put; s += f == g;",
    "member_converted": "int (Base::*f)() = &Base::get; Derived d; "
    "s += (d.*static_cast<int (Derived::*)()>(f))();",
    "nothrow": "Object *o = new (std::nothrow) Object{n}; s += o->n; delete o;",
    "scope_left": "for (int i = 0; i < 2; i++) { Object o{n}; if (i == n) break; s++; }",
    "scope_returned": "{ Object o{n}; if (n == 2) return s; s++; }",
    "temporary": "s += n > 2 && Object{n}.n;",
    "temporary_chosen": "s += n > 2 ? Object{n}.n : Object{s}.n;",
    "result": "Object o = chosen(n); s += o.n;",
    "arguments": "s += summed(n, 1, 2.5, 3);",
    "exchanged": "std::atomic<int> a{n}; int e = 2; s += a.compare_exchange_strong(e, 5);",
    "ordered": "std::atomic<int> a{n}; s += a.load(order(n));",
    "exchanged_float": "std::atomic<double> a{1.0 * n}; a.fetch_add(2.5); s += int(a.load());",
    "complex": "_Complex double c = n + 1.0i, d = 2.0 - n * 1.0i; s += int(__real__(c * d));",
    "classified": "s += __builtin_fpclassify(1, 2, 3, 4, 5, 1.0 * n);",
    "virtual_bases": "Diamond d; Diamond e = d; s += e.get();",
    "covariant": "Derived d; Base *b = &d; delete b->clone();",
    "default_argument": "s += with_default(n);",
    "range": "int a[3] = {n, 1, 2}; for (int i : a) s += i;",
    "caught": "try { thrown(n); } catch (int) { s++; } catch (char) { s += 2; } "
    "catch (...) { s--; }",
    "unwound": "try { Object o{n}; Object p{n}; thrown(n); } catch (...) { s++; }",
    "unwound_new": "try { delete new Thrower{n}; } catch (...) { s++; }",
    "unwound_array": "try { delete[] new Thrower[3]{{1}, {2}, {n}}; } catch (...) { s++; }",
    "unwound_throw": 'try { throw std::runtime_error("x" + std::to_string(n)); } '
    "catch (const std::exception &) { s++; }",
    "not_thrown": "if (n == 7)\n throw std::runtime_error(std::to_string(n));\n"
    "if (n == 8) throw n;",
    "noexcept": "quiet(n);",
    "checked": "s += n * 3 / (n + 1) << 2;",
}
HIDDEN_FLAGS = {"checked": "-fsanitize=undefined -fsanitize-undefined-trap-on-error"}
HIDING = (
    """#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>
static int s;
struct Object {{
    int n;
    ~Object() {{
        s++;
    }}
}};
struct Counted {{
    int n;
    Counted() : n(3) {{
        s++;
    }}
    Counted(const Counted &o) : n(o.n) {{
        s += 2;
    }}
    ~Counted() {{
        s--;
    }}
}};
struct Base {{
    virtual ~Base() {{
        s += 3;
    }}
    virtual int get() {{
        return 1;
    }}
    virtual int put() {{
        return 2;
    }}
    virtual Base *clone() {{
        return new Base;
    }}
}};
struct Other {{
    int m = 4;
    virtual ~Other() {{
        s += 5;
    }}
}};
struct Derived : Base, Other {{
    int get() override {{
        return 6;
    }}
    Derived *clone() override {{
        return new Derived;
    }}
}};
struct Left : virtual Base {{
    Left() {{
        s += 7;
    }}
    ~Left() {{
        s += 8;
    }}
}};
struct Diamond : Left {{
    Diamond() {{
        s += 9;
    }}
    Diamond(const Diamond &) : Base(), Left() {{
        s += 9;
    }}
}};
struct Thrower {{
    int n;
    Thrower(int n) : n(n) {{
        if (n == 3)
            throw n;
    }}
    ~Thrower() {{
        s++;
    }}
}};
Object chosen(int n) {{
    Object o{{n}};
    return o;
}}
int summed(int n, ...) {{
    va_list all;
    va_start(all, n);
    n += va_arg(all, int);
    n += va_arg(all, double);
    n += va_arg(all, int);
    va_end(all);
    return n;
}}
std::memory_order order(int n) {{
    return n == 2 ? std::memory_order_seq_cst : std::memory_order_relaxed;
}}
int with_default(int n, Object o = Object{{2}}) {{
    return n + o.n;
}}
void thrown(int n) {{
    if (n == 1)
        throw n;
    if (n == 2)
        throw 'c';
    if (n == 3)
        throw 2.5;
}}
void quiet(int n) noexcept {{
    Object o{{n}};
    thrown(0);
}}
{functions}
"""
    "int main() {{ int t = 0; for (int n = 0; n < 5; n++) t += {calls}; "
    'std::printf("%d\\n", t); }}\n'
)
HIDING_FUNCTION = """static int {name}(int n) {{
    {before}{hidden}
    s += 2;
    return s;
}}
"""
# So many constructs are in one program: to compile the headers takes longer than all of them.
IN_ONE = 8


def statements() -> Iterator[tuple[str, str]]:
    """Each statement in each."""
    for outer, around in STATEMENTS.items():
        for inner, within in STATEMENTS.items():
            has_labels = inner in ("goto", "computed")
            whole = ONE_BODY if outer == "switch" and has_labels else around
            body = whole.replace("@", "1").replace(
                "BODY", within.replace("@", "2").replace("BODY", LEAF)
            )
            yield f"nested_{outer}_{inner}.c", NESTED.format(body=body)


def attributes() -> Iterator[tuple[str, str]]:
    """Each attribute, in C and in C++."""
    for name, attribute in ATTRIBUTES.items():
        internal = {"weak", "retain", "visibility", "internal_linkage"}
        inline = "static inline " if name == "always_inline" else ""
        linkage = inline or ("" if name in internal else "static ")
        needs = "// flags: -fcf-protection=full\n" if name == "nocf_check" else ""
        text = needs + FUNCTION.format(attribute=f"__attribute__(({attribute})) ", linkage=linkage)
        if name not in ONLY_CPP:
            yield f"attribute_{name}.c", text
        if name not in ONLY_C:
            yield f"attribute_{name}_cpp.cc", text


def flags() -> Iterator[tuple[str, str]]:
    """Flags that change how control is compiled."""
    hooks = (
        "void __cyg_profile_func_enter(void *f, void *g) {}\n"
        "void __cyg_profile_func_exit(void *f, void *g) {}\n"
    )
    for number, flag in enumerate(FLAGS):
        text = FUNCTION.format(attribute="", linkage="")
        extra = (
            f"__attribute__((no_instrument_function)) {hooks}"
            if "instrument-functions" in flag
            else ""
        )
        name = flag.split()[0].lstrip("-").replace("=", "_").replace(",", "_").replace("-", "_")
        yield f"flags_{number:02}_{name}.c", f"// flags: {flag}\n{extra}{text}"


def exceptions() -> Iterator[tuple[str, str]]:
    """Each throw through each frame."""
    for throw, thrown in THROWS.items():
        for frame, around in FRAMES.items():
            inline = "__attribute__((noinline)) " if (len(throw) + len(frame)) & 1 else ""
            yield (
                f"throw_{throw}_{frame}.cc",
                EXCEPTIONS.format(frame=around.replace("THROW", thrown), inline=inline),
            )


def hidden() -> Iterator[tuple[str, str]]:
    """Each construct of which the compiler makes branches, alone, and behind one of the source."""
    ways = {"alone": "", "behind": "if (n == 6) return 1; "}
    for flags in ["", *HIDDEN_FLAGS.values()]:
        names = [name for name in HIDDEN if HIDDEN_FLAGS.get(name, "") == flags]
        for first in range(0, len(names), IN_ONE):
            some = names[first : first + IN_ONE]
            functions = [
                HIDING_FUNCTION.format(name=f"{way}_{name}", before=before, hidden=HIDDEN[name])
                for name in some
                for way, before in ways.items()
            ]
            calls = " + ".join(f"{way}_{name}(n)" for name in some for way in ways)
            yield (
                f"hidden_{some[0]}.cc",
                f"// flags: -std=gnu++20 {flags}".rstrip()
                + "\n"
                + HIDING.format(functions="".join(functions), calls=calls),
            )


def write(folder: Path) -> int:
    """Writes all programs; says how many."""
    folder.mkdir(parents=True, exist_ok=True)
    programs = [*statements(), *attributes(), *flags(), *exceptions(), *hidden()]
    for name, text in programs:
        (folder / name).write_text(text)
    return len(programs)


if __name__ == "__main__":
    print(write(Path(sys.argv[1])), "programs")
