// What was covered: files, functions, lines, branches, paths; what was missed; what is not known.

import { useEffect, useMemo, useState } from "preact/hooks";

import { useReport } from "../../data/report";
import { readCoverage } from "../../data/store";
import type { CoverageRow, FileCoverage, Pair } from "../../data/types";
import { type Count, digits, near, percent, plural, sum } from "../../ui/numbers";
import { Plain, Remark, Search, SystemHeaders } from "../../ui/parts";
import { address, change } from "../../ui/route";
import { type Column, Table } from "../../ui/table";
import { VirtualList, one } from "../../ui/virtual";
import { WhatRan } from "../shared/runs";
import { useFile } from "../shared/text";

const KINDS = ["functions", "lines", "branches", "paths"] as const;
const ROW = 21;

export function CoverageView({ name, parameters }: { name: string; parameters: URLSearchParams }) {
    const report = useReport();
    const number = report.index.files.findIndex((file) => file.name === name);
    if (name !== "" && number >= 0)
        return <FileView key={number} file={number} parameters={parameters} />;
    return <Files parameters={parameters} />;
}

function total(rows: CoverageRow[], kind: (typeof KINDS)[number]): Pair {
    return [sum(rows.map((row) => row[kind][0])), sum(rows.map((row) => row[kind][1]))];
}

function Covered({ pair }: { pair: Pair }) {
    const [executed, all] = pair;
    if (near(all) === 0) return <span class="soft">–</span>;
    const isWhole = String(executed) === String(all);
    return (
        <span class="covered">
            <span class={`cover-track ${isWhole ? "whole" : ""}`} aria-hidden="true">
                <span style={{ width: `${(100 * near(executed)) / near(all)}%` }} />
            </span>
            <span class="number">{percent(near(executed), near(all))}</span>
            <small class="number">
                {digits(executed)} / {digits(all)}
            </small>
        </span>
    );
}

function Files({ parameters }: { parameters: URLSearchParams }) {
    const report = useReport();
    const { index } = report;
    const query = (parameters.get("q") ?? "").toLowerCase();
    const [system, made] = [parameters.has("system"), parameters.has("made")];
    const rows = useMemo(() => {
        const name = (row: CoverageRow) =>
            row.file === null ? "" : (index.files[row.file]?.name ?? "");
        const isShown = (row: CoverageRow) => {
            if (row.made) return made;
            const isSystem = row.file !== null && index.files[row.file]?.system;
            return (system || !isSystem) && name(row).toLowerCase().includes(query);
        };
        return index.coverage
            .filter(isShown)
            .sort((one, other) => (name(one) < name(other) ? -1 : 1));
    }, [index, query, system, made]);
    const unknown = rows.reduce((all, row) => all + row.unknown, 0);
    const counted = index.functions.counting.some(
        (counting) => counting !== "calls" && counting !== "nothing",
    );
    return (
        <div class="page">
            <h1>Coverage</h1>
            <p class="soft">
                Covered by <WhatRan />. <code>pathprof coverage</code> covers all starts of a
                program, and <code>pathprof html --all</code> writes a page of them.
            </p>
            {!index.early ? (
                <Remark tone="note">
                    {index.stage === "mixed" ? "Some units were" : "The program was"} counted after
                    optimisation, when lines and branches of the source may be gone. Compile with{" "}
                    <code>-fpath-stage=early</code> for coverage.
                </Remark>
            ) : null}
            {!counted ? (
                <Remark tone="note">Only calls are counted, so lines are not known.</Remark>
            ) : null}
            <dl class="facts">
                {KINDS.map((kind) => {
                    const [executed, all] = total(rows, kind);
                    return (
                        <div class="fact">
                            <dt>{kind}</dt>
                            <dd>
                                <strong>{percent(near(executed), near(all))}</strong>
                                <small>
                                    {near(all) > 0
                                        ? `${digits(executed)} of ${digits(all)}`
                                        : !counted || (kind === "paths" && report.ofPaths === 0)
                                          ? "not known"
                                          : "none"}
                                </small>
                            </dd>
                        </div>
                    );
                })}
                <div
                    class="fact"
                    data-tip="Functions that could not be counted. They are in no other number here."
                >
                    <dt>unknown</dt>
                    <dd>
                        <strong>{digits(unknown)}</strong>
                        <small>function{unknown === 1 ? "" : "s"} not counted</small>
                    </dd>
                </div>
            </dl>
            <div class="toolbar">
                <Search
                    label="Search files"
                    value={parameters.get("q") ?? ""}
                    onInput={(text) => change({ q: text })}
                />
                <SystemHeaders isOn={system} />
                <label>
                    <input
                        type="checkbox"
                        checked={made}
                        onChange={() => change({ made: made ? null : 1 })}
                    />{" "}
                    what the compiler made
                </label>
            </div>
            <Table
                label="Coverage by file"
                className="coverage-table"
                columns={COLUMNS}
                rows={rows}
            />
        </div>
    );
}

