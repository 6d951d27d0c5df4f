// Who called whom: a table, and a graph around one function.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { fitted, withoutParameters } from "../data/names";
import { brief, digits, near, percent } from "../data/numbers";
import { type Report, useReport } from "../data/report";
import { address, change, go } from "../data/route";
import type { Count } from "../data/types";
import { FittedName, Search, Share } from "../ui/parts";
import { VirtualList } from "../ui/virtual";

const ROW = 34;
/** So many callers and callees are drawn. */
const DRAWN = 9;

interface Call {
    caller: number;
    callee: number | null;
    calls: Count;
    through: Count;
    doubt: boolean;
}

export function CallsView({ parameters }: { parameters: URLSearchParams }) {
    const report = useReport();
    const all = useMemo<Call[]>(
        () =>
            report.index.calls.edges
                .map(([caller, callee, calls, through, doubt]) => ({
                    caller,
                    callee,
                    calls,
                    through,
                    doubt,
                }))
                .sort((one, other) => near(other.calls) - near(one.calls)),
        [report],
    );
    const query = parameters.get("q") ?? "";
    const key = parameters.get("f") ?? "";
    const focus = focusOf(report, key);
    const total = useMemo(() => all.reduce((sum, { calls }) => sum + near(calls), 0), [all]);
    const system = parameters.has("system");
    const found = useMemo(() => {
        const words = query.toLowerCase().split(/\s+/).filter(Boolean);
        return all.filter(({ caller, callee }) => {
            if (focus !== undefined && caller !== focus && callee !== focus) return false;
            const text = `${report.short(caller)} ${report.callee(callee)}`.toLowerCase();
            return words.every((word) => text.includes(word));
        });
    }, [all, query, focus]);
    // Of one function all calls are shown.
    const rows = useMemo(
        () =>
            system || focus !== undefined
                ? found
                : found.filter(({ caller }) => !report.isSystem(caller)),
        [found, system, focus],
    );
    const hidden = found.length - rows.length;
    return (
        <div class="page fill">
            <h1 class={focus === undefined ? "unseen" : ""}>
                {focus === undefined ? "Calls" : `Calls of ${report.callee(focus)}`}
            </h1>
            <div class="toolbar">
                <Search
                    label="Search callers and callees"
                    value={query}
                    onInput={(text) => change({ q: text })}
                />
                {focus !== undefined ? (
                    <button type="button" onClick={() => change({ f: null })}>
                        all calls
                    </button>
                ) : null}
                {hidden > 0 || (system && focus === undefined) ? (
                    <label data-tip="Show calls from functions of system headers, too">
                        <input
                            type="checkbox"
                            checked={system}
                            onChange={() => change({ system: system ? null : 1 })}
                        />{" "}
                        system headers
                        {hidden > 0 ? ` (${digits(hidden)} hidden)` : ""}
                    </label>
                ) : null}
                <span class="soft" role="status">
                    {digits(rows.length)} of {digits(all.length)}
                </span>
            </div>
            <Around calls={all} focus={focus ?? busiest(all, (of) => !report.isSystem(of))} />
            <div class="grid calls" role="table" aria-label="Calls" aria-rowcount={rows.length + 1}>
                <div class="grid-head" role="rowgroup">
                    <div class="grid-row" role="row">
                        {["Calls", "Share of calls", "Through pointers", "Caller", "Callee"].map(
                            (title) => (
                                <div role="columnheader">{title}</div>
                            ),
                        )}
                    </div>
                </div>
                <VirtualList
                    role="rowgroup"
                    label="Calls"
                    count={rows.length}
                    height={ROW}
                    row={(at) => <CallRow key={at} call={rows[at]!} at={at} total={total} />}
                />
            </div>
            {rows.length === 0 ? <p class="empty">No call matches.</p> : null}
        </div>
    );
}

/** The function, or the other callee, that an address names. */
function focusOf(report: Report, key: string): number | undefined {
    if (key === "") return undefined;
    return /^-\d+$/.test(key) ? Number(key) : report.number(key);
}

/** How an address names a function or another callee. */
function keyOf(report: Report, number: number): string {
    return number < 0 ? String(number) : report.key(number);
}

/** The function with the most different callees among those called most. */
function busiest(calls: Call[], isChosen: (caller: number) => boolean): number | undefined {
    const sums = new Map<number, number>();
    for (const { caller, calls: count } of calls.filter(({ caller }) => isChosen(caller)))
        sums.set(caller, (sums.get(caller) ?? 0) + Math.log2(1 + near(count)));
    let best: number | undefined;
    for (const [caller, sum] of sums)
        if (best === undefined || sum > sums.get(best)!) best = caller;
    return best;
}

function CallRow({ call, at, total }: { call: Call; at: number; total: number }) {
    const report = useReport();
    const { caller, callee } = call;
    const through = near(call.through);
    return (
        <div class="grid-row" role="row" aria-rowindex={at + 2}>
            <div role="cell" class="number">
                {call.doubt ? "~" : ""}
                {digits(call.calls)}
            </div>
            <div role="cell">
                <Share part={near(call.calls)} whole={total} />
            </div>
            <div role="cell" class="number">
                {through > 0 ? digits(call.through) : "–"}
            </div>
            <div role="cell" class="cell-name">
                <a data-row href={report.link(caller)} data-tip={tip(report, caller)}>
                    <FittedName name={report.short(caller)} />
                </a>
                <ImageOf number={caller} />
            </div>
            <div role="cell" class="cell-name">
                {callee !== null && callee >= 0 ? (
                    <>
                        <a href={report.link(callee)} data-tip={tip(report, callee)}>
                            <FittedName name={report.short(callee)} />
                        </a>
                        <ImageOf number={callee} />
                    </>
                ) : callee === null ? (
                    <span class="soft">{report.callee(callee)}</span>
                ) : (
                    <span data-tip={report.callee(callee)}>
                        <FittedName name={withoutParameters(report.callee(callee))} />
                    </span>
                )}
            </div>
        </div>
    );
}

