// The graph pane: blocks coloured by how often they ran, edges as thick as their counts, loops with
// their headers above and the edges that close them at the side.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { PathData } from "../../data/types";
import { digits, near, plural } from "../../ui/numbers";
import { usePan } from "../../ui/pan";
import { ZoomButtons } from "../../ui/parts";
import { Details } from "./details";
import { type Graph, MOST_SHOWN, fold, isLarge } from "./fold";
import { place } from "./layout";
import type { FunctionModel } from "./model";
import { Picture } from "./picture";
import type { Selection } from "./selection";
import type { Step } from "./steps";
import { best, centred, isSeen, whole } from "./view";

/** The size of a pane that is not drawn yet. */
const WITHOUT = { width: 600, height: 400 };

/** Which part of the pane is above the details of a block. */
const ABOVE_DETAILS = 0.44;

interface Props {
    model: FunctionModel;
    selection: Selection;
    path: PathData | undefined;
    steps: Step[];
}

export function GraphPane({ model, selection, path, steps }: Props) {
    const [opened, setOpened] = useState<number[]>([]);
    const [closed, setClosed] = useState(false);
    const asked = useMemo(() => {
        const around = selection.block === null || path ? [] : neighbours(model, selection.block);
        const block = selection.block === null ? [] : [selection.block];
        return new Set([
            ...opened,
            ...(path?.blocks ?? []),
            ...block,
            ...(isLarge(model) ? around : []),
        ]);
    }, [model, opened, path, selection.block]);
    const graph = useMemo(() => fold(model, asked), [model, asked]);
    const layout = useMemo(() => place(graph), [graph]);
    const box = useRef<HTMLDivElement>(null);
    const current = selection.step === null ? null : (steps[selection.step]?.block ?? null);
    const focus = current ?? (path ? null : selection.block);
    const hasDetails = selection.block !== null && !closed;
    const size = () => {
        const { width, height } = box.current?.getBoundingClientRect() ?? WITHOUT;
        return { width, height: hasDetails ? height * ABOVE_DETAILS : height };
    };
    const {
        place: view,
        setPlace: setView,
        zoom,
        fit,
        handlers,
    } = usePan(box, { least: 0.08, size, whole: () => whole(layout, size()) });
    const placed = (blocks: number[]) =>
        [...new Set(blocks.map((block) => graph.boxes.get(block)))].flatMap((id) => {
            const at = id === undefined ? undefined : layout.nodes.get(id);
            return at ? [at] : [];
        });
    // What is seen at first, and when nothing is chosen any more: the hottest of what is shown.
    const drawn = useRef<{ model: FunctionModel; path: PathData | undefined } | null>(null);
    useLayoutEffect(() => {
        const last = drawn.current;
        drawn.current = { model, path };
        const node = focus === null ? undefined : placed([focus])[0];
        const isOther = last?.model !== model || last.path !== path;
        const blocks = path?.blocks ?? usual(model);
        const isNew = last?.model !== model || isLarge(model);
        const isAllSeen = !isNew && placed(blocks).every((node) => isSeen(node, view, size()));
        if (isOther && !isAllSeen && (isNew || path)) {
            const fitting = best(layout, placed(blocks), size(), !path);
            if (node && !isSeen(node, fitting, size())) setView(centred(node, fitting, size()));
            else setView(fitting);
        } else if (node && !isSeen(node, view, size())) setView(centred(node, view, size()));
        else if (!placed(blocks).some((node) => isSeen(node, view, size())))
            setView(best(layout, placed(blocks), size()));
    }, [model, layout, path, focus, hasDetails]);
    useEffect(() => setClosed(false), [selection.block]);
    const hidden = model.data.blocks.length - graph.boxes.size;
    return (
        <section class="pane graph" aria-labelledby="pane-graph" data-pane="graph">
            <header>
                <h2 id="pane-graph">Control flow</h2>
                <span class="soft">
                    {plural(model.data.blocks.length, "block")}
                    {hidden > 0 ? `, ${digits(hidden)} folded` : ""}
                    {isLarge(model)
                        ? asked.size > 0
                            ? ": what was chosen is shown"
                            : ": the hottest paths are shown"
                        : ""}
                </span>
                <span class="end">
                    {hidden > 0 && model.data.blocks.length <= 2 * MOST_SHOWN ? (
                        <button
                            type="button"
                            class="quiet"
                            onClick={() => setOpened(model.data.blocks.map((_, block) => block))}
                        >
                            unfold all
                        </button>
                    ) : null}
                    {opened.length > 0 ? (
                        <button type="button" class="quiet" onClick={() => setOpened([])}>
                            fold again
                        </button>
                    ) : null}
                    <ZoomButtons zoom={zoom} fit={fit} />
                </span>
            </header>
            <div
                ref={box}
                class="canvas"
                tabIndex={0}
                role="group"
                aria-label="Control-flow graph: arrows move it, plus and minus change its size"
                {...handlers}
            >
                <Picture
                    model={model}
                    graph={graph}
                    layout={layout}
                    view={view}
                    selection={selection}
                    path={path}
                    steps={steps}
                    current={current}
                    open={(blocks) => setOpened([...opened, ...blocks])}
                />
            </div>
            {selection.block !== null && hasDetails ? (
                <Details
                    model={model}
                    blocks={boxOf(graph, selection.block)}
                    selection={selection}
                    close={() => setClosed(true)}
                />
            ) : null}
        </section>
    );
}

/** The blocks that are to be seen at first: all, or those of the hottest path. */
function usual(model: FunctionModel): number[] {
    const all = model.data.blocks.map((_, block) => block);
    return isLarge(model) ? [...(model.paths([], "executed")[0]?.blocks ?? []), ...all] : all;
}

/** The blocks of the box in which a block is. */
function boxOf(graph: Graph, block: number): number[] {
    const id = graph.boxes.get(block);
    return graph.nodes.find((node) => node.id === id)?.blocks ?? [block];
}

/** The hottest blocks before and behind a block. */
function neighbours(model: FunctionModel, block: number): number[] {
    const hottest = (edges: number[], end: 0 | 1) =>
        edges
            .map((edge) => model.data.edges[edge]!)
            .sort((one, other) => near(other[2]) - near(one[2]))
            .slice(0, 6)
            .map((edge) => edge[end]);
    return [...hottest(model.into[block] ?? [], 0), ...hottest(model.out[block] ?? [], 1)];
}
