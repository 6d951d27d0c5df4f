// What is said of a task: when the pointer is on it, and when it is chosen.

import { type Neighbour, type TaskGraph, duration } from "../../data/taskGraph";
import { digits, plural } from "../../ui/numbers";
import { Fact } from "../../ui/parts";
import { address } from "../../ui/route";
import type { Hit } from "./draw";

/** What a task waited for, in words. */
function waitedFor(graph: TaskGraph, task: number): string {
    const time = graph.waited(task);
    const by = graph.wokenBy(task);
    const what = by ? `, until ${graph.name(by.task)} ended (${graph.link(by.link)})` : "";
    return time > 0 ? `${duration(time)}${what}` : "nothing";
}

/** The tip of what is at a place of the timeline. */
export function tipOf(graph: TaskGraph, { task, count, isWait }: Hit): string {
    const thread = graph.threadName(graph.thread[task]!);
    if (isWait) return `${thread} waited or synchronised: ${waitedFor(graph, task)}`;
    if (count > 1) return `${thread}: ${plural(count, "task")} in this pixel\nmake it larger`;
    const { paths, instructions, accesses } = graph.columns;
    return [
        `${graph.name(task)}, ended by ${graph.ending(task)}${graph.isOnWay[task] ? ", on the critical path" : ""}`,
        `${thread}, from ${duration(graph.begin[task]!)}, for ${duration(graph.columns.duration[task]!)}`,
        `${plural(paths[task]!, "path")}, ${plural(instructions[task]!, "instruction")}, ${digits(accesses[task])} accesses`,
        `waited before: ${waitedFor(graph, task)}`,
    ].join("\n");
}

interface Props {
    graph: TaskGraph;
    task: number | null;
    choose: (task: number | null) => void;
}

/** The chosen task. */
export function Details({ graph, task, choose }: Props) {
    return (
        <section class="pane task-details" aria-label="Chosen task" aria-live="polite">
            {task === null ? (
                <p class="empty">
                    Choose a task: its edges are drawn, and what it waited for stands here.
                </p>
            ) : (
                <Chosen graph={graph} task={task} choose={choose} />
            )}
        </section>
    );
}

function Chosen({ graph, task, choose }: Props & { task: number }) {
    const { columns } = graph;
    return (
        <>
            <header>
                <h2>
                    Task {graph.name(task)}, {graph.kindName(task)}
                </h2>
                {graph.isOnWay[task] ? <span class="tag way">critical path</span> : null}
                <span class="end">
                    <a href={address("timeline", "", { task: graph.number[task]! })}>timeline</a>
                    <a href={address("graph", "", { task: graph.number[task]! })}>graph</a>
                    <button
                        type="button"
                        class="quiet"
                        onClick={() => choose(null)}
                        aria-label="close"
                    >
                        ✕
                    </button>
                </span>
            </header>
            <div class="task-body" tabIndex={0} role="group" aria-label="What it did">
                <dl class="facts small">
                    <Fact title="Ended by" value={graph.ending(task)} />
                    <Fact title="Thread" value={graph.threadName(graph.thread[task]!)} />
                    <Fact title="Start" value={duration(graph.begin[task]!)} />
                    <Fact title="Duration" value={duration(columns.duration[task]!)} />
                    <Fact title="Paths" value={digits(columns.paths[task])} />
                    <Fact title="Instructions" value={digits(columns.instructions[task])} />
                    <Fact
                        title="Accesses"
                        value={digits(columns.accesses[task])}
                        more={`to ${plural(columns.bytes[task]!, "byte")}`}
                    />
                    <Fact title="Waited before" value={waitedFor(graph, task)} />
                </dl>
                <Edges title="Came behind" graph={graph} of={graph.before(task)} choose={choose} />
                <Edges title="Let go on" graph={graph} of={graph.behind(task)} choose={choose} />
            </div>
        </>
    );
}

/** So many edges are listed. */
const MOST = 30;

function Edges(props: {
    title: string;
    graph: TaskGraph;
    of: Neighbour[];
    choose: (task: number) => void;
}) {
    const { title, graph, of, choose } = props;
    return (
        <div class="task-edges">
            <h3>{title}</h3>
            {of.length === 0 ? <span class="soft">nothing</span> : null}
            {of.slice(0, MOST).map(({ task, link }) => (
                <button
                    type="button"
                    onClick={() => choose(task)}
                    data-tip={`number ${graph.number[task]}`}
                >
                    {graph.name(task)} <small>{graph.link(link)}</small>
                </button>
            ))}
            {of.length > MOST ? (
                <span class="soft">and {digits(of.length - MOST)} more</span>
            ) : null}
        </div>
    );
}
