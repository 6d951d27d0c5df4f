// The first page of a task graph: its sums, how many tasks ran when, and what waited where. The
// numbers are those of the text.

import type { ComponentChildren } from "preact";

import { duration, speed, useTaskGraph } from "../../data/taskGraph";
import type {
    BarrierRow,
    EpisodeRow,
    HeatRow,
    LockRow,
    PlaceData,
    WaitRow,
} from "../../data/tasksTypes";
import { type Count, digits, near, plural, sum } from "../../ui/numbers";
import { Fact, Remark, Share } from "../../ui/parts";
import { type Column, Table } from "../../ui/table";

/** So many rows are seen at once. */
const TOP = 15;

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
            <Heats title="Functions on the critical path" rows={index.functions} />
            <Heats title="Paths on the critical path" rows={index.paths} />
            <Locks />
            <Waits />
            <Barriers />
            <Episodes />
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
    const { length, levels, parts } = index.parallelism;
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
                <Table
                    label="Tasks at once"
                    columns={[
                        {
                            key: "level",
                            title: "Tasks at once",
                            isNumber: true,
                            cell: ({ level }) => level,
                        },
                        {
                            key: "time",
                            title: "Time",
                            isNumber: true,
                            cell: ({ time }) => duration(time),
                        },
                        {
                            key: "share",
                            title: "Share",
                            cell: ({ time }) => (
                                <Share part={near(time)} whole={near(sum(levels))} />
                            ),
                        },
                    ]}
                    rows={levels.map((time, level) => ({ time, level }))}
                />
            </div>
        </section>
    );
}

function Section({
    title,
    says,
    children,
}: {
    title: string;
    says?: string;
    children: ComponentChildren;
}) {
    const id = title.toLowerCase().replaceAll(" ", "-");
    return (
        <section aria-labelledby={id}>
            <h2 id={id}>{title}</h2>
            {says ? <p class="soft">{says}</p> : null}
            {children}
        </section>
    );
}

/** A function, or a path of one. */
type Heat = HeatRow & { path?: Count };

/** A column of numbers. */
const number = <Row,>(title: string, cell: (row: Row) => ComponentChildren): Column<Row> => ({
    key: title,
    title,
    isNumber: true,
    cell,
});

/** A column of other texts. */
const text = <Row,>(title: string, cell: (row: Row) => ComponentChildren): Column<Row> => ({
    key: title,
    title,
    cell,
});

/** A lock or a barrier. */
const object = <Row extends { object: string }>(title: string): Column<Row> =>
    text(title, ({ object }) => <code>{object}</code>);

function Heats({ title, rows }: { title: string; rows: Heat[] }) {
    const { functions } = useTaskGraph().index;
    const whole = near(sum(functions.map(({ instructions }) => instructions)));
    const isPaths = rows.some(({ path }) => path !== undefined);
    if (rows.length === 0)
        return (
            <Section title={title}>
                <p class="soft">Nothing is on the critical path.</p>
            </Section>
        );
    const columns: Column<Heat>[] = [
        text("Share", ({ instructions }) => <Share part={near(instructions)} whole={whole} />),
        number("Instructions", ({ instructions }) => digits(instructions)),
        number("Time", ({ time }) => duration(time)),
        number("Paths", ({ count }) => digits(count)),
        ...(isPaths ? [number<Heat>("Path", ({ path }) => String(path))] : []),
        text(isPaths ? "Of" : "Function", ({ function: name }) => <code>{name}</code>),
    ];
    return (
        <Section title={title} says="Shares are parts of the instructions on it.">
            <Table label={title} most={TOP} columns={columns} rows={rows} />
        </Section>
    );
}

/** Where a path ended. */
function Place({ place }: { place: PlaceData }) {
    if (!place) return <span class="soft">–</span>;
    return (
        <>
            <code>{place.function}</code>
            {place.line ? <small>{place.line}</small> : null}
        </>
    );
}

function Locks() {
    const { locks } = useTaskGraph().index;
    return (
        <Section title="Locks">
            {locks.length === 0 ? (
                <p class="soft">No lock was taken.</p>
            ) : (
                <Table<LockRow>
                    label="Locks"
                    most={TOP}
                    columns={[
                        object("Lock"),
                        number("Taken", ({ taken }) => digits(taken)),
                        number("Failed", ({ failed }) => digits(failed)),
                        number("Waited", ({ waited }) => digits(waited)),
                        number("Wait", ({ wait }) => duration(wait)),
                        number("Held", ({ held }) => duration(held)),
                        text("Waited most in", ({ place }) => <Place place={place} />),
                    ]}
                    rows={locks}
                />
            )}
        </Section>
    );
}

function Waits() {
    const graph = useTaskGraph();
    const { waits } = graph.index;
    if (waits.length === 0) return null;
    return (
        <Section title="Longest waits for locks">
            <Table<WaitRow>
                label="Longest waits"
                most={TOP}
                columns={[
                    number("Wait", ({ wait }) => duration(wait)),
                    text("Who waited", ({ thread }) => graph.threadName(thread)),
                    text("In", ({ place }) => <Place place={place} />),
                    text("Who had it", ({ holder }) => graph.threadName(holder)),
                    text("Taken in", ({ holder_place }) => <Place place={holder_place} />),
                    object("Lock"),
                ]}
                rows={waits}
            />
        </Section>
    );
}

/** A barrier's last-comers: the most frequent ones. */
function lastComers(last: [number, number][], name: (thread: number) => string): string {
    const most = [...last].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
    const told = most.slice(0, 3).map(([thread, times]) => `${name(thread)} (${digits(times)}×)`);
    return told.join(", ") + (most.length > 3 ? `, ${most.length - 3} more` : "");
}

function Barriers() {
    const graph = useTaskGraph();
    const { barriers } = graph.index;
    return (
        <Section title="Barriers">
            {barriers.length === 0 ? (
                <p class="soft">There is no barrier.</p>
            ) : (
                <Table<BarrierRow>
                    label="Barriers"
                    most={TOP}
                    columns={[
                        object("Barrier"),
                        number("Episodes", ({ episodes }) => digits(episodes)),
                        number("Lost", ({ lost }) => duration(lost)),
                        text("Most often last", ({ last }) =>
                            lastComers(last, (thread) => graph.threadName(thread)),
                        ),
                    ]}
                    rows={barriers}
                />
            )}
        </Section>
    );
}

function Episodes() {
    const graph = useTaskGraph();
    const { episodes } = graph.index;
    if (episodes.length === 0) return null;
    return (
        <Section
            title="Episodes of barriers that lost most"
            says="Lost is how long all members waited for the last one, together; spread is from the first that came to the last."
        >
            <Table<EpisodeRow>
                label="Episodes"
                most={TOP}
                columns={[
                    number("Lost", ({ lost }) => duration(lost)),
                    number("Spread", ({ spread }) => duration(spread)),
                    number("Came", ({ members }) => members),
                    text("Last", ({ last }) => graph.threadName(last)),
                    text("Came last in", ({ place }) => <Place place={place} />),
                    object("Barrier"),
                    number("Episode", ({ number }) => digits(number)),
                ]}
                rows={episodes}
            />
        </Section>
    );
}
