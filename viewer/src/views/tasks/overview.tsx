// The first page of a task graph: its sums, how many tasks ran when, and what waited where. The
// numbers are those of the text.

import type { ComponentChildren } from "preact";

import { duration, speed, useTaskGraph } from "../../data/taskGraph";
import type { HeatRow, PlaceData } from "../../data/tasksTypes";
import { type Count, digits, near, plural, sum } from "../../ui/numbers";
import { Fact, Remark, Share } from "../../ui/parts";

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
                <Table titles={["#Tasks at once", "#Time", "Share"]} label="Tasks at once" all>
                    {levels.map((time, level) => (
                        <tr>
                            <td class="number">{level}</td>
                            <td class="number">{duration(time)}</td>
                            <td>
                                <Share part={near(time)} whole={near(sum(levels))} />
                            </td>
                        </tr>
                    ))}
                </Table>
            </div>
        </section>
    );
}

/** A table; numbers stand in columns whose titles begin with `#`. */
function Table({
    titles,
    label,
    children,
    all = false,
}: {
    titles: string[];
    label: string;
    children: ComponentChildren[];
    all?: boolean;
}) {
    const head = (
        <thead>
            <tr>
                {titles.map((title) => (
                    <th scope="col" class={title.startsWith("#") ? "number" : undefined}>
                        {title.replace("#", "")}
                    </th>
                ))}
            </tr>
        </thead>
    );
    const rest = all ? [] : children.slice(TOP);
    return (
        <>
            <div class="table-scroll" tabIndex={0} role="group" aria-label={label}>
                <table class="plain">
                    {head}
                    <tbody>{all ? children : children.slice(0, TOP)}</tbody>
                </table>
            </div>
            {rest.length > 0 ? (
                <details>
                    <summary>{digits(rest.length)} more</summary>
                    <div
                        class="table-scroll"
                        tabIndex={0}
                        role="group"
                        aria-label={`${label}, the rest`}
                    >
                        <table class="plain">
                            {head}
                            <tbody>{rest}</tbody>
                        </table>
                    </div>
                </details>
            ) : null}
        </>
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

function Heats({ title, rows }: { title: string; rows: (HeatRow & { path?: Count })[] }) {
    const { functions } = useTaskGraph().index;
    const whole = near(sum(functions.map(({ instructions }) => instructions)));
    const isPaths = rows.some(({ path }) => path !== undefined);
    if (rows.length === 0)
        return (
            <Section title={title}>
                <p class="soft">Nothing is on the critical path.</p>
            </Section>
        );
    return (
        <Section title={title} says="Shares are parts of the instructions on it.">
            <Table
                label={title}
                titles={[
                    "Share",
                    "#Instructions",
                    "#Time",
                    "#Paths",
                    ...(isPaths ? ["#Path"] : []),
                    isPaths ? "Of" : "Function",
                ]}
            >
                {rows.map(({ function: name, count, instructions, time, path }) => (
                    <tr>
                        <td>
                            <Share part={near(instructions)} whole={whole} />
                        </td>
                        <td class="number">{digits(instructions)}</td>
                        <td class="number">{duration(time)}</td>
                        <td class="number">{digits(count)}</td>
                        {path !== undefined ? <td class="number">{String(path)}</td> : null}
                        <td>
                            <code>{name}</code>
                        </td>
                    </tr>
                ))}
            </Table>
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
                <Table
                    label="Locks"
                    titles={[
                        "Lock",
                        "#Taken",
                        "#Failed",
                        "#Waited",
                        "#Wait",
                        "#Held",
                        "Waited most in",
                    ]}
                >
                    {locks.map((lock) => (
                        <tr>
                            <td>
                                <code>{lock.object}</code>
                            </td>
                            <td class="number">{digits(lock.taken)}</td>
                            <td class="number">{digits(lock.failed)}</td>
                            <td class="number">{digits(lock.waited)}</td>
                            <td class="number">{duration(lock.wait)}</td>
                            <td class="number">{duration(lock.held)}</td>
                            <td>
                                <Place place={lock.place} />
                            </td>
                        </tr>
                    ))}
                </Table>
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
            <Table
                label="Longest waits"
                titles={["#Wait", "Who waited", "In", "Who had it", "Taken in", "Lock"]}
            >
                {waits.map((wait) => (
                    <tr>
                        <td class="number">{duration(wait.wait)}</td>
                        <td>{graph.threadName(wait.thread)}</td>
                        <td>
                            <Place place={wait.place} />
                        </td>
                        <td>{graph.threadName(wait.holder)}</td>
                        <td>
                            <Place place={wait.holder_place} />
                        </td>
                        <td>
                            <code>{wait.object}</code>
                        </td>
                    </tr>
                ))}
            </Table>
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
                <Table
                    label="Barriers"
                    titles={["Barrier", "#Episodes", "#Lost", "Most often last"]}
                >
                    {barriers.map(({ object, episodes, lost, last }) => (
                        <tr>
                            <td>
                                <code>{object}</code>
                            </td>
                            <td class="number">{digits(episodes)}</td>
                            <td class="number">{duration(lost)}</td>
                            <td>{lastComers(last, (thread) => graph.threadName(thread))}</td>
                        </tr>
                    ))}
                </Table>
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
            <Table
                label="Episodes"
                titles={[
                    "#Lost",
                    "#Spread",
                    "#Came",
                    "Last",
                    "Came last in",
                    "Barrier",
                    "#Episode",
                ]}
            >
                {episodes.map((of) => (
                    <tr>
                        <td class="number">{duration(of.lost)}</td>
                        <td class="number">{duration(of.spread)}</td>
                        <td class="number">{of.members}</td>
                        <td>{graph.threadName(of.last)}</td>
                        <td>
                            <Place place={of.place} />
                        </td>
                        <td>
                            <code>{of.object}</code>
                        </td>
                        <td class="number">{digits(of.number)}</td>
                    </tr>
                ))}
            </Table>
        </Section>
    );
}
