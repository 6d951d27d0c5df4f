# Completions of pathcc for bash, made from driver/src/settings/options.rs.

_pathcc() {
    # Bash takes `=` for a word.
    local value=${COMP_WORDS[COMP_CWORD]} flag= words=
    if [[ $value == = ]]; then
        flag=${COMP_WORDS[COMP_CWORD-1]} value=
    elif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
        flag=${COMP_WORDS[COMP_CWORD-2]}
    elif [[ $value == -* ]]; then
        words="-fpath-mode= -fpath-placement= -fpath-trace= -fpath-trace-from= -fpath-stage= -fpath-threads= -fpath-promotion= -fpath-limit= -fpath-overflow= -fpath-table= -fpath-callees= -fpath-use= -fpath-hot= -fpath-profile= -fpath-filter= -fpath-ir= --help-path --print-config --cflags --ldflags $("${COMP_WORDS[0]}" --autocomplete="$value" 2>/dev/null | cut -f 1)"
    fi
    case $flag in
    -fpath-mode) words="paths blocks edges calls trace" ;;
    -fpath-placement) words="spanning-tree patterns every-block" ;;
    -fpath-trace) words="memory all-memory control-flow" ;;
    -fpath-stage) words="auto late early machine" ;;
    -fpath-threads) words="exact single atomic" ;;
    -fpath-promotion) words="auto yes no" ;;
    -fpath-overflow) words="cut hash" ;;
    -fpath-ir) words="no yes" ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$value")
    if [[ ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace
    fi
}

complete -o default -F _pathcc pathcc pathc++ pathfc
