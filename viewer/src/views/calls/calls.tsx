// Who called whom: a table, and a graph around one function.

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { type Report, useReport } from "../../data/report";
import { fittedInto, widthOf } from "../../ui/measure";
import { fitted, withoutParameters } from "../../ui/names";
import { type Count, brief, digits, near, percent } from "../../ui/numbers";
import { FittedName, Search, Share, SystemHeaders } from "../../ui/parts";
import { address, change, go } from "../../ui/route";
import { type Column, Table } from "../../ui/table";

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
    const first = useMemo(
        () => (focus === undefined ? firstOf(report, all) : undefined),
        [report, all, focus],
    );
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
                    <SystemHeaders
                        isOn={system}
                        hidden={hidden}
                        tip="Show calls from functions of system headers, too"
                    />
                ) : null}
                <span class="soft" role="status">
                    {digits(rows.length)} of {digits(all.length)}
                </span>
            </div>
            {first ? (
                <p class="soft">
                    Around <b>{fitted(report.short(first.number), 60)}</b>, {first.why}. Choose a
                    box to see the calls around it.
                </p>
            ) : null}
            <Around calls={all} focus={focus ?? first?.number} />
            <Table
                label="Calls"
                className="calls"
                columns={tableColumns(report, total)}
                rows={rows}
                rowHeight={ROW}
            />
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

/**
 * The function that is shown at first, and why: of those with calls, the one that executed most
 * instructions; where these are not known, the one that called most often.
 */
function firstOf(report: Report, calls: Call[]): { number: number; why: string } | undefined {
    const made = new Map<number, number>();
    for (const { caller, callee, calls: count } of calls) {
        made.set(caller, (made.get(caller) ?? 0) + near(count));
        if (callee !== null && callee >= 0) made.set(callee, made.get(callee) ?? 0);
    }
    const executed = (number: number) => near(report.index.functions.executed[number]);
    const value = (number: number) =>
        report.isAllOfCalls ? (made.get(number) ?? 0) : executed(number);
    const own = [...made.keys()].filter((number) => !report.isSystem(number));
    const order = own.sort((one, other) => value(other) - value(one) || one - other);
    const why = report.isAllOfCalls
        ? "which called most often"
        : "which executed most instructions of those with calls";
    return order[0] === undefined ? undefined : { number: order[0], why };
}

function tableColumns(report: Report, total: number): Column<Call>[] {
    return [
        {
            key: "calls",
            title: "Calls",
            isNumber: true,
            cell: ({ calls, doubt }) => `${doubt ? "~" : ""}${digits(calls)}`,
        },
        {
            key: "share",
            title: "Share of calls",
            cell: ({ calls }) => <Share part={near(calls)} whole={total} />,
        },
        {
            key: "through",
            title: "Through pointers",
            isNumber: true,
            cell: ({ through }) => (near(through) > 0 ? digits(through) : "–"),
        },
        {
            key: "caller",
            title: "Caller",
            className: "cell-name",
            cell: ({ caller }) => <Called number={caller} isRow />,
        },
        {
            key: "callee",
            title: "Callee",
            className: "cell-name",
            cell: ({ callee }) =>
                callee === null ? (
                    <span class="soft">{report.callee(callee)}</span>
                ) : callee < 0 ? (
                    <span data-tip={report.callee(callee)}>
                        <FittedName name={withoutParameters(report.callee(callee))} />
                    </span>
                ) : (
                    <Called number={callee} />
                ),
        },
    ];
}

