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

interface Props {
    count: number;
    height: number;
    row: (index: number) => ComponentChildren;
    className?: string;
    label: string;
    role?: "rowgroup" | "list" | "group";
    /** Scrolls to this row when it changes. */
    show?: number | null;
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
    useEffect(() => {
        if (props.show != null && props.show >= 0) {
            const mode = virtual.current?.scrollRect?.height ? "auto" : "center";
            const visible = virtual.current?.range;
            const isSeen =
                visible && props.show > visible.startIndex + 1 && props.show < visible.endIndex - 1;
            if (!isSeen)
                virtual.current?.scrollToIndex(props.show, {
                    align: mode === "auto" ? "center" : mode,
                });
        }
    }, [props.show]);
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
