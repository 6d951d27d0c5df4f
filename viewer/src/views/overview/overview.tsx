// The first page: what ran, what has to be known of the counts, and where the work was done.

import { useReport } from "../../data/report";
import { digits, near, plural, seconds, sum } from "../../ui/numbers";
import { Fact, FittedName, Remark, Share } from "../../ui/parts";
import { address } from "../../ui/route";
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
                    A process was killed, or ended while other threads ran. Counts that begin with ~
                    have no counter of their own and may be off by one for each of its threads.
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
    return (
        <section aria-labelledby="top">
            <h2 id="top">Hottest paths</h2>
            <div class="table-scroll" tabIndex={0} role="group" aria-label="Hottest paths">
                <table class="plain">
                    <thead>
                        <tr>
                            <th scope="col">Share of instructions</th>
                            <th scope="col" class="number">
                                Count
                            </th>
                            <th scope="col">Path</th>
                            <th scope="col">Its lines</th>
                        </tr>
                    </thead>
                    <tbody>
                        {top.map((path) => (
                            <tr>
                                <td>
                                    <Share part={near(path.executed)} whole={report.executed} />
                                </td>
                                <td class="number">{digits(path.count)}</td>
                                <td class="cell-path">
                                    <a
                                        data-row
                                        href={report.link(path.function, { path: path.id })}
                                        data-tip={functions.name[path.function]}
                                    >
                                        <FittedName
                                            name={`${report.short(path.function)}#${path.rank}`}
                                        />
                                    </a>
                                    <small class="soft">{report.place(path.function)}</small>
                                </td>
                                <td class="path-text">
                                    <code data-tip={path.text}>{path.text}</code>
                                </td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
        </section>
    );
}

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
            <div class="table-scroll" tabIndex={0} role="group" aria-label="Images">
                <table class="plain">
                    <thead>
                        <tr>
                            <th scope="col">Image</th>
                            <th scope="col">Build-id</th>
                            <th scope="col" class="number">
                                Instructions
                            </th>
                            <th scope="col">Share</th>
                        </tr>
                    </thead>
                    <tbody>
                        {images.map((image, number) => (
                            <tr>
                                <td>
                                    <code>{image.path}</code>
                                </td>
                                <td>
                                    <code>{image.build_id.slice(0, 12) || "none"}</code>
                                </td>
                                <td class="number">
                                    {isUnknown(number) ? "–" : digits(of(number))}
                                </td>
                                <td>
                                    {isUnknown(number) ? (
                                        "–"
                                    ) : (
                                        <Share part={near(of(number))} whole={all} />
                                    )}
                                </td>
                            </tr>
                        ))}
                    </tbody>
                </table>
            </div>
            <details>
                <summary>{plural(runs.rows.length, "record")}</summary>
                <div class="table-scroll" tabIndex={0} role="group" aria-label="Runs">
                    <table class="plain">
                        <thead>
                            <tr>
                                <th scope="col">Command</th>
                                <th scope="col" class="number">
                                    Pid
                                </th>
                                <th scope="col">Host</th>
                                <th scope="col">Start</th>
                                <th scope="col" class="number">
                                    Seconds
                                </th>
                                <th scope="col">Marks</th>
                                <th scope="col">Profile</th>
                            </tr>
                        </thead>
                        <tbody>
                            {runs.rows.map((run) => (
                                <tr>
                                    <td>
                                        <code>{run.command}</code>
                                        {run.count > 1 ? (
                                            <small> and {digits(run.count - 1)} more</small>
                                        ) : null}
                                    </td>
                                    <td class="number">{run.pid}</td>
                                    <td>{run.host}</td>
                                    <td>{dateOf(run.start)}</td>
                                    <td class="number">{seconds(run.duration)}</td>
                                    <td>{run.marks.join(", ") || "–"}</td>
                                    <td>
                                        <code>{run.profile}</code>
                                    </td>
                                </tr>
                            ))}
                        </tbody>
                    </table>
                </div>
            </details>
        </section>
    );
}
