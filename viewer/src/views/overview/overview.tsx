// The first page: what ran, what has to be known of the counts, and where the work was done.

import { useReport } from "../../data/report";
import type { Run, TopPath } from "../../data/types";
import { digits, near, plural, seconds, sum } from "../../ui/numbers";
import { Fact, FittedName, Remark, Share } from "../../ui/parts";
import { address } from "../../ui/route";
import { type Column, Table } from "../../ui/table";
import { WhatRan, dateOf } from "../shared/runs";
import { MARKS } from "./remarks";
import { Treemap } from "./treemap";

export function OverviewView() {
    const report = useReport();
    const { functions, runs } = report.index;
    const isUnknown = report.isAllOfCalls;
    const entered = functions.entries.filter((entries) => near(entries) > 0).length;
    return (
        <div class="page overview">
            <h1>{document.title}</h1>
            <p class="soft">
                <WhatRan />
            </p>
            <dl class="facts">
                <Fact
                    title="Executed"
                    value={isUnknown ? "–" : digits(report.index.executed)}
                    more={isUnknown ? "not known: only calls are counted" : "LLVM instructions"}
                    tip="Instructions of the compiler's intermediate code in counted functions. Shares are parts of this."
                />
                <Fact
                    title="Functions that ran"
                    value={digits(entered)}
                    more={`of ${digits(report.counted)} counted`}
                />
                <Fact
                    title="Paths that ran"
                    value={report.ofPaths > 0 ? digits(sum(functions.executed_paths)) : "–"}
                    more={
                        report.ofPaths > 0
                            ? `of ${digits(sum(functions.possible_paths))} possible`
                            : "not known: paths are not counted"
                    }
                />
                <Fact
                    title="Runs"
                    value={digits(runs.count)}
                    more={`in ${runs.processes} process${runs.processes === 1 ? "" : "es"}`}
                />
            </dl>
            <Remarks />
            <section aria-labelledby="where">
                <h2 id="where">Where the instructions were executed</h2>
                {isUnknown ? (
                    <p class="soft">
                        This is not known, as only calls are counted. <a href="#/calls">Calls</a>{" "}
                        shows which functions called which.
                    </p>
                ) : near(report.index.executed) > 0 ? (
                    <>
                        <p class="soft">
                            Each area is a function, inside its file. Choose one to see its paths.
                        </p>
                        <Treemap />
                    </>
                ) : (
                    <p class="soft">No counted function ran.</p>
                )}
            </section>
            <TopPaths />
            <Images />
        </div>
    );
}

