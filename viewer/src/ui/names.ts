// Names of functions as there is room for them.

/** The word for an operator with its sign, behind which the arguments of a template may stand. */
const OPERATOR = /^operator(\(\)|\[\]|<=>|<<=|>>=|->\*?|<<(?=[<( ]|$)|>>|[<>]=|[<>]|[^\w\s(<>]+)/;

interface Letter {
    letter: string;
    /** In how many brackets it is, those of templates and all; a bracket is in itself. */
    angles: number;
    depth: number;
}

/** The letters of a name; `null` if its brackets do not close. */
function lettersOf(name: string): Letter[] | null {
    const open: string[] = [];
    const letters: Letter[] = [];
    const add = (letter: string) =>
        letters.push({
            letter,
            angles: open.filter((bracket) => bracket === "<").length,
            depth: open.length,
        });
    for (let at = 0; at < name.length; at++) {
        const letter = name[at]!;
        const isWord = letter === "o" && (at === 0 || !/\w/.test(name[at - 1]!));
        const sign = isWord ? OPERATOR.exec(name.slice(at, at + 16)) : null;
        if (sign) {
            [...sign[0]].forEach(add);
            at += sign[0].length - 1;
            continue;
        }
        if ("<([{".includes(letter)) open.push(letter);
        add(letter);
        if (">)]}".includes(letter) && name[at - 1] !== "-") open.pop();
    }
    return open.length === 0 ? letters : null;
}

/** The parts of a name between `::`, where that is not inside of brackets. */
function scopes(name: string): string[] {
    const letters = lettersOf(name);
    const parts = [""];
    for (let at = 0; letters && at < letters.length; at++) {
        const { letter, depth } = letters[at]!;
        if (depth === 0 && letter === ":" && letters[at + 1]?.letter === ":") {
            parts.push("");
            at++;
        } else parts[parts.length - 1] += letter;
    }
    return letters ? parts : [name];
}

/** A name with what its templates are made of left out. */
export function shortened(name: string): string {
    const letters = lettersOf(name);
    if (!letters) return name;
    const shown = letters.map(({ letter, angles }, at) =>
        angles === 0 ? letter : (letters[at - 1]?.angles ?? 0) === 0 ? "<…>" : "",
    );
    return shown.join("");
}

/** A name without the parameters of the function at its end, and what stands behind them. */
export function withoutParameters(name: string): string {
    const end = name.lastIndexOf(")");
    const behind = name.slice(end + 1);
    if (end < 0 || !/^( const| volatile| &| &&)*( \[[^\]]*\])*$/.test(behind)) return name;
    let depth = 0;
    for (let at = end; at >= 0; at--) {
        if (name[at] === ")") depth++;
        else if (name[at] === "(" && --depth === 0) {
            const short = name.slice(0, at);
            // The brackets of `operator()` and of names without one are no parameters.
            return at === 0 || /(operator|[:{ ])$/.test(short) ? name : short;
        }
    }
    return name;
}

/** A name in two: what it is in, with `::` behind it, and what it is itself. */
export function divided(name: string): [around: string, own: string] {
    const parts = scopes(name);
    // What a lambda is in says more than `operator()`.
    const own = parts.at(-1)!.startsWith("operator()") ? 2 : 1;
    const around = parts.slice(0, -own);
    return [around.map((part) => `${part}::`).join(""), parts.slice(-own).join("::")];
}

/** At most so many letters of a name: without what templates are made of, then what it is in. */
export function fitted(name: string, room: number): string {
    if (name.length <= room) return name;
    const short = shortened(name);
    if (short.length <= room) return short;
    const parts = scopes(short);
    for (let from = 1; from < parts.length; from++) {
        const rest = `…${parts.slice(from).join("::")}`;
        if (rest.length <= room) return rest;
    }
    const own = divided(short)[1];
    return room < 3 ? "" : own.length <= room ? own : `${own.slice(0, room - 1)}…`;
}
