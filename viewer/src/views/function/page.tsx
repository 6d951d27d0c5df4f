// The page of a function: source, graph and paths, which follow each other.

import { useEffect, useMemo, useState } from "preact/hooks";

import { useReport } from "../../data/report";
import { readFunction } from "../../data/store";
import { isTyping, remember } from "../../ui/keys";
import { digits, near, percent } from "../../ui/numbers";
import { FittedName, Meant, Remark } from "../../ui/parts";
import { address } from "../../ui/route";
import { GraphPane } from "./graph";
import { FunctionModel } from "./model";
import { PathsPane } from "./paths";
import { choosePath, clear, selectionOf } from "./selection";
import { SourcePane } from "./source";
import { stepsOf } from "./steps";

type Pane = "source" | "graph" | "paths";

const PANES: [pane: Pane, title: string, key: string][] = [
    ["source", "Source", "s"],
    ["graph", "Control flow", "g"],
    ["paths", "Paths", "l"],
];

export function FunctionView({ name, parameters }: { name: string; parameters: URLSearchParams }) {
    const report = useReport();
    const number = report.number(name);
    const [model, setModel] = useState<FunctionModel | null | "reading">("reading");
    useEffect(() => {
        let isGone = false;
        if (number === undefined) return setModel(null);
        void readFunction(number).then((data) => {
            if (!isGone) setModel(data ? new FunctionModel(data) : null);
        });
        return () => {
            isGone = true;
        };
    }, [number]);
    if (number === undefined) {
        return (
            <div class="page">
                <h1>No such function</h1>
                <p>
                    This report has no function <code>{name}</code>.{" "}
                    <a href="#/functions">All functions</a>
                </p>
                <Meant
                    list={report.meant(name).map((number) => ({
                        link: report.link(number),
                        name: report.short(number),
                        place: report.place(number),
                    }))}
                />
            </div>
        );
    }
    return (
        <div class="page fill function">
            <Heading number={number} />
            {report.isOfCalls(number) ? (
                <Remark tone="note">
                    Only calls are counted. A question mark stands where they do not say how often a
                    block or a line ran.
                </Remark>
            ) : null}
            {model === "reading" ? (
                <p class="empty" role="status">
                    reading …
                </p>
            ) : model === null ? (
                <p class="empty">
                    Nothing is known of this function
                    {report.index.functions.skipped[number]
                        ? `: ${report.index.functions.skipped[number]}`
                        : ""}
                    .
                </p>
            ) : (
                <Panes model={model} number={number} parameters={parameters} />
            )}
        </div>
    );
}

function Heading({ number }: { number: number }) {
    const report = useReport();
    const { functions } = report.index;
    const isCalls = report.isOfCalls(number);
    const hasPaths = functions.counting[number] === "paths";
    const bias = functions.bias[number];
    const uncut = functions.uncut[number];
    return (
        <div class="function-head">
            <div class="function-name">
                <h1 data-tip={functions.name[number]}>
                    <FittedName name={report.short(number)} most={110} />
                </h1>
                <p class="soft">
                    {report.place(number)} ·{" "}
                    <a href={address("calls", "", { f: report.key(number) })}>calls</a>
                </p>
            </div>
            <dl class="facts small">
                <div data-tip="Executed LLVM instructions, without those of callees">
                    <dt>Instructions</dt>
                    <dd>
                        {isCalls ? "–" : digits(functions.executed[number])}{" "}
                        <small>
                            {isCalls
                                ? ""
                                : percent(near(functions.executed[number]), report.executed)}
                        </small>
                    </dd>
                </div>
                <div>
                    <dt>Entries</dt>
                    <dd>{digits(functions.entries[number])}</dd>
                </div>
                <div
                    data-tip={
                        !hasPaths
                            ? "not known: paths are not counted"
                            : uncut
                              ? `cut at the path limit; without it there are ${uncut}`
                              : undefined
                    }
                >
                    <dt>Paths</dt>
                    <dd>
                        {hasPaths ? digits(functions.executed_paths[number]) : "–"}{" "}
                        <small>
                            {hasPaths ? `of ${digits(functions.possible_paths[number])}` : ""}
                        </small>
                    </dd>
                </div>
                <div data-tip={isCalls ? "only of blocks with calls it is known" : undefined}>
                    <dt>Blocks</dt>
                    <dd>
                        {isCalls ? "–" : digits(functions.executed_blocks[number])}{" "}
                        <small>of {digits(functions.blocks[number])}</small>
                    </dd>
                </div>
                <div data-tip="How often branches went the way that they mostly went">
                    <dt>Bias</dt>
                    <dd>{bias == null ? "–" : percent(bias, 1)}</dd>
                </div>
            </dl>
        </div>
    );
}

function Panes({
    model,
    number,
    parameters,
}: {
    model: FunctionModel;
    number: number;
    parameters: URLSearchParams;
}) {
    const report = useReport();
    const { functions } = report.index;
    const [pane, setPane] = useState<Pane>("source");
    const selection = useMemo(() => selectionOf(parameters), [parameters.toString()]);
    const paths = useMemo(
        () => model.paths(selection.marks, selection.order),
        [model, selection.marks.join(), selection.order],
    );
    const path = useMemo(
        () => model.data.paths.find(({ id }) => id === selection.path),
        [model, selection.path],
    );
    const steps = useMemo(() => (path ? stepsOf(model, path) : []), [model, path]);
    remember(location.hash);
    useEffect(() => {
        const onKey = (event: KeyboardEvent) => {
            if (isTyping(event) || document.querySelector("dialog[open]")) return;
            const at = paths.findIndex(({ id }) => id === selection.path);
            const by = event.key === "j" ? 1 : -1;
            const shown = PANES.find(([, , key]) => key === event.key)?.[0];
            if (event.key === "j" || event.key === "k") {
                const next = paths[Math.min(paths.length - 1, Math.max(0, at < 0 ? 0 : at + by))];
                if (next) choosePath(next.id);
            } else if ((event.key === "n" || event.key === "p") && path) {
                const last = path.steps.length - 1;
                const next =
                    selection.step === null
                        ? event.key === "n"
                            ? 0
                            : last
                        : selection.step + (event.key === "n" ? 1 : -1);
                choosePath(path.id, Math.min(last, Math.max(0, next)));
            } else if (event.key === "Escape") {
                clear();
            } else if (shown) {
                setPane(shown);
                requestAnimationFrame(() =>
                    document
                        .querySelector<HTMLElement>(`[data-pane=${shown}] [tabindex="0"]`)
                        ?.focus(),
                );
            } else {
                return;
            }
            event.preventDefault();
            event.stopImmediatePropagation();
        };
        window.addEventListener("keydown", onKey, true);
        return () => window.removeEventListener("keydown", onKey, true);
    }, [paths, path, selection]);
    const props = { model, selection };
    const name = report.short(number);
    const isNarrow = { "data-shown": pane };
    return (
        <>
            <div class="pane-tabs" role="group" aria-label="Panes">
                {PANES.map(([one, title]) => (
                    <button type="button" aria-pressed={pane === one} onClick={() => setPane(one)}>
                        {title}
                    </button>
                ))}
            </div>
            <div class="panes" {...isNarrow}>
                <SourcePane
                    {...props}
                    file={functions.file[number] ?? null}
                    line={functions.line[number] ?? 0}
                    steps={steps}
                />
                <GraphPane {...props} path={path} steps={steps} />
                <PathsPane
                    {...props}
                    name={name}
                    paths={paths}
                    isCounted={functions.counting[number] === "paths"}
                />
            </div>
        </>
    );
}