function Remarks() {
    const report = useReport();
    const { functions, runs, files } = report.index;
    const reasons = new Map<string, number>();
    for (const reason of functions.skipped) {
        if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    const skipped = [...reasons.values()].reduce((all, count) => all + count, 0);
    const limited = functions.uncut.filter((uncut) => uncut !== null).length;
    const interrupted = functions.interrupted.some((count) => near(count) > 0);
    const own = files.filter((file) => !file.system);
    const missing = own.filter((file) => file.state === "missing").length;
    const newer = own.filter((file) => file.state === "newer").length;
    return (
        <div class="remarks">
            {Object.entries(runs.marks).map(([mark, count]) => {
                const [tone, text] = MARKS[mark] ?? ["warning", mark];
                return (
                    <Remark tone={tone}>
                        <em>{mark}</em>
                        {count > 1 ? ` (${digits(count)} of ${digits(runs.count)} runs)` : ""}:{" "}
                        {text}
                    </Remark>
                );
            })}
            {interrupted ? (
                <Remark tone="note">
                    A process was killed or still ran, or ended while other threads ran. Counts that
                    begin with ~ have no counter of their own and may be off by one for each of its
                    threads.
                </Remark>
            ) : null}
            {skipped > 0 ? (
                <Remark tone="note">
                    {plural(skipped, "function")} not counted (
                    {[...reasons].map(([reason, count]) => `${reason}: ${count}`).join(", ")}).{" "}
                    <a href={address("functions", "", { show: "skipped" })}>List them</a>
                </Remark>
            ) : null}
            {report.ofCalls > 0 ? (
                <Remark tone="note">
                    Of {plural(report.ofCalls, "function")} only calls are counted. What they
                    executed, and which of their paths and lines ran, is not known.
                </Remark>
            ) : null}
            {limited > 0 ? (
                <Remark tone="note">
                    Paths of {plural(limited, "function")} are cut at the path limit.{" "}
                    <a href={address("functions", "", { show: "limited" })}>List them</a>
                </Remark>
            ) : null}
            {missing > 0 ? (
                <Remark tone="note">
                    {plural(missing, "source file")} could not be read where the compiler had read
                    them, so the text is missing.
                </Remark>
            ) : null}
            {newer > 0 ? (
                <Remark tone="warning">
                    {plural(newer, "source file")} changed after the program was built. Lines may
                    have moved.
                </Remark>
            ) : null}
        </div>
    );
}

function TopPaths() {
    const report = useReport();
    const { top, functions } = report.index;
    if (top.length === 0) return null;
    const columns: Column<TopPath>[] = [
        {
            key: "share",
            title: "Share of instructions",
            cell: ({ executed }) => <Share part={near(executed)} whole={report.executed} />,
        },
        { key: "count", title: "Count", isNumber: true, cell: ({ count }) => digits(count) },
        {
            key: "path",
            title: "Path",
            className: "cell-path",
            cell: ({ function: of, id, rank }) => (
                <>
                    <a data-row href={report.link(of, { path: id })} data-tip={functions.name[of]}>
                        <FittedName name={`${report.short(of)}#${rank}`} />
                    </a>
                    <small class="soft">{report.place(of)}</small>
                </>
            ),
        },
        {
            key: "lines",
            title: "Its lines",
            className: "path-text",
            cell: ({ text }) => <code data-tip={text}>{text}</code>,
        },
    ];
    return (
        <section aria-labelledby="top">
            <h2 id="top">Hottest paths</h2>
            <Table label="Hottest paths" columns={columns} rows={top} />
        </section>
    );
}

const RUNS: Column<Run>[] = [
    {
        key: "command",
        title: "Command",
        cell: ({ command, count }) => (
            <>
                <code>{command}</code>
                {count > 1 ? <small> and {digits(count - 1)} more</small> : null}
            </>
        ),
    },
    { key: "pid", title: "Pid", isNumber: true, cell: ({ pid }) => pid },
    { key: "host", title: "Host", cell: ({ host }) => host },
    { key: "start", title: "Start", cell: ({ start }) => dateOf(start) },
    {
        key: "seconds",
        title: "Seconds",
        isNumber: true,
        cell: ({ duration }) => seconds(duration),
    },
    { key: "marks", title: "Marks", cell: ({ marks }) => marks.join(", ") || "–" },
    { key: "profile", title: "Profile", cell: ({ profile }) => <code>{profile}</code> },
];

function Images() {
    const report = useReport();
    const { images, runs, functions } = report.index;
    const of = (image: number) =>
        sum(functions.executed.filter((_, number) => functions.image[number] === image));
    const isUnknown = (image: number) =>
        functions.image.every(
            (other, number) =>
                other !== image || report.isOfCalls(number) || functions.skipped[number] !== null,
        );
    const all = near(sum(functions.executed));
    return (
        <section aria-labelledby="images">
            <h2 id="images">Images and runs</h2>
            <Table
                label="Images"
                columns={[
                    { key: "image", title: "Image", cell: ({ path }) => <code>{path}</code> },
                    {
                        key: "build-id",
                        title: "Build-id",
                        cell: ({ build_id }) => <code>{build_id.slice(0, 12) || "none"}</code>,
                    },
                    {
                        key: "instructions",
                        title: "Instructions",
                        isNumber: true,
                        cell: ({ executed }) => (executed === null ? "–" : digits(executed)),
                    },
                    {
                        key: "share",
                        title: "Share",
                        cell: ({ executed }) =>
                            executed === null ? "–" : <Share part={near(executed)} whole={all} />,
                    },
                ]}
                rows={images.map((image, number) => ({
                    ...image,
                    executed: isUnknown(number) ? null : of(number),
                }))}
            />
            <details>
                <summary>{plural(runs.rows.length, "record")}</summary>
                <Table label="Runs" columns={RUNS} rows={runs.rows} />
            </details>
        </section>
    );
}
