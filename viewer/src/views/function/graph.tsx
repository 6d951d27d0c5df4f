// The graph pane: blocks coloured by how often they ran, edges as thick as their counts, loops with
// their headers above and the edges that close them at the side.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { PathData } from "../../data/types";
import { digits, near, plural } from "../../ui/numbers";
import { Details } from "./details";
import { type Graph, MOST_SHOWN, fold, isLarge } from "./fold";
import { place } from "./layout";
import type { FunctionModel } from "./model";
import { Picture } from "./picture";
import type { Selection } from "./selection";
import type { Step } from "./steps";
import { type View, best, centred, isSeen, whole } from "./view";

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
    const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
    const current = selection.step === null ? null : (steps[selection.step]?.block ?? null);
    const focus = current ?? (path ? null : selection.block);
    const hasDetails = selection.block !== null && !closed;
    const size = () => {
        const { width, height } = box.current?.getBoundingClientRect() ?? WITHOUT;
        return { width, height: hasDetails ? height * ABOVE_DETAILS : height };
    };
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
    const zoom = (by: number, at?: { x: number; y: number }) => {
        const { width, height } = size();
        const centre = at ?? { x: width / 2, y: height / 2 };
        setView((last) => {
            const scale = Math.max(0.08, Math.min(2.5, last.scale * by));
            const grown = scale / last.scale;
            return {
                scale,
                x: centre.x - (centre.x - last.x) * grown,
                y: centre.y - (centre.y - last.y) * grown,
            };
        });
    };
    useWheel(box, zoom, setView);
    const drag = useDrag(setView);
    const onKeyDown = (event: KeyboardEvent) => {
        const moves: Record<string, [number, number]> = {
            ArrowLeft: [60, 0],
            ArrowRight: [-60, 0],
            ArrowUp: [0, 60],
            ArrowDown: [0, -60],
        };
        const move = moves[event.key];
        if (move) setView((last) => ({ ...last, x: last.x + move[0], y: last.y + move[1] }));
        else if (event.key === "+" || event.key === "=") zoom(1.25);
        else if (event.key === "-") zoom(0.8);
        else if (event.key === "0") setView(whole(layout, size()));
        else return;
        event.preventDefault();
    };
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
                    <button type="button" onClick={() => zoom(0.8)} aria-label="smaller">
                        −
                    </button>
                    <button type="button" onClick={() => zoom(1.25)} aria-label="larger">
                        +
                    </button>
                    <button
                        type="button"
                        onClick={() => setView(whole(layout, size()))}
                        aria-label="all of it"
                    >
                        ⤢
                    </button>
                </span>
            </header>
            <div
                ref={box}
                class="canvas"
                tabIndex={0}
                role="group"
                aria-label="Control-flow graph: arrows move it, plus and minus change its size"
                onKeyDown={onKeyDown}
                {...drag}
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

type SetView = (change: (last: View) => View) => void;

/** The wheel moves; with Ctrl, or by two fingers, it changes the size. */
function useWheel(
    box: { current: HTMLDivElement | null },
    zoom: (by: number, at: { x: number; y: number }) => void,
    setView: SetView,
) {
    useEffect(() => {
        const element = box.current;
        const onWheel = (event: WheelEvent) => {
            event.preventDefault();
            const own = element!.getBoundingClientRect();
            const at = { x: event.clientX - own.left, y: event.clientY - own.top };
            if (event.ctrlKey) zoom(Math.exp(-event.deltaY / 200), at);
            else
                setView((last) => ({
                    ...last,
                    x: last.x - event.deltaX,
                    y: last.y - event.deltaY,
                }));
        };
        element?.addEventListener("wheel", onWheel, { passive: false });
        return () => element?.removeEventListener("wheel", onWheel);
    });
}

/** The pointer drags the picture, unless it presses a node. */
function useDrag(setView: SetView) {
    const last = useRef<{ x: number; y: number } | null>(null);
    return {
        onPointerDown: (event: PointerEvent) => {
            if (event.button === 0 && !(event.target as Element).closest("[role=button]")) {
                last.current = { x: event.clientX, y: event.clientY };
            }
        },
        onPointerMove: (event: PointerEvent) => {
            const from = last.current;
            if (!from) return;
            last.current = { x: event.clientX, y: event.clientY };
            setView((view) => ({
                ...view,
                x: view.x + event.clientX - from.x,
                y: view.y + event.clientY - from.y,
            }));
        },
        onPointerUp: () => void (last.current = null),
        onPointerLeave: () => void (last.current = null),
    };
}