const COLUMNS: Column<CoverageRow>[] = [
    { key: "file", title: "File", cell: (row) => <FileName row={row} /> },
    ...KINDS.map((kind) => ({
        key: kind,
        title: kind,
        cell: (row: CoverageRow) => <Covered pair={row[kind]} />,
    })),
    {
        key: "unknown",
        title: "unknown",
        isNumber: true,
        cell: ({ unknown }) => (unknown > 0 ? `? ${unknown}` : "–"),
    },
];

function FileName({ row }: { row: CoverageRow }) {
    const { index } = useReport();
    if (row.made) return <i>made by the compiler</i>;
    if (row.file === null) return <i>no debug information</i>;
    const file = index.files[row.file];
    return (
        <a data-row href={address("coverage", file?.name ?? "")} data-tip={file?.path}>
            {file?.name}
        </a>
    );
}

interface FileLine {
    line: number;
    count: Count | undefined;
    ways: [taken: number, all: number, unknown: number] | undefined;
    isUnknown: boolean;
}

function FileView({ file, parameters }: { file: number; parameters: URLSearchParams }) {
    const report = useReport();
    const entry = report.index.files[file]!;
    const [data, setData] = useState<FileCoverage | null>(null);
    useEffect(() => void readCoverage(file).then(setData), [file]);
    const last = Math.max(entry.lines, ...(data?.lines.map(([line]) => line) ?? [0]));
    const lines = useMemo(() => (data ? linesOf(data, last) : []), [data, last]);
    const text = useFile(file, entry.lines);
    const missed = data?.functions.filter(([, , entries]) => near(entries) === 0) ?? [];
    const gaps = lines.filter(({ count }) => count !== undefined && near(count) === 0);
    const at = Number(parameters.get("line") ?? "0");
    const next = (by: number) => {
        const found =
            by > 0 ? gaps.find(({ line }) => line > at) : gaps.findLast(({ line }) => line < at);
        const target = found ?? (by > 0 ? gaps[0] : gaps.at(-1));
        if (target) change({ line: target.line });
    };
    const row = report.index.coverage.find((row) => row.file === file && !row.made);
    return (
        <div class="page fill">
            <h1>
                <a href="#/coverage">Coverage</a> <span class="soft">/</span> {entry.name}
            </h1>
            <dl class="facts small">
                {KINDS.map((kind) => (
                    <div>
                        <dt>{kind}</dt>
                        <dd>{row ? <Covered pair={row[kind]} /> : "–"}</dd>
                    </div>
                ))}
            </dl>
            <div class="toolbar">
                <button type="button" onClick={() => next(-1)}>
                    ↑ missed line
                </button>
                <button type="button" onClick={() => next(1)}>
                    ↓ missed line
                </button>
                <span class="soft" role="status">
                    {plural(gaps.length, "line")} missed
                </span>
                {missed.length > 0 ? (
                    <details class="missed">
                        <summary>{plural(missed.length, "function")} not entered</summary>
                        <ul>
                            {missed.map(([line, name]) => (
                                <li>
                                    <button
                                        type="button"
                                        class="link"
                                        onClick={() => change({ line })}
                                    >
                                        {nameOf(report.index.functions, name)}
                                    </button>
                                </li>
                            ))}
                        </ul>
                    </details>
                ) : null}
            </div>
            <section class="pane source" aria-label={entry.name}>
                <VirtualList
                    label={entry.name}
                    count={last}
                    height={ROW}
                    show={at > 0 ? one(at - 1) : null}
                    row={(index) => {
                        const of = lines[index];
                        return (
                            <CoveredLine
                                key={index}
                                line={index + 1}
                                of={of}
                                isCurrent={index + 1 === at}
                                text={text(file, index + 1)}
                            />
                        );
                    }}
                />
            </section>
        </div>
    );
}

