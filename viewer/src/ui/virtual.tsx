// A list of rows of one height, of which only those are made that can be seen.

import {
    Virtualizer,
    elementScroll,
    observeElementOffset,
    observeElementRect,
} from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";

import { usePrinting } from "./printing";

/** On paper all rows stand, up to so many. */
const PRINTED = 3000;

/** So many rows are above and below what is shown. */
const CLEAR = 3;

/** Rows that are to be seen. */
export interface VisibleRows {
    /** Another one: they are to be seen again. */
    key: string;
    first: number;
    last: number;
    /** The one that matters most, if there is no room for all. */
    most: number;
}

/** One row that is to be seen. */
export const one = (row: number): VisibleRows => ({ key: "", first: row, last: row, most: row });

interface Props {
    count: number;
    height: number;
    row: (index: number) => ComponentChildren;
    className?: string;
    label: string;
    role?: "rowgroup" | "list" | "group";
    /** Scrolls to these rows when they change. */
    show?: VisibleRows | null;
    header?: ComponentChildren;
    onKeyDown?: (event: KeyboardEvent) => void;
}

export function VirtualList(props: Props) {
    const scroller = useRef<HTMLDivElement>(null);
    const [, draw] = useReducer((turn: number) => turn + 1, 0);
    const virtual = useRef<Virtualizer<HTMLDivElement, Element> | null>(null);
    const options = {
        count: props.count,
        getScrollElement: () => scroller.current,
        estimateSize: () => props.height,
        overscan: 12,
        scrollToFn: elementScroll,
        observeElementRect,
        observeElementOffset,
        onChange: () => draw(0),
    };
    virtual.current ??= new Virtualizer(options);
    virtual.current.setOptions(options);
    useLayoutEffect(() => {
        const mounted = virtual.current?._didMount();
        virtual.current?._willUpdate();
        draw(0);
        return () => mounted?.();
    }, []);
    useLayoutEffect(() => virtual.current?._willUpdate());
    useEffect(() => virtual.current?.measure(), [props.height]);
    const { show } = props;
    useEffect(() => {
        const element = scroller.current;
        if (!show || !element) return;
        const [row, seen] = [props.height, element.clientHeight];
        const height = (show.last - show.first + 1) * row;
        const isWhole = height + 2 * CLEAR * row <= seen;
        const [first, last] = isWhole ? [show.first, show.last] : [show.most, show.most];
        // Where there is no room for all, what follows is to be seen, too.
        const end = element.scrollTop + (isWhole ? seen : seen / 3);
        if (element.scrollTop <= first * row && (last + 1) * row <= end) return;
        const above = isWhole ? (seen - height) / 2 : CLEAR * row;
        virtual.current?.scrollToOffset(Math.max(0, first * row - above));
    }, [show?.key, show?.first, show?.last]);
    const all = usePrinting();
    const seen = virtual.current.getVirtualItems();
    const first = all ? 0 : (seen[0]?.index ?? 0);
    const last = all ? Math.min(props.count, PRINTED) : (seen.at(-1)?.index ?? -1) + 1;
    const rows = [];
    for (let index = first; index < last; index++) rows.push(props.row(index));
    return (
        <div
            ref={scroller}
            class={`virtual ${props.className ?? ""}`}
            tabIndex={0}
            role={props.role ?? "group"}
            aria-label={props.label}
            onKeyDown={props.onKeyDown}
        >
            {props.header}
            <div
                class="virtual-space"
                role="presentation"
                style={{
                    height: `${props.count * props.height}px`,
                    paddingTop: all ? "0" : `${first * props.height}px`,
                }}
            >
                {rows}
            </div>
        </div>
    );
}