/** A function that is counted. */
function Called({ number, isRow }: { number: number; isRow?: boolean }) {
    const report = useReport();
    return (
        <>
            <a
                data-row={isRow ? true : undefined}
                href={report.link(number)}
                data-tip={tip(report, number)}
            >
                <FittedName name={report.short(number)} />
            </a>
            <WhichOf number={number} />
        </>
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

/** Where a function is, if others have its name; else its image, if there are several. */
function WhichOf({ number }: { number: number }) {
    const report = useReport();
    const text = report.isOneOfSeveral(number) ? report.place(number) : report.image(number);
    return text ? <small>{text}</small> : null;
}

/** So high is a box of the graph, with what is between it and the next one. */
const STEP = 30;

/** How wide the box in the middle is, and the space between it and each side. */
const MIDDLE = 250;
const GAP = 90;

/** A narrower graph has smaller boxes and spaces. */
const NARROW = 700;

interface Columns {
    /** How wide the box of a caller or callee is. */
    box: number;
    gap: number;
    /** Where the box in the middle begins and ends. */
    left: number;
    right: number;
}

/** The columns of a graph: callers, the function, callees. */
function columnsOf(width: number, hasCallers: boolean, hasCallees: boolean): Columns {
    if (width >= NARROW) {
        const box = Math.min(400, (width - MIDDLE - 2 * GAP) / 2);
        return { box, gap: GAP, left: (width - MIDDLE) / 2, right: (width + MIDDLE) / 2 };
    }
    // A side without boxes needs no room.
    const sides = Math.max(1, Number(hasCallers) + Number(hasCallees));
    const [middle, gap] = [Math.round(width * 0.3), Math.round(width * 0.07)];
    const box = (width - middle) / sides - gap;
    const left = hasCallers ? box + gap : 0;
    return { box, gap, left, right: left + middle };
}

/** The callers of a function at its left, its callees at its right. */
function Around({ calls, focus }: { calls: Call[]; focus: number | undefined }) {
    const report = useReport();
    const element = useRef<HTMLDivElement>(null);
    const [width, setWidth] = useState(1200);
    useLayoutEffect(() => {
        const observer = new ResizeObserver(([entry]) => {
            if (entry) setWidth(Math.max(280, Math.floor(entry.contentRect.width)));
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
    const { box, gap, left, right } = columnsOf(width, callers.length > 0, callees.length > 0);
    const most = Math.max(1, ...[...callers, ...callees].map(({ calls }) => calls));
    const named = (number: number | null) => {
        const name = withoutParameters(report.callee(number));
        const image = number !== null && number >= 0 ? report.image(number) : "";
        return image ? `${name} in ${image}` : name;
    };
    /** With its parameters, if others have its name. */
    const whole = (number: number | null, name: string) =>
        number !== null && number >= 0 && report.isOneOfSeveral(number)
            ? report.index.functions.name[number]
            : name;
    /** A name with its image, if there is room for both; with its line, if others have its name. */
    const fit = (number: number | null, room: number, size: number, weight = 400) => {
        const name = named(number);
        const own = withoutParameters(report.callee(number));
        const isOverloaded = number !== null && number >= 0 && report.isOneOfSeveral(number);
        const line = isOverloaded ? report.index.functions.line[number] : 0;
        const end = line ? `:${line}` : "";
        if (widthOf(name + end, size, weight) <= room) return name + end;
        return fittedInto(own, room - widthOf(end, size, weight), size, weight) + end;
    };
    const side = (list: Neighbour[], isLeft: boolean) => {
        const sum = list.reduce((all, { calls }) => all + calls, 0);
        return list.map((one, at) => {
            const y = middle + (at - (list.length - 1) / 2) * STEP;
            const start = isLeft ? left - gap - box : right + gap;
            const [x1, x2] = isLeft ? [start + box, left] : [right, start];
            const name = one.rest ? `${digits(one.rest)} others` : named(one.number);
            const [caller, callee] = isLeft
                ? [whole(one.number, name), whole(focus, named(focus))]
                : [whole(focus, named(focus)), whole(one.number, name)];
            const tip = `${caller} calls ${callee}\n${digits(one.calls)} times, ${percent(one.calls, sum)}`;
            const bend = (x1 + x2) / 2;
            const count = brief(one.calls);
            const room = box - 32 - widthOf(count, 11);
            const short = one.rest ? name : fit(one.number, room, 12);
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
    const shown = fit(focus, right - left - 20, 13, 650);
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
                    <rect x={left} y={middle - 18} width={right - left} height={36} rx={8} />
                    <text x={(left + right) / 2} y={middle + 5} text-anchor="middle">
                        {shown}
                    </text>
                </g>
            </svg>
        </div>
    );
}
