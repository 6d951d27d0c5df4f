// The list of executed paths, and the steps of the chosen one.

import { useEffect, useMemo, useRef } from "preact/hooks";

import type { PathData } from "../../data/types";
import { fitted, shortened } from "../../ui/names";
import { brief, digits, near, percent, plural, product } from "../../ui/numbers";
import { change } from "../../ui/route";
import { type Column, Table } from "../../ui/table";
import { PathLine } from "../shared/pathLine";
import type { FunctionModel, Order } from "./model";
import { type Selection, choosePath, toggle } from "./selection";
import { stepsOf } from "./steps";

const ROW = 44;
/** How many steps are shown of a path that is not chosen. */
const SHOWN = 60;

interface Props {
    model: FunctionModel;
    name: string;
    selection: Selection;
    paths: PathData[];
    /** Whether the paths of the function are counted. */
    isCounted: boolean;
}

export function PathsPane({ model, name, selection, paths, isCounted }: Props) {
    const whole = useMemo(
        () => model.data.paths.reduce((all, path) => all + near(path.count) * path.instructions, 0),
        [model],
    );
    const chosen = model.data.paths.find(({ id }) => id === selection.path);
    return (
        <section class="pane paths" aria-labelledby="pane-paths" data-pane="paths">
            <header>
                <h2 id="pane-paths">Paths</h2>
                <span class="soft" role="status">
                    {!isCounted
                        ? "not counted"
                        : paths.length === model.data.paths.length
                          ? plural(paths.length, "executed path")
                          : `${digits(paths.length)} of ${digits(model.data.paths.length)}, ${digits(model.runs(paths))} executions`}
                </span>
                <label class="end">
                    Order
                    <select
                        value={selection.order}
                        onChange={(event) => change({ order: event.currentTarget.value as Order })}
                    >
                        <option value="executed">instructions</option>
                        <option value="count">count</option>
                        <option value="length">length</option>
                    </select>
                </label>
            </header>
            {selection.marks.length > 0 ? (
                <div class="marks">
                    through{" "}
                    {selection.marks.map((mark) => (
                        <button
                            type="button"
                            class="mark"
                            aria-label={`do not ask for ${model.nameOf(mark)}`}
                            onClick={() => toggle(selection, mark, true)}
                        >
                            {model.nameOf(mark)} <span aria-hidden="true">×</span>
                        </button>
                    ))}
                </div>
            ) : null}
            {chosen ? (
                <Steps model={model} name={name} path={chosen} selection={selection} />
            ) : null}
            {paths.length === 0 ? (
                <p class="empty">
                    {!isCounted
                        ? "Paths are counted in the mode paths alone."
                        : model.data.paths.length === 0
                          ? "No path of this function was executed."
                          : "No executed path goes through all of that."}
                </p>
            ) : (
                <Table
                    label="Paths"
                    className="path-list"
                    columns={columnsOf(model, whole)}
                    rows={paths}
                    keyOf={({ id }) => id}
                    rowHeight={ROW}
                    chosen={chosen ?? null}
                    onChoose={({ id }) => choosePath(id === selection.path ? null : id)}
                    tipOf={(path) => tipOf(path, name, whole)}
                />
            )}
        </section>
    );
}

/** Shares are parts of this whole. */
function columnsOf(model: FunctionModel, whole: number): Column<PathData>[] {
    return [
        {
            key: "rank",
            title: "Path",
            className: "path-rank",
            cell: ({ rank }) => `#${rank}`,
        },
        {
            key: "count",
            title: "Count",
            className: "path-numbers",
            cell: ({ count, instructions }) => (
                <>
                    <b>{brief(count)}×</b>
                    <small>{percent(near(product(count, instructions)), whole)}</small>
                </>
            ),
        },
        {
            key: "steps",
            title: "Steps",
            className: "path-line",
            cell: (path) => <PathLine steps={model.data.steps} path={path} most={SHOWN} />,
        },
    ];
}

function tipOf(path: PathData, name: string, whole: number): string {
    const executed = product(path.count, path.instructions);
    return [
        `${name}#${path.rank}, id ${path.id}`,
        `${digits(path.count)} times, ${plural(path.instructions, "instruction")} each`,
        `${digits(executed)} instructions, ${percent(near(executed), whole)} of this function`,
        `${plural(path.blocks.length, "block")}, ends: ${path.end}`,
    ].join("\n");
}

/** The steps of the chosen path, one after the other. */
function Steps({
    model,
    name,
    path,
    selection,
}: {
    model: FunctionModel;
    name: string;
    path: PathData;
    selection: Selection;
}) {
    const list = useRef<HTMLDivElement>(null);
    const steps = useMemo(() => stepsOf(model, path), [model, path]);
    const last = path.steps.length - 1;
    const step = selection.step;
    const move = (by: number) => {
        const next = step === null ? (by > 0 ? 0 : last) : Math.min(last, Math.max(0, step + by));
        choosePath(path.id, next);
    };
    useEffect(() => {
        list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    }, [step, path.id]);
    return (
        <div class="steps">
            <div class="steps-head">
                <span class="steps-name" data-tip={`id ${path.id}`}>
                    <b>
                        {fitted(name, 40)}#{path.rank}
                    </b>{" "}
                    {digits(path.count)}×{" "}
                    <span class="soft">{plural(path.instructions, "instruction")} each</span>
                </span>
                <span class="end">
                    <button
                        type="button"
                        onClick={() => move(-1)}
                        aria-label="previous step"
                        data-step="-1"
                    >
                        ‹
                    </button>
                    <span class="number">
                        {step === null ? "–" : step + 1} / {last + 1}
                    </span>
                    <button
                        type="button"
                        onClick={() => move(1)}
                        aria-label="next step"
                        data-step="1"
                    >
                        ›
                    </button>
                    <button
                        type="button"
                        onClick={() => choosePath(null)}
                        aria-label="choose no path"
                    >
                        ×
                    </button>
                </span>
            </div>
            <div
                ref={list}
                class="steps-list"
                tabIndex={0}
                role="group"
                aria-label="Steps of the path"
            >
                {path.start ? <span class="tag">{path.start.replace(":", "")}</span> : null}
                {steps.map((one, at) => (
                    <>
                        {one.name || at === 0 ? <b>{one.name || name} </b> : null}
                        <button
                            type="button"
                            class={one.isInlined ? "inlined" : undefined}
                            aria-current={at === step ? "step" : undefined}
                            aria-label={`step ${at + 1}: ${one.place}${one.folded}`}
                            data-tip={`step ${at + 1}: ${one.place}${one.folded}, bb${one.block}`}
                            onClick={() => choosePath(path.id, at)}
                        >
                            {one.place}
                            {one.folded ? <i>{shortened(one.folded)}</i> : null}
                        </button>
                        {one.arrow ? <span class="path-choice">{one.arrow}</span> : " "}
                    </>
                ))}
                <span class="path-end">{(steps.at(-1)?.arrow ? "" : "→ ") + path.end}</span>
            </div>
        </div>
    );
}
