// A path on one line, as the terminal has it: `11 13→14 parse: 26‹push_back› (throw)→28 → return`.

import { type PathSteps, type StepColumns, stepWords } from "../../data/pathSteps";

interface Props {
    steps: StepColumns;
    path: PathSteps;
    /** Only so many steps. */
    most?: number;
}

export function PathLine({ steps, path, most = Infinity }: Props) {
    const words = stepWords(
        steps,
        path.steps.length > most ? { steps: path.steps.slice(0, most) } : path,
    );
    const isCut = words.length < path.steps.length;
    const arrow = words.at(-1)?.arrow ? "" : "→ ";
    return (
        <span class="path-words">
            {path.start ? <span class="tag">{path.start.replace(":", "")}</span> : null}
            {words.map(({ name, isInlined, place, folded, arrow }) => (
                <>
                    <span class={isInlined ? "path-step inlined" : "path-step"}>
                        {name ? <b>{name}: </b> : null}
                        {place}
                        {folded ? <i>{folded}</i> : null}
                    </span>
                    {arrow ? <span class="path-choice">{arrow}</span> : " "}
                </>
            ))}
            {isCut ? "…" : <span class="path-end">{arrow + path.end}</span>}
        </span>
    );
}
