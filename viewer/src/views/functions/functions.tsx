// The table of functions: searched, sorted, filtered by file; only the rows that are seen are made.

import { useMemo } from "preact/hooks";

import { type Report, useReport } from "../../data/report";
import { brief, digits, near, percent } from "../../ui/numbers";
import { FittedName, Search, Share, SystemHeaders } from "../../ui/parts";
import { change } from "../../ui/route";
import { type Column, Table, orderOf, sorted } from "../../ui/table";

const ROW = 40;

/** Why it is not known what a function executed. */
const OF_CALLS = "not known: only its calls are counted";

interface Choice {
    query: string;
    file: string;
    show: string;
    opcodes: string;
    /** Functions of system headers, too. */
    system: boolean;
}

function choice(parameters: URLSearchParams): Choice {
    return {
        query: parameters.get("q") ?? "",
        file: parameters.get("file") ?? "",
        show: parameters.get("show") ?? "",
        opcodes: parameters.get("opcodes") ?? "",
        system: parameters.has("system"),
    };
}

/** The functions that are shown, and how many of system headers are not. */
function select(report: Report, choice: Choice): { rows: number[]; hidden: number } {
    const { query, file, show, system } = choice;
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
    return { rows: numbers, hidden };
}

/** The columns of the table, in which the share of these opcodes is shown. */
function columnsOf(report: Report, opcodes: string): Column<number>[] {
    const { functions } = report.index;
    const isKnown = (number: number) => !report.isOfCalls(number);
    const share = (number: number) => {
        const of = report.mix(number).find(({ name }) => name === opcodes);
        return of ? of.count / Math.max(1, near(functions.executed[number])) : 0;
    };
    return [
        {
            key: "name",
            title: "Function",
            tip: "Name and place",
            className: "cell-name",
            value: (number) => report.short(number).toLowerCase(),
            startsUp: true,
            cell: (number) => (
                <>
                    <a data-row href={report.link(number)} data-tip={functions.name[number]}>
                        <FittedName name={report.short(number)} />
                    </a>
                    <small>{report.place(number)}</small>
                </>
            ),
        },
        {
            key: "executed",
            title: "Instructions",
            tip: "Executed LLVM instructions, without those of callees",
            isNumber: true,
            value: (number) => near(functions.executed[number]),
            cell: (number) =>
                isKnown(number) ? (
                    digits(functions.executed[number])
                ) : (
                    <span data-tip={OF_CALLS}>–</span>
                ),
        },
        {
            key: "share",
            title: "Share",
            tip: "Part of all executed instructions of counted code",
            value: (number) => near(functions.executed[number]),
            cell: (number) =>
                isKnown(number) ? (
                    <Share part={near(functions.executed[number])} whole={report.executed} />
                ) : (
                    "–"
                ),
        },
        {
            key: "entries",
            title: "Entries",
            tip: "How often the function was entered",
            isNumber: true,
            value: (number) => near(functions.entries[number]),
            cell: (number) => digits(functions.entries[number]),
        },
        {
            key: "paths",
            title: "Paths",
            tip: "Different paths that were executed to their end, of those that are possible",
            isNumber: true,
            value: (number) => near(functions.executed_paths[number]),
            cell: (number) =>
                functions.counting[number] === "paths" ? (
                    <span data-tip={tipOfPaths(report, number)}>
                        {digits(functions.executed_paths[number])}
                        <span class="soft"> / {brief(functions.possible_paths[number])}</span>
                    </span>
                ) : (
                    "–"
                ),
        },
        {
            key: "bias",
            title: "Bias",
            tip: "How often branches went the way that they mostly went: 50 % is a coin, 100 % always the same",
            isNumber: true,
            value: (number) => functions.bias[number] ?? -1,
            cell: (number) => {
                const bias = functions.bias[number];
                return bias == null ? "–" : percent(bias, 1);
            },
        },
        {
            key: "mix",
            title: "Opcodes by class",
            tip: "What the executed instructions were",
            value: (number) => (opcodes ? share(number) : (report.mix(number)[0]?.name ?? "")),
            cell: (number) => (isKnown(number) ? <Mix number={number} opcodes={opcodes} /> : "–"),
        },
    ];
}

export function FunctionsView({ parameters }: { parameters: URLSearchParams }) {
    const report = useReport();
    const { functions } = report.index;
    const chosen = choice(parameters);
    const columns = useMemo(() => columnsOf(report, chosen.opcodes), [report, chosen.opcodes]);
    const order = orderOf(parameters, columns, "executed");
    const { rows, hidden } = useMemo(() => {
        const { rows, hidden } = select(report, chosen);
        return { rows: sorted(rows, columns, order), hidden };
    }, [report, parameters.toString()]);
    const files = useMemo(() => {
        const used = new Set(report.index.functions.file);
        return report.index.files
            .map((file, number) => ({ name: file.name, number }))
            .filter(({ number }) => used.has(number))
            .sort((one, other) => (one.name < other.name ? -1 : 1));
    }, [report]);
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
                    <SystemHeaders
                        isOn={chosen.system}
                        hidden={hidden}
                        tip="Show functions of system headers, too"
                    />
                ) : null}
                <span class="soft" role="status">
                    {digits(rows.length)} of {digits(report.count)}
                </span>
            </div>
            <Table
                label="Functions"
                className="functions"
                columns={columns}
                rows={rows}
                order={order}
                rowHeight={ROW}
                linkOf={(number) => report.link(number)}
                instead={(number) => {
                    const skipped = functions.skipped[number];
                    return skipped == null ? null : `not counted: ${skipped}`;
                }}
            />
            {rows.length === 0 ? <p class="empty">No function matches.</p> : null}
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
