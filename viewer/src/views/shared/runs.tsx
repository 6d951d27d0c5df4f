// Which runs a page counts, in words.

import { useReport } from "../../data/report";
import { plural, seconds } from "../../ui/numbers";

/** Which runs the page counts. */
export function WhatRan() {
    const { runs } = useReport().index;
    return runs.count === 1 && runs.rows[0] ? (
        <>
            <code>{runs.rows[0].command}</code> on {runs.rows[0].host || "an unknown host"},{" "}
            {dateOf(runs.first)}, {seconds(runs.duration)} s
        </>
    ) : (
        <>
            {plural(runs.count, "run")} on {runs.hosts.join(", ")}, from {dateOf(runs.first)} to{" "}
            {dateOf(runs.last)}
        </>
    );
}

/** A time of the world, to the second. */
export function dateOf(milliseconds: number): string {
    if (!milliseconds) return "an unknown time";
    return new Date(milliseconds).toISOString().replace("T", " ").slice(0, 19) + " UTC";
}
