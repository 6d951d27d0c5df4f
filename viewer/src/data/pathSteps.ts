// Paths in the words of the terminal: see report/src/export/html/path_steps.rs.

/** The steps of many paths, in columns. */
export interface StepColumns {
    names: string[];
    /** The function that was compiled. */
    root: string;
    block: number[];
    /** The index of a location of the function. */
    location: (number | null)[];
    place: string[];
    name: (number | null)[];
    folded: number[][];
    /** The word for what was decided; empty if it has none, `null` if nothing was. */
    choice: (string | null)[];
}

/** A path. */
export interface PathSteps {
    start: string | null;
    steps: number[];
    end: string;
}

/** A step as it is read. */
export interface StepWords {
    /** The function that begins here; empty where the last one goes on. */
    name: string;
    /** Whether its code was inlined. */
    isInlined: boolean;
    place: string;
    /** What ran there of system headers: `‹size push_back›`. */
    folded: string;
    /** What stands behind it: an arrow, with the word for what was decided. */
    arrow: string;
}

/** The steps of a path, as it is read. */
export function stepWords(steps: StepColumns, path: Pick<PathSteps, "steps">): StepWords[] {
    let before = steps.root;
    // By the last name of a stack the stack that it stands for.
    const known = new Map<string, string>();
    return path.steps.map((number) => {
        const at = steps.name[number];
        const full = at == null ? null : (steps.names[at] ?? "");
        let name = "";
        if (full !== null && full !== before) {
            before = full;
            const last = full.split(" › ").at(-1) ?? full;
            name = known.get(last) === full ? last : full;
            known.set(last, full);
        }
        const folded = (steps.folded[number] ?? []).map((name) => steps.names[name]);
        const choice = steps.choice[number];
        return {
            name,
            isInlined: before !== steps.root,
            place: steps.place[number] ?? "",
            folded: folded.length > 0 ? `‹${folded.join(" ")}›` : "",
            arrow: choice == null ? "" : choice === "" ? "→" : `(${choice})→`,
        };
    });
}
