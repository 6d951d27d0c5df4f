// The tasks that are in view of the timeline, as a list: for the keyboard, for readers of screens,
// and for those who look for the longest one.

import { useEffect, useMemo, useState } from "preact/hooks";

import { type TaskGraph, duration } from "../../data/taskGraph";
import { digits, plural } from "../../ui/numbers";
import { type Column, Table } from "../../ui/table";
import type { Viewport } from "./draw";
import { LETTERS } from "./kinds";

/** The list follows the timeline when it has not moved for so long. */
const PAUSE = 150;

const ROW = 30;

type Order = "begin" | "duration";

interface Props {
    graph: TaskGraph;
    seen: Viewport;
    chosen: number | null;
    choose: (task: number) => void;
}

export function TaskList({ graph, seen, chosen, choose }: Props) {
    const { from, to } = useSettled(seen);
    const [order, setOrder] = useState<Order>("begin");
    const [onWay, setOnWay] = useState(false);
    const tasks = useMemo(() => inView(graph, from, to, order, onWay), [from, to, order, onWay]);
    return (
        <section class="pane task-list" aria-labelledby="task-list">
            <header>
                <h2 id="task-list">{plural(tasks.length, "task")} in view</h2>
                <span class="end">
                    <label>
                        <input
                            type="checkbox"
                            checked={onWay}
                            onChange={(event) => setOnWay(event.currentTarget.checked)}
                        />{" "}
                        critical path
                    </label>
                    <label>
                        by{" "}
                        <select
                            value={order}
                            onChange={(event) => setOrder(event.currentTarget.value as Order)}
                        >
                            <option value="begin">start</option>
                            <option value="duration">duration</option>
                        </select>
                    </label>
                </span>
            </header>
            <Table
                label="Tasks in view"
                className="tasks"
                columns={columnsOf(graph)}
                rows={tasks}
                rowHeight={ROW}
                chosen={chosen}
                onChoose={choose}
            />
            {tasks.length === 0 ? <p class="empty">No task is in view.</p> : null}
        </section>
    );
}

function columnsOf(graph: TaskGraph): Column<number>[] {
    return [
        {
            key: "task",
            title: "Task",
            className: "task-name",
            cell: (task) => (
                <>
                    <span class={`swatch kind-${graph.kindName(task)}`} aria-hidden="true">
                        {LETTERS[graph.kind[task]!]}
                    </span>
                    {graph.name(task)}{" "}
                    {graph.isOnWay[task] ? (
                        <span class="way-mark" data-tip="on the critical path">
                            ━<span class="unseen">on the critical path</span>
                        </span>
                    ) : null}
                    <small>{graph.ending(task)}</small>
                </>
            ),
        },
        {
            key: "start",
            title: "Start",
            isNumber: true,
            cell: (task) => duration(graph.begin[task]!),
        },
        {
            key: "duration",
            title: "Duration",
            isNumber: true,
            cell: (task) => duration(graph.columns.duration[task]!),
        },
        {
            key: "instructions",
            title: "Instructions",
            isNumber: true,
            cell: (task) => digits(graph.columns.instructions[task]),
        },
    ];
}

/** What is seen when it has settled. */
function useSettled(seen: Viewport): Viewport {
    const [settled, set] = useState(seen);
    useEffect(() => {
        const timer = setTimeout(() => set(seen), PAUSE);
        return () => clearTimeout(timer);
    }, [seen.from, seen.to]);
    return settled;
}

/** The tasks of a time, in order. */
function inView(
    graph: TaskGraph,
    from: number,
    to: number,
    order: Order,
    onWay: boolean,
): Uint32Array {
    const found = [];
    for (const lane of graph.lanes) {
        const first = graph.firstEndingBehind(lane, from - 1e-9);
        for (let at = first; at < lane.tasks.length; at++) {
            const task = lane.tasks[at]!;
            if (graph.begin[task]! > to) break;
            if (!onWay || graph.isOnWay[task]) found.push(task);
        }
    }
    const { begin, end } = graph;
    const length = (task: number) => end[task]! - begin[task]!;
    const tasks = Uint32Array.from(found);
    return order === "begin"
        ? tasks.sort((one, other) => begin[one]! - begin[other]! || one - other)
        : tasks.sort((one, other) => length(other) - length(one) || one - other);
}