function nameOf(functions: { symbol: string[]; name: string[] }, symbol: string): string {
    return functions.name[functions.symbol.indexOf(symbol)] ?? symbol;
}

function linesOf(data: FileCoverage, last: number): FileLine[] {
    const lines: FileLine[] = Array.from({ length: last }, (_, at) => ({
        line: at + 1,
        count: undefined,
        ways: undefined,
        isUnknown: false,
    }));
    for (const [line, count] of data.lines) if (lines[line - 1]) lines[line - 1]!.count = count;
    for (const line of data.unknown) if (lines[line - 1]) lines[line - 1]!.isUnknown = true;
    for (const [line, , ways] of data.branches) {
        const of = lines[line - 1];
        if (!of) continue;
        const [taken, all, unknown] = of.ways ?? [0, 0, 0];
        of.ways = [
            taken + ways.filter(([, count]) => near(count) > 0).length,
            all + ways.filter(([, count]) => count !== null).length,
            unknown + ways.filter(([, count]) => count === null).length,
        ];
    }
    return lines;
}

function CoveredLine(props: {
    line: number;
    of: FileLine | undefined;
    isCurrent: boolean;
    text: { text: string; tokens: { from: number; to: number; kind: string }[] } | undefined;
}) {
    const { line, of, isCurrent, text } = props;
    const count = of?.count;
    const state = of?.isUnknown
        ? "unknown"
        : count === undefined
          ? "bare"
          : near(count) > 0
            ? "ran"
            : "missed";
    const [taken, all, unknown] = of?.ways ?? [0, 0, 0];
    const isPart = all > 0 && taken < all && state === "ran";
    const pieces = [];
    let at = 0;
    for (const token of text?.tokens ?? []) {
        if (token.from > at) pieces.push(<Plain text={text!.text.slice(at, token.from)} />);
        pieces.push(
            <span class={token.kind}>
                <Plain text={text!.text.slice(token.from, token.to)} />
            </span>,
        );
        at = token.to;
    }
    if (text && at < text.text.length) pieces.push(<Plain text={text.text.slice(at)} />);
    return (
        <div
            class={`line cover-${state} ${isPart ? "cover-part" : ""} ${isCurrent ? "current" : ""}`}
        >
            <span
                class="line-count"
                data-tip={
                    count === undefined ? undefined : `line ${line} ran ${digits(count)} times`
                }
            >
                {state === "unknown"
                    ? "?"
                    : count === undefined
                      ? ""
                      : near(count) === 0
                        ? "✗ 0"
                        : digits(count)}
            </span>
            <span
                class="line-ways"
                data-tip={
                    all + unknown > 0
                        ? `${taken} of ${plural(all, "way")} on were taken${unknown ? `, ${unknown} unknown` : ""}`
                        : undefined
                }
            >
                {all + unknown > 0 ? `${taken}/${all}${unknown ? "?" : ""}` : ""}
            </span>
            <span class="line-number">{line}</span>
            <code class="line-code">{pieces}</code>
        </div>
    );
}