interface Neighbour {
    number: number | null;
    calls: number;
    rest?: number;
}

/** The whole name of a function, and where it is. */
const tip = (report: Report, number: number) =>
    [report.index.functions.name[number], report.place(number)].filter(Boolean).join("\n");

/** The image of a function, if there are several. */
function ImageOf({ number }: { number: number }) {
    const image = useReport().image(number);
    return image ? <small>{image}</small> : null;
}

/** So high is a box of the graph, with what is between it and the next one. */
const STEP = 30;

/** How wide the box in the middle is. */
const MIDDLE = 250;

/** The callers of a function at its left, its callees at its right. */
function Around({ calls, focus }: { calls: Call[]; focus: number | undefined }) {
    const report = useReport();
    const element = useRef<HTMLDivElement>(null);
    const [width, setWidth] = useState(1200);
    useLayoutEffect(() => {
        const observer = new ResizeObserver(([entry]) => {
            if (entry) setWidth(Math.max(700, Math.floor(entry.contentRect.width)));
        });
        if (element.current) observer.observe(element.current);
        return () => observer.disconnect();
    }, [focus === undefined]);
    if (focus === undefined) return null;
    const gather = (list: Neighbour[]): Neighbour[] => {
        const rest = list.slice(DRAWN);
        if (rest.length < 2) return list;
        const sum = rest.reduce((all, { calls }) => all + calls, 0);
        return [...list.slice(0, DRAWN), { number: null, calls: sum, rest: rest.length }];
    };
    const callers = gather(
        calls
            .filter(({ callee }) => callee === focus)
            .map(({ caller, calls }) => ({ number: caller, calls: near(calls) })),
    );
    const callees = gather(
        calls
            .filter(({ caller }) => caller === focus)
            .map(({ callee, calls }) => ({ number: callee, calls: near(calls) })),
    );
    const height = Math.max(callers.length, callees.length, 2) * STEP + 8;
    const middle = height / 2;
    const box = Math.min(400, (width - MIDDLE - 180) / 2);
    const [left, right] = [(width - MIDDLE) / 2, (width + MIDDLE) / 2];
    const most = Math.max(1, ...[...callers, ...callees].map(({ calls }) => calls));
    const named = (number: number | null) => {
        const name = withoutParameters(report.callee(number));
        const image = number !== null && number >= 0 ? report.image(number) : "";
        return image ? `${name} in ${image}` : name;
    };
    /** A name with its image, if there is room for both. */
    const fit = (number: number | null, room: number) => {
        const name = named(number);
        const own = withoutParameters(report.callee(number));
        return name.length <= room ? name : fitted(own, room);
    };
    const side = (list: Neighbour[], isLeft: boolean) => {
        const sum = list.reduce((all, { calls }) => all + calls, 0);
        return list.map((one, at) => {
            const y = middle + (at - (list.length - 1) / 2) * STEP;
            const start = isLeft ? left - 90 - box : right + 90;
            const [x1, x2] = isLeft ? [start + box, left] : [right, start];
            const name = one.rest ? `${digits(one.rest)} others` : named(one.number);
            const tip = `${isLeft ? `${name} calls ${named(focus)}` : `${named(focus)} calls ${name}`}\n${digits(one.calls)} times, ${percent(one.calls, sum)}`;
            const bend = (x1 + x2) / 2;
            const count = brief(one.calls);
            const room = Math.floor((box - 30 - 7.5 * count.length) / 7.4);
            const short = one.rest ? name : fit(one.number, room);
            const [from, to] = isLeft ? [y, middle] : [middle, y];
            const node = (
                <g class="call-node" data-tip={tip}>
                    <rect x={start} y={y - 12} width={box} height={24} rx={6} />
                    <text class="call-name" x={start + 10} y={y + 4}>
                        {short}
                    </text>{" "}
                    <text class="call-count" x={start + box - 10} y={y + 4}>
                        {count}
                    </text>
                </g>
            );
            return (
                <g>
                    <path
                        class="call-edge"
                        d={`M${x1} ${from}C${bend} ${from} ${bend} ${to} ${x2} ${to}`}
                        stroke-width={(1 + 7 * Math.sqrt(one.calls / most)).toFixed(1)}
                    />
                    {one.number === null ? (
                        node
                    ) : (
                        <a
                            href={address("calls", "", { f: keyOf(report, one.number) })}
                            aria-label={`${short} ${count}: ${tip.replace("\n", ", ")}`}
                        >
                            {node}
                        </a>
                    )}
                </g>
            );
        });
    };
    const open = () => focus >= 0 && go(report.link(focus));
    const shown = fit(focus, 30);
    return (
        <div
            ref={element}
            class="call-graph"
            tabIndex={0}
            role="group"
            aria-label="Callers and callees"
        >
            <svg width={width} height={height}>
                {side(callers, true)}
                {side(callees, false)}
                <g
                    class="call-node focus"
                    role="button"
                    tabindex={0}
                    aria-label={`${shown}: ${report.callee(focus)}`}
                    data-tip={report.callee(focus)}
                    onClick={open}
                    onKeyDown={(event) => event.key === "Enter" && open()}
                >
                    <rect x={left} y={middle - 18} width={MIDDLE} height={36} rx={8} />
                    <text x={width / 2} y={middle + 5} text-anchor="middle">
                        {shown}
                    </text>
                </g>
            </svg>
        </div>
    );
}
