// The first page of a task graph: its sums, how many tasks ran when, and what waited where. The
// numbers are those of the text.

import { duration, speed, useTaskGraph } from "../../data/taskGraph";
import { digits, near, plural } from "../../ui/numbers";
import { Fact, Remark } from "../../ui/parts";
import { DataTable } from "./tables";

export function OverviewView() {
    const { index } = useTaskGraph();
    const { time, instructions, done } = index;
    return (
        <div class="page overview">
            <h1>{document.title}</h1>
            <p class="soft">
                <code>{index.trace}</code>, process {index.pid}
            </p>
            <dl class="facts">
                <Fact
                    title="Speed-up at most"
                    value={`${speed(time.work, time.span)} times`}
                    more={`by instructions ${speed(instructions.work, instructions.span)} times`}
                    tip="Work divided by span: however many processors there are, it does not become faster"
                />
                <Fact
                    title="Work"
                    value={duration(time.work)}
                    more={`${digits(instructions.work)} instructions`}
                    tip="The sum of all tasks"
                />
                <Fact
                    title="Span"
                    value={duration(time.span)}
                    more={`${digits(instructions.span)} instructions on the heaviest way`}
                    tip="The sum of the tasks on the critical path. The heaviest way by instructions may be another one."
                />
                <Fact
                    title="Tasks"
                    value={digits(index.tasks)}
                    more={`of ${plural(index.threads.length, "thread")}, ${plural(index.edges, "edge")}`}
                    tip={index.kinds
                        .filter(({ count }) => count > 0)
                        .map(({ name, count }) => `${digits(count)} ${name}`)
                        .join(", ")}
                />
                <Fact
                    title="On the critical path"
                    value={digits(time.tasks)}
                    more={`${time.tasks === 1 ? "task" : "tasks"} of ${digits(index.tasks)}`}
                />
                <Fact
                    title="Done"
                    value={digits(done.paths)}
                    more={`paths, ${digits(done.accesses)} accesses to ${digits(done.bytes)} bytes`}
                />
            </dl>
            <div class="remarks">
                {near(index.missing) > 0 ? (
                    <Remark tone="warning">
                        Records are missing in {plural(index.missing, "place")}: tasks and edges are
                        missing, too.
                    </Remark>
                ) : null}
                {near(index.left_out) > 0 ? (
                    <Remark tone="warning">The graph is too large: its end is left out.</Remark>
                ) : null}
                <LeftOut />
            </div>
            <Parallelism />
            {SECTIONS.map((section) => (
                <Section {...section} />
            ))}
        </div>
    );
}

/** Says that the page has not all tasks. */
export function LeftOut() {
    const { index } = useTaskGraph();
    if (index.shown === index.tasks) return null;
    return (
        <Remark tone="note">
            The timeline and the graph have {digits(index.shown)} of {digits(index.tasks)} tasks:
            the longest ones, and all of the critical path. Sums and tables are of all tasks.
        </Remark>
    );
}

const [WIDTH, HEIGHT] = [720, 120];

/** How many tasks ran when, and for how long how many ran at once. */
function Parallelism() {
    const { index } = useTaskGraph();
    const { length, parts } = index.parallelism;
    const part = near(length) / Math.max(parts.length, 1);
    const averages = parts.map((time) => (part > 0 ? near(time) / part : 0));
    const most = Math.max(...averages, 1);
    const lines = [...new Set([1, Math.floor(most)])];
    const width = WIDTH / Math.max(parts.length, 1);
    if (near(length) === 0) return <p class="empty">No time is known.</p>;
    const y = (average: number) => HEIGHT * (1 - average / most);
    return (
        <section aria-labelledby="parallelism">
            <h2 id="parallelism">How many tasks ran at once</h2>
            <p class="soft">
                From the start of the first task to the end of the last one, in {parts.length} equal
                parts. Height is the average of each.
            </p>
            <div class="parallelism">
                <svg
                    viewBox={`-34 -10 ${WIDTH + 40} ${HEIGHT + 32}`}
                    role="img"
                    aria-label={`Tasks at once over time: ${Math.max(...averages).toFixed(1)} at most`}
                >
                    {averages.map((average, at) => (
                        <g
                            data-tip={`${duration(at * part)} to ${duration((at + 1) * part)}\n${average.toFixed(2)} tasks at once`}
                        >
                            <rect
                                class="part-ground"
                                x={at * width}
                                y={0}
                                width={width}
                                height={HEIGHT}
                            />
                            <rect
                                class="part"
                                x={at * width + 0.75}
                                y={y(average)}
                                width={width - 1.5}
                                height={HEIGHT - y(average)}
                            />
                        </g>
                    ))}
                    {lines.map((line) => (
                        <g>
                            <path class="part-line" d={`M0 ${y(line)}H${WIDTH}`} />
                            <text class="part-text" x={-6} y={y(line) + 4} text-anchor="end">
                                {line}
                            </text>
                        </g>
                    ))}
                    <path class="part-axis" d={`M0 ${HEIGHT}H${WIDTH}`} />
                    <text class="part-text" x={0} y={HEIGHT + 16}>
                        0
                    </text>
                    <text class="part-text" x={WIDTH} y={HEIGHT + 16} text-anchor="end">
                        {duration(length)}
                    </text>
                </svg>
                <Named table="parallelism" label="Tasks at once" />
            </div>
        </section>
    );
}

/** What the page says of a table of the text. */
interface TableSection {
    table: string;
    title: string;
    says?: string;
    /** Whether nothing is said where it has no rows. */
    isOptional?: boolean;
}

const SECTIONS: TableSection[] = [
    {
        table: "critical_functions",
        title: "Functions on the critical path",
        says: "Shares are parts of the instructions on it.",
    },
    {
        table: "critical_paths",
        title: "Paths on the critical path",
        says: "Shares are parts of the instructions on it.",
    },
    {
        table: "tasks",
        title: "Tasks that end alike",
        says: "Shares are parts of all instructions.",
        isOptional: true,
    },
    { table: "locks", title: "Locks" },
    {
        table: "locked_functions",
        title: "Functions that ran with a lock",
        says: "Only one thread at a time can have a lock. Shares are parts of all instructions.",
        isOptional: true,
    },
    { table: "longest_waits", title: "Longest waits for locks", isOptional: true },
    { table: "barriers", title: "Barriers" },
    {
        table: "episodes",
        title: "Episodes of barriers that lost most",
        says: "Lost is how long all members waited for the last one, together; spread is from the first that came to the last.",
        isOptional: true,
    },
];

/** A table of the text by its name. */
function Named({ table, label }: { table: string; label: string }) {
    const { tables } = useTaskGraph().index;
    const data = tables.find(({ name }) => name === table);
    return data ? <DataTable label={label} table={data} /> : null;
}

function Section({ table, title, says, isOptional }: TableSection) {
    const { tables } = useTaskGraph().index;
    const isEmpty = !tables.some(({ name, rows }) => name === table && rows.length > 0);
    if (isOptional && isEmpty) return null;
    const id = title.toLowerCase().replaceAll(" ", "-");
    return (
        <section aria-labelledby={id}>
            <h2 id={id}>{title}</h2>
            {says && !isEmpty ? <p class="soft">{says}</p> : null}
            <Named table={table} label={title} />
        </section>
    );
}
