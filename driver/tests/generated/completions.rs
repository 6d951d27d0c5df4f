//! Completions for shells. Options of clang's are completed by clang itself, where the shell can
//! ask it.

use driver::settings::options::{SHOWS, flags};
use driver::settings::setting::Setting;
use driver::settings::values::Values;

const PROGRAMS: &str = "pathcc pathc++ pathfc";

/// All flags, those with values up to `=`.
fn all_flags() -> Vec<String> {
    let shows = SHOWS.iter().map(|show| show.flag.to_owned());
    flags().map(Setting::flag).chain(shows).collect()
}

fn words(option: &Setting) -> String {
    option.values.words().map(|word| word.text).collect::<Vec<_>>().join(" ")
}

/// For bash.
pub(crate) fn bash() -> String {
    let case = |option: &Setting| {
        let flag = option.flag();
        let flag = flag.trim_end_matches('=');
        match option.values {
            Values::Words(_) => format!("    {flag}) words=\"{}\" ;;\n", words(option)),
            // Without words bash completes files.
            _ => String::new(),
        }
    };
    let cases: String = flags().map(case).collect();
    let all = all_flags().join(" ");
    format!(
        r#"# Completions of pathcc for bash, made from driver/src/settings/options.rs.

_pathcc() {{
    # Bash takes `=` for a word.
    local value=${{COMP_WORDS[COMP_CWORD]}} flag= words=
    if [[ $value == = ]]; then
        flag=${{COMP_WORDS[COMP_CWORD-1]}} value=
    elif [[ ${{COMP_WORDS[COMP_CWORD-1]}} == = ]]; then
        flag=${{COMP_WORDS[COMP_CWORD-2]}}
    elif [[ $value == -* ]]; then
        words="{all} $("${{COMP_WORDS[0]}}" --autocomplete="$value" 2>/dev/null | cut -f 1)"
    fi
    case $flag in
{cases}    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$value")
    if [[ ${{COMPREPLY[0]}} == *= ]]; then
        compopt -o nospace
    fi
}}

complete -o default -F _pathcc {PROGRAMS}
"#
    )
}

/// For zsh.
pub(crate) fn zsh() -> String {
    let action = |option: &Setting| match option.values {
        Values::Words(_) => format!("({})", words(option)),
        Values::Weights | Values::Pattern => "_files".to_owned(),
        Values::Number { .. } | Values::Globs | Values::Part => String::new(),
    };
    let quoted = |text: &str| text.replace(']', "\\]").replace('`', "");
    let flag = |option: &Setting| {
        let (flag, name, brief) = (option.flag(), option.name, quoted(option.brief.text));
        format!("    '{flag}-[{brief}]:{name}:{}' \\\n", action(option))
    };
    let shows =
        SHOWS.iter().map(|show| format!("    '{}[{}]' \\\n", show.flag, quoted(show.meaning)));
    let lines: String = flags().map(flag).chain(shows).collect();
    format!(
        "#compdef {PROGRAMS}\n# Completions of pathcc for zsh, made from driver/src/settings/options.rs.\n\n\
         _arguments \\\n{lines}    '*:file:_files'\n"
    )
}

/// For fish.
pub(crate) fn fish() -> String {
    let line = |word: &str, brief: &str| {
        let brief = brief.replace('\'', "\\'");
        let programs: String = PROGRAMS.split(' ').map(|name| format!(" -c {name}")).collect();
        format!("complete{programs} -a '{word}' -d '{brief}'\n")
    };
    let flag = |option: &Setting| {
        let (flag, words) = (option.flag(), option.values.words().collect::<Vec<_>>());
        if words.is_empty() {
            return line(&flag, option.brief.text);
        }
        words.iter().map(|word| line(&format!("{flag}{}", word.text), word.meaning)).collect()
    };
    let shows = SHOWS.iter().map(|show| line(show.flag, show.meaning));
    let lines: String = flags().map(flag).chain(shows).collect();
    format!(
        "# Completions of pathcc for fish, made from driver/src/settings/options.rs.\n\n{lines}"
    )
}
