// Files and their functions as areas: executed instructions.

import { type HierarchyRectangularNode, hierarchy, treemap } from "d3-hierarchy";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { type Report, useReport } from "../../data/report";
import { fitted } from "../../ui/names";
import { digits, heat, near, percent, plural } from "../../ui/numbers";
import { address } from "../../ui/route";

/** So many functions have an area of their own. */
const MOST = 300;
const HEIGHT = 380;

interface Area {
    name: string;
    function?: number;
    value?: number;
    /** Where it leads, if it is no function. */
    link?: string;
    children?: Area[];
}

/** The tree: files, functions. What is too small stands together, and what is of system headers. */
function areas(report: Report): Area {
    const { executed, file } = report.index.functions;
    const order = executed
        .map((_, number) => number)
        .filter((number) => near(executed[number]) > 0 && !report.isSystem(number))
        .sort((one, other) => near(executed[other]) - near(executed[one]));
    const files = new Map<number | null, Area>();
    let rest = 0;
    for (const [rank, number] of order.entries()) {
        const value = near(executed[number]);
        if (rank >= MOST) {
            rest += value;
            continue;
        }
        const at = file[number] ?? null;
        let area = files.get(at);
        if (!area) {
            area = { name: report.base(at) || "(no debug information)", children: [] };
            files.set(at, area);
        }
        const image = report.image(number);
        const name = report.short(number) + (image ? ` in ${image}` : "");
        area.children?.push({ name, function: number, value });
    }
    const children = [...files.values()];
    const system = executed
        .map((_, number) => number)
        .filter((number) => near(executed[number]) > 0 && report.isSystem(number));
    if (system.length > 0)
        children.push({
            name: "system headers",
            children: [
                {
                    name: plural(system.length, "function"),
                    value: system.reduce((all, number) => all + near(executed[number]), 0),
                    link: address("functions", "", { system: 1 }),
                },
            ],
        });
    const left = order.length - MOST;
    if (rest > 0)
        children.push({
            name: "others",
            children: [{ name: `${digits(left)} others`, value: rest }],
        });
    return { name: "", children };
}

export function Treemap() {
    const report = useReport();
    const box = useRef<HTMLDivElement>(null);
    const [width, setWidth] = useState(1200);
    useEffect(() => {
        const observer = new ResizeObserver(([entry]) => {
            if (entry) setWidth(Math.max(200, Math.round(entry.contentRect.width)));
        });
        if (box.current) observer.observe(box.current);
        return () => observer.disconnect();
    }, []);
    const root = useMemo(() => {
        const tree = hierarchy(areas(report))
            .sum((area) => area.value ?? 0)
            .sort((one, other) => (other.value ?? 0) - (one.value ?? 0));
        return treemap<Area>()
            .size([width, HEIGHT])
            .paddingInner(2)
            .paddingOuter(2)
            .paddingTop((node) => (node.depth === 1 && node.x1 - node.x0 > 46 ? 20 : 2))
            .round(true)(tree);
    }, [report, width]);
    const most = Math.max(...root.leaves().map((leaf) => leaf.value ?? 0), 1);
    return (
        <div ref={box} class="treemap">
            <svg
                width={width}
                height={HEIGHT}
                role="group"
                aria-label="Executed instructions by file and function"
            >
                {root.children?.map((file) => (
                    <FileArea node={file} most={most} />
                ))}
            </svg>
        </div>
    );
}

type Node = HierarchyRectangularNode<Area>;

/** A name without the namespace that has none. */
function inner(name: string): string {
    return name.replaceAll("(anonymous namespace)::", "");
}

/** What fits of a name. */
const fit = (name: string, width: number, letter: number) =>
    fitted(name, Math.floor((width - 10) / letter));

function FileArea({ node, most }: { node: Node; most: number }) {
    const report = useReport();
    const width = node.x1 - node.x0;
    return (
        <g>
            <rect
                class="area-file"
                x={node.x0}
                y={node.y0}
                width={width}
                height={node.y1 - node.y0}
                rx={4}
            />
            {width > 46 && node.y1 - node.y0 > 20 ? (
                <text class="area-title" x={node.x0 + 6} y={node.y0 + 15}>
                    {fit(node.data.name, width, 7)}
                </text>
            ) : null}
            {node.leaves().map((leaf) => {
                const [w, h] = [leaf.x1 - leaf.x0, leaf.y1 - leaf.y0];
                const value = leaf.value ?? 0;
                const share = percent(value, report.executed);
                const name = w > 34 && h > 16 ? fit(inner(leaf.data.name), w, 7.2) : "";
                const below = w > 50 && h > 34 ? share : "";
                // What is seen stands in the label as it is, for those who say what they see.
                const label = `${name} ${below}: ${leaf.data.name}, ${share}`;
                const content = (
                    <g
                        data-tip={`${leaf.data.name}\n${digits(value)} instructions, ${share}\n${node.data.name}`}
                    >
                        <rect
                            class={`area h${heat(value, most)}`}
                            x={leaf.x0}
                            y={leaf.y0}
                            width={w}
                            height={h}
                            rx={3}
                        />
                        <text class="area-name" x={leaf.x0 + 5} y={leaf.y0 + 14}>
                            {name}
                        </text>{" "}
                        <text class="area-share" x={leaf.x0 + 5} y={leaf.y0 + 28}>
                            {below}
                        </text>
                    </g>
                );
                const { function: number, link } = leaf.data;
                const to = number === undefined ? link : report.link(number);
                return to === undefined ? (
                    content
                ) : (
                    <a href={to} aria-label={label}>
                        {content}
                    </a>
                );
            })}
        </g>
    );
}
