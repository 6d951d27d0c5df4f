// The table of functions: searched, sorted, filtered by file; only the rows that are seen are made.

import { useMemo } from "preact/hooks";

import { type Report, useReport } from "../../data/report";
import { brief, digits, near, percent } from "../../ui/numbers";
import { FittedName, Search, Share } from "../../ui/parts";
import { change, go } from "../../ui/route";
import { VirtualList } from "../../ui/virtual";

const ROW = 40;

/** Why it is not known what a function executed. */
const OF_CALLS = "not known: only its calls are counted";

interface Column {
    key: string;
    title: string;
    tip: string;
    value: (report: Report, number: number) => number | string;
}

const COLUMNS: Column[] = [
    {
        key: "name",
        title: "Function",
        tip: "Name and place",
        value: (report, number) => report.short(number).toLowerCase(),
    },
    {
        key: "executed",
        title: "Instructions",
        tip: "Executed LLVM instructions, without those of callees",
        value: (report, number) => near(report.index.functions.executed[number]),
    },
    {
        key: "share",
        title: "Share",
        tip: "Part of all executed instructions of counted code",
        value: (report, number) => near(report.index.functions.executed[number]),
    },
    {
        key: "entries",
        title: "Entries",
        tip: "How often the function was entered",
        value: (report, number) => near(report.index.functions.entries[number]),
    },
    {
        key: "paths",
        title: "Paths",
        tip: "Different paths that were executed to their end, of those that are possible",
        value: (report, number) => near(report.index.functions.executed_paths[number]),
    },
    {
        key: "bias",
        title: "Bias",
        tip: "How often branches went the way that they mostly went: 50 % is a coin, 100 % always the same",
        value: (report, number) => report.index.functions.bias[number] ?? -1,
    },
    {
        key: "mix",
        title: "Opcodes by class",
        tip: "What the executed instructions were",
        value: (report, number) => report.mix(number)[0]?.name ?? "",
    },
];

interface Choice {
    query: string;
    file: string;
    show: string;
    opcodes: string;
    /** Functions of system headers, too. */
    system: boolean;
    sort: string;
    down: boolean;
}

function choice(parameters: URLSearchParams): Choice {
    const sort = parameters.get("sort") ?? "executed";
    return {
        query: parameters.get("q") ?? "",
        file: parameters.get("file") ?? "",
        show: parameters.get("show") ?? "",
        opcodes: parameters.get("opcodes") ?? "",
        system: parameters.has("system"),
        sort,
        down: parameters.has("up") ? false : true,
    };
}

/** The functions that are shown, in order. */
function select(report: Report, choice: Choice): { rows: number[]; hidden: number } {
    const { query, file, show, opcodes, system, sort, down } = choice;
    let hidden = 0;
    const { functions } = report.index;
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    const numbers: number[] = [];
    for (let number = 0; number < report.count; number++) {
        const isSkipped = functions.skipped[number] !== null;
        if (show === "skipped" ? !isSkipped : isSkipped) continue;
        if (show === "ran" && near(functions.entries[number]) === 0) continue;
        if (show === "limited" && functions.uncut[number] === null) continue;
        if (file !== "" && String(functions.file[number]) !== file) continue;
        const text = `${functions.name[number]} ${functions.symbol[number]}`.toLowerCase();
        if (!words.every((word) => text.includes(word))) continue;
        // Who asks for a file of the system wants to see it.
        if (!system && file === "" && report.isSystem(number)) hidden++;
        else numbers.push(number);
    }
    const column = COLUMNS.find(({ key }) => key === sort) ?? COLUMNS[1]!;
    const share = (number: number) => {
        const of = report.mix(number).find(({ name }) => name === opcodes);
        return of ? of.count / Math.max(1, near(functions.executed[number])) : 0;
    };
    const keys = numbers.map((number) =>
        column.key === "mix" && opcodes ? share(number) : column.value(report, number),
    );
    const order = numbers.map((_, at) => at);
    const way = down ? -1 : 1;
    order.sort((one, other) => {
        const [left, right] = [keys[one]!, keys[other]!];
        if (left === right) return numbers[one]! - numbers[other]!;
        return left < right ? -way : way;
    });
    return { rows: order.map((at) => numbers[at]!), hidden };
}

