// The graph pane: blocks coloured by how often they ran, edges as thick as their counts, loops with
// their headers above and the edges that close them at the side.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { digits, near, plural } from "../data/numbers";
import type { PathData } from "../data/types";
import { Details } from "./details";
import { MOST_SHOWN, fold, isLarge } from "./fold";
import { place } from "./layout";
import type { FunctionModel } from "./model";
import { Picture, type View } from "./picture";
import type { Selection } from "./selection";
import type { Step } from "./steps";

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
    const focus = current ?? selection.block;
    const size = () => box.current?.getBoundingClientRect() ?? { width: 600, height: 400 };
    const fit = (whole: boolean) => {
        const { width, height } = size();
        const scale = Math.min(width / layout.width, whole ? height / layout.height : 1, 1);
        const readable = whole ? scale : Math.max(scale, 0.62);
        const entry = layout.nodes.get("b0");
        const x =
            layout.width * readable <= width || !entry
                ? (width - layout.width * readable) / 2
                : width / 2 - entry.x * readable;
        setView({
            x,
            y:
                whole && layout.height * readable < height
                    ? (height - layout.height * readable) / 2
                    : 4,
            scale: readable,
        });
    };
    useEffect(() => fit(layout.height < 900 && layout.width < 1200), [model]);
    useEffect(() => {
        const node = focus === null ? undefined : layout.nodes.get(`b${focus}`);
        if (!node) return;
        const { width, height } = size();
        const x = node.x * view.scale + view.x;
        const y = node.y * view.scale + view.y;
        if (x > 60 && x < width - 60 && y > 30 && y < height - 30) return;
        setView({
            ...view,
            x: width / 2 - node.x * view.scale,
            y: height / 2 - node.y * view.scale,
        });
    }, [focus, layout]);
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
        else if (event.key === "0") fit(true);
        else return;
        event.preventDefault();
    };
    const hidden =
        model.data.blocks.length - graph.nodes.filter(({ kind }) => kind === "block").length;
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
                    <button type="button" onClick={() => fit(true)} aria-label="all of it">
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
                    current={current}
                    open={(blocks) => setOpened([...opened, ...blocks])}
                />
            </div>
            {selection.block !== null && !closed ? (
                <Details
                    model={model}
                    block={selection.block}
                    selection={selection}
                    close={() => setClosed(true)}
                />
            ) : null}
        </section>
    );
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
