// Who called whom: a table, and a graph around one function.

import { useMemo } from "preact/hooks";

import { brief, digits, near, percent } from "../data/numbers";
import { type Report, useReport } from "../data/report";
import { address, change, go } from "../data/route";
import type { Count } from "../data/types";
import { Search, Share } from "../ui/parts";
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
    const rows = useMemo(() => {
        const words = query.toLowerCase().split(/\s+/).filter(Boolean);
        return all.filter(({ caller, callee }) => {
            if (focus !== undefined && caller !== focus && callee !== focus) return false;
            const text = `${report.short(caller)} ${report.callee(callee)}`.toLowerCase();
            return words.every((word) => text.includes(word));
        });
    }, [all, query, focus]);
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
                <span class="soft" role="status">
                    {digits(rows.length)} of {digits(all.length)}
                </span>
            </div>
            <Around calls={all} focus={focus ?? busiest(all)} />
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
function busiest(calls: Call[]): number | undefined {
    const sums = new Map<number, number>();
    for (const { caller, calls: count } of calls)
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
                <a data-row href={report.link(caller)}>
                    {report.short(caller)}
                </a>
            </div>
            <div role="cell" class="cell-name">
                {callee !== null && callee >= 0 ? (
                    <a href={report.link(callee)}>{report.short(callee)}</a>
                ) : (
                    <span class={callee === null ? "soft" : ""}>{report.callee(callee)}</span>
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

/** The callers of a function at its left, its callees at its right. */
function Around({ calls, focus }: { calls: Call[]; focus: number | undefined }) {
    const report = useReport();
    if (focus === undefined) return null;
    const gather = (list: Neighbour[]): Neighbour[] => {
        const rest = list.slice(DRAWN);
        if (rest.length === 0) return list;
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
    const rows = Math.max(callers.length, callees.length, 1);
    const [step, width, box] = [36, 900, 250];
    const height = rows * step + 16;
    const middle = height / 2;
    const most = Math.max(1, ...[...callers, ...callees].map(({ calls }) => calls));
    const y = (at: number, of: number) => middle + (at - (of - 1) / 2) * step;
    const side = (list: Neighbour[], isLeft: boolean) => {
        const sum = list.reduce((all, { calls }) => all + calls, 0);
        return list.map((one, at) => {
            const top = y(at, list.length);
            const [x1, x2] = isLeft ? [box, width / 2 - 110] : [width / 2 + 110, width - box];
            const name = one.rest ? `${one.rest} others` : report.callee(one.number);
            const tip = `${isLeft ? `${name} calls ${report.callee(focus)}` : `${report.callee(focus)} calls ${name}`}\n${digits(one.calls)} times, ${percent(one.calls, sum)}`;
            const bend = (x1 + x2) / 2;
            const short = name.length > 30 ? `${name.slice(0, 29)}…` : name;
            const from = isLeft ? top : middle;
            const to = isLeft ? middle : top;
            const node = (
                <g class="call-node" data-tip={tip}>
                    <rect
                        x={isLeft ? 0 : width - box}
                        y={top - 13}
                        width={box}
                        height={26}
                        rx={6}
                    />
                    <text x={isLeft ? 10 : width - box + 10} y={top + 4}>
                        {short}
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
                    <text
                        class="call-count"
                        x={isLeft ? x1 + 8 : x2 - 8}
                        y={top - 5}
                        text-anchor={isLeft ? "start" : "end"}
                    >
                        {brief(one.calls)}
                    </text>
                    {one.number === null ? (
                        node
                    ) : (
                        <a
                            href={address("calls", "", { f: keyOf(report, one.number) })}
                            aria-label={`${short}: ${tip.replace("\n", ", ")}`}
                        >
                            {node}
                        </a>
                    )}
                </g>
            );
        });
    };
    const open = () => focus >= 0 && go(report.link(focus));
    return (
        <div class="call-graph" tabIndex={0} role="group" aria-label="Callers and callees">
            <svg viewBox={`0 0 ${width} ${height}`} style={{ maxHeight: `${height}px` }}>
                {side(callers, true)}
                {side(callees, false)}
                <g
                    class="call-node focus"
                    role="button"
                    tabindex={0}
                    aria-label={`${report.callee(focus).slice(0, 28)}: ${report.callee(focus)}`}
                    onClick={open}
                    onKeyDown={(event) => event.key === "Enter" && open()}
                >
                    <rect x={width / 2 - 110} y={middle - 18} width={220} height={36} rx={8} />
                    <text x={width / 2} y={middle + 5} text-anchor="middle">
                        {report.callee(focus).slice(0, 28)}
                    </text>
                </g>
            </svg>
        </div>
    );
}
