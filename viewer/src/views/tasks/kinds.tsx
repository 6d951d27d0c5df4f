// How the kinds of tasks are told apart: by a letter and a hatch as well as by colour.

/** The letter of each kind, in the order of the index. */
export const LETTERS = ["·", "C", "J", "B", "S"];

const SAYS: Record<string, string> = {
    basic: "ends with its thread, or otherwise",
    create: "ends by making a thread or task",
    join: "ends by waiting for a thread or task",
    barrier: "ends at a barrier",
    sync: "ends by a lock, a condition, a message",
};

/** The kinds with their marks. */
export function Legend({ kinds }: { kinds: { name: string; count: number }[] }) {
    return (
        <ul class="legend" aria-label="What is drawn">
            {kinds.map(({ name, count }, kind) =>
                count > 0 ? (
                    <li data-tip={SAYS[name]}>
                        <span class={`swatch kind-${name}`} aria-hidden="true">
                            {LETTERS[kind]}
                        </span>
                        {name}
                    </li>
                ) : null,
            )}
            <li data-tip="between two tasks of a thread: it waited, or synchronised">
                <span class="swatch swatch-wait" aria-hidden="true" />
                wait
            </li>
            <li data-tip="several tasks in one pixel; the height says how much of the time they took">
                <span class="swatch swatch-many" aria-hidden="true" />
                many
            </li>
            <li data-tip="the tasks that decide how long it takes">
                <span class="swatch swatch-way" aria-hidden="true" />
                critical path
            </li>
        </ul>
    );
}