export function FunctionsView({ parameters }: { parameters: URLSearchParams }) {
    const report = useReport();
    const chosen = choice(parameters);
    const { rows, hidden } = useMemo(() => select(report, chosen), [report, parameters.toString()]);
    const files = useMemo(() => {
        const used = new Set(report.index.functions.file);
        return report.index.files
            .map((file, number) => ({ name: file.name, number }))
            .filter(({ number }) => used.has(number))
            .sort((one, other) => (one.name < other.name ? -1 : 1));
    }, [report]);
    const sort = (key: string) => {
        const isSame = chosen.sort === key;
        const up = isSame ? chosen.down : key === "name";
        change({ sort: key, up: up ? 1 : null });
    };
    return (
        <div class="page fill">
            <h1 class="unseen">Functions</h1>
            <div class="toolbar">
                <Search
                    label="Search functions"
                    value={chosen.query}
                    onInput={(text) => change({ q: text })}
                />
                <label>
                    File
                    <select
                        value={chosen.file}
                        onChange={(event) => change({ file: event.currentTarget.value })}
                    >
                        <option value="">all files</option>
                        {files.map(({ name, number }) => (
                            <option value={number}>{name}</option>
                        ))}
                    </select>
                </label>
                <label>
                    Show
                    <select
                        value={chosen.show}
                        onChange={(event) => change({ show: event.currentTarget.value })}
                    >
                        <option value="">all counted</option>
                        <option value="ran">those that ran</option>
                        <option value="limited">those cut at the path limit</option>
                        <option value="skipped">those not counted</option>
                    </select>
                </label>
                <label>
                    Opcodes
                    <select
                        value={chosen.opcodes}
                        onChange={(event) => change({ opcodes: event.currentTarget.value })}
                    >
                        <option value="">the commonest</option>
                        {[...report.index.classes].sort().map((name) => (
                            <option value={name}>{name}</option>
                        ))}
                    </select>
                </label>
                {hidden > 0 || chosen.system ? (
                    <label data-tip="Show functions of system headers, too">
                        <input
                            type="checkbox"
                            checked={chosen.system}
                            onChange={() => change({ system: chosen.system ? null : 1 })}
                        />{" "}
                        system headers
                        {hidden > 0 ? ` (${digits(hidden)} hidden)` : ""}
                    </label>
                ) : null}
                <span class="soft" role="status">
                    {digits(rows.length)} of {digits(report.count)}
                </span>
            </div>
            <div
                class="grid functions"
                role="table"
                aria-label="Functions"
                aria-rowcount={rows.length + 1}
            >
                <div class="grid-head" role="rowgroup">
                    <div class="grid-row" role="row">
                        {COLUMNS.map(({ key, title, tip }) => (
                            <div
                                role="columnheader"
                                aria-sort={
                                    chosen.sort === key
                                        ? chosen.down
                                            ? "descending"
                                            : "ascending"
                                        : "none"
                                }
                            >
                                <button type="button" data-tip={tip} onClick={() => sort(key)}>
                                    {title}
                                    <span aria-hidden="true">
                                        {chosen.sort === key ? (chosen.down ? " ↓" : " ↑") : ""}
                                    </span>
                                </button>
                            </div>
                        ))}
                    </div>
                </div>
                <VirtualList
                    role="rowgroup"
                    label="Functions"
                    count={rows.length}
                    height={ROW}
                    row={(at) => <Row number={rows[at]!} at={at} opcodes={chosen.opcodes} />}
                />
            </div>
            {rows.length === 0 ? <p class="empty">No function matches.</p> : null}
        </div>
    );
}

function Row({ number, at, opcodes }: { number: number; at: number; opcodes: string }) {
    const report = useReport();
    const { functions } = report.index;
    const skipped = functions.skipped[number];
    const executed = near(functions.executed[number]);
    const isKnown = !report.isOfCalls(number) && skipped === null;
    const bias = functions.bias[number];
    const link = report.link(number);
    return (
        <div
            class="grid-row"
            role="row"
            aria-rowindex={at + 2}
            key={number}
            onClick={(event) => {
                if (!(event.target as Element).closest("a") && !getSelection()?.toString())
                    go(link);
            }}
        >
            <div role="cell" class="cell-name">
                <a data-row href={link} data-tip={functions.name[number]}>
                    <FittedName name={report.short(number)} />
                </a>
                <small>{report.place(number)}</small>
            </div>
            {skipped !== null ? (
                <div role="cell" class="cell-wide soft">
                    not counted: {skipped}
                </div>
            ) : (
                <>
                    <div role="cell" class="number">
                        {isKnown ? (
                            digits(functions.executed[number])
                        ) : (
                            <span data-tip={OF_CALLS}>–</span>
                        )}
                    </div>
                    <div role="cell">
                        {isKnown ? <Share part={executed} whole={report.executed} /> : "–"}
                    </div>
                    <div role="cell" class="number">
                        {digits(functions.entries[number])}
                    </div>
                    <div role="cell" class="number">
                        {functions.counting[number] === "paths" ? (
                            <span data-tip={tipOfPaths(report, number)}>
                                {digits(functions.executed_paths[number])}
                                <span class="soft">
                                    {" "}
                                    / {brief(functions.possible_paths[number])}
                                </span>
                            </span>
                        ) : (
                            "–"
                        )}
                    </div>
                    <div role="cell" class="number">
                        {bias == null ? "–" : percent(bias, 1)}
                    </div>
                    <div role="cell">
                        {isKnown ? <Mix number={number} opcodes={opcodes} /> : "–"}
                    </div>
                </>
            )}
        </div>
    );
}

function tipOfPaths(report: Report, number: number): string {
    const { executed_paths, possible_paths, uncut } = report.index.functions;
    const text = `${digits(executed_paths[number])} of ${digits(possible_paths[number])} possible paths ran`;
    const most = uncut[number];
    return most ? `${text}\ncut at the path limit; without it there are ${most}` : text;
}

/** What the instructions were: a bar of the classes, and the commonest in words. */
function Mix({ number, opcodes }: { number: number; opcodes: string }) {
    const report = useReport();
    const mix = report.mix(number);
    const all = mix.reduce((total, { count }) => total + count, 0);
    if (all === 0) return null;
    const chosen = opcodes ? mix.filter(({ name }) => name === opcodes) : mix.slice(0, 2);
    const tip = mix.map(({ name, count }) => `${name} ${percent(count, all)}`).join("\n");
    return (
        <span class="mix" data-tip={tip}>
            <span class="mix-bar" aria-hidden="true">
                {mix.slice(0, 6).map(({ name, count }, rank) => (
                    <i
                        class={name === opcodes ? "chosen" : `rank${rank}`}
                        style={{ width: `${(100 * count) / all}%` }}
                    />
                ))}
            </span>
            <small>
                {opcodes && chosen.length === 0
                    ? "0.0 %"
                    : chosen.map(({ name, count }) => `${name} ${percent(count, all)}`).join(", ")}
            </small>
        </span>
    );
}
