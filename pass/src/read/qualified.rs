//! The name of a function as people say it: `std::vector::push_back`.
//!
//! It is put together from the scopes that debug information has, since those show which namespaces
//! are inline; symbols do not. Arguments of templates, inline namespaces and modules are left out.
//! What has no name in the source has one in brackets, as LLVM's demangler and clang write it: a
//! namespace is `(anonymous namespace)`, a class `(anonymous class)`. A lambda is `(lambda)` in the
//! function around it, without the `operator()` that it is called by. Debug information of lines
//! alone (`-gline-tables-only`) has no scopes; then a function has its own name. Names of other
//! languages stay as they are.

use crate::llvm::{self, Scope, ScopeKind, Subprogram};

/// The name of `function`.
pub(crate) fn name(function: Subprogram) -> String {
    llvm::scopes(function).map_or_else(|own| own, |scopes| joined(&scopes))
}

/// The name of the first of `scopes`, each of which is in the next.
fn joined(scopes: &[Scope]) -> String {
    let mut parts = Vec::with_capacity(scopes.len());
    let mut inner: Option<&Scope> = None;
    for scope in scopes {
        let called = inner.map(|inner| without_arguments(&inner.name));
        match called.filter(|_| scope.kind == ScopeKind::Class && scope.name.is_empty()) {
            Some("operator()") => {
                parts.pop();
                parts.push("(lambda)");
            }
            // The function that a pointer to a lambda points to.
            Some("__invoke") => parts.push("(lambda)"),
            _ => parts.extend(part(scope)),
        }
        inner = Some(scope);
    }
    parts.reverse();
    parts.join("::")
}

/// The text for a scope; nothing for one that is not named.
fn part(scope: &Scope) -> Option<&str> {
    let unnamed = match scope.kind {
        ScopeKind::InlineNamespace => return None,
        ScopeKind::Namespace => "(anonymous namespace)",
        ScopeKind::Class => "(anonymous class)",
        ScopeKind::Struct => "(anonymous struct)",
        ScopeKind::Union => "(anonymous union)",
        // A function has a name in every case.
        ScopeKind::Function => return Some(without_arguments(&scope.name)),
    };
    Some(if scope.name.is_empty() { unnamed } else { without_arguments(&scope.name) })
}

/// Operators with an angle bracket, those before that are longer than others that they begin with.
const OPERATORS: [&str; 11] = ["<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"];

/// A name without the arguments of its template. Debug information writes them behind it without a
/// blank, so that `operator<<int>` is an instance of `operator<`, but `operator<<<int>` one of
/// `operator<<`.
fn without_arguments(name: &str) -> &str {
    let operator = name.strip_prefix("operator").and_then(|after| {
        let ends = |rest: &str| rest.is_empty() || rest.starts_with('<');
        OPERATORS.iter().find(|operator| after.strip_prefix(**operator).is_some_and(ends))
    });
    let from = operator.map_or(0, |operator| "operator".len() + operator.len());
    match name[from..].find('<') {
        // What begins with a bracket is no template.
        Some(at) if from + at > 0 => &name[..from + at],
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::ScopeKind::{Class, Function, InlineNamespace, Namespace, Struct, Union};
    use super::*;

    #[test]
    fn arguments_are_left_out_and_operators_stay() {
        for (name, expected) in [
            ("push_back", "push_back"),
            ("vector<int, std::allocator<int> >", "vector"),
            ("~Box<int>", "~Box"),
            ("operator<", "operator<"),
            ("operator<<int>", "operator<"),
            ("operator<<>", "operator<"),
            ("operator<<", "operator<<"),
            ("operator<<<int>", "operator<<"),
            ("operator<<=", "operator<<="),
            ("operator<<=<int>", "operator<<="),
            ("operator<=", "operator<="),
            ("operator<=<int>", "operator<="),
            ("operator<=>", "operator<=>"),
            ("operator<=><int>", "operator<=>"),
            ("operator>", "operator>"),
            ("operator><int>", "operator>"),
            ("operator>>", "operator>>"),
            ("operator>><std::vector<int> >", "operator>>"),
            ("operator>=<int>", "operator>="),
            ("operator>>=<int>", "operator>>="),
            ("operator->", "operator->"),
            ("operator-><int>", "operator->"),
            ("operator->*<int>", "operator->*"),
            ("operator-<int *, std::vector<int> >", "operator-"),
            ("operator()", "operator()"),
            ("operator()<int>", "operator()"),
            ("operator[]<int>", "operator[]"),
            ("operator==<char>", "operator=="),
            ("operator bool", "operator bool"),
            ("operator int *<int>", "operator int *"),
            ("operator new", "operator new"),
            ("operator\"\" _km<'1', '2'>", "operator\"\" _km"),
            ("operators<int>", "operators"),
            ("<>", "<>"),
            ("", ""),
        ] {
            assert_eq!(without_arguments(name), expected, "{name}");
        }
    }

    #[test]
    fn scopes_stand_before_the_name() {
        let name = |scopes: &[(ScopeKind, &str)]| {
            let scope = |&(kind, name): &(_, &str)| Scope { kind, name: name.into() };
            joined(&scopes.iter().map(scope).collect::<Vec<_>>())
        };
        assert_eq!(name(&[(Function, "main")]), "main");
        let string = [
            (Function, "append"),
            (Class, "basic_string<char>"),
            (InlineNamespace, "__cxx11"),
            (Namespace, "std"),
        ];
        assert_eq!(name(&string), "std::basic_string::append");
        let unnamed = [(Function, "f"), (Struct, ""), (Union, ""), (Class, ""), (Namespace, "")];
        assert_eq!(
            name(&unnamed),
            "(anonymous namespace)::(anonymous class)::(anonymous union)::(anonymous struct)::f"
        );
    }

    #[test]
    fn a_lambda_is_in_the_function_around_it() {
        let name = |scopes: &[(ScopeKind, &str)]| {
            let scope = |&(kind, name): &(_, &str)| Scope { kind, name: name.into() };
            joined(&scopes.iter().map(scope).collect::<Vec<_>>())
        };
        let of_main = [(Function, "operator()"), (Class, ""), (Function, "main")];
        assert_eq!(name(&of_main), "main::(lambda)");
        let in_generic = [
            (Function, "operator()"),
            (Class, ""),
            (Function, "operator()<int>"),
            (Class, ""),
            (Function, "next<char>"),
            (Class, "Parser<int>"),
        ];
        assert_eq!(name(&in_generic), "Parser::next::(lambda)::(lambda)");
        let local = [(Function, "get"), (Struct, "Local"), (Function, "f<3>")];
        assert_eq!(name(&local), "f::Local::get");
        // A functor of a class that has no name is not one.
        assert_eq!(
            name(&[(Function, "operator()"), (Struct, "")]),
            "(anonymous struct)::operator()"
        );
        assert_eq!(
            name(&[(Function, "__invoke"), (Class, ""), (Function, "main")]),
            "main::(lambda)::__invoke"
        );
    }
}
