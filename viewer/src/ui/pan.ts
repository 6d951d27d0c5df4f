// Moves a picture and changes its size, by the wheel and by the pointer.

import { useEffect, useRef, useState } from "preact/hooks";

/** How far a picture is moved, and its size. */
export interface Transform {
    x: number;
    y: number;
    scale: number;
}

/** The place of the picture in a box. */
export function usePan(box: { current: HTMLElement | null }) {
    const [place, setPlace] = useState<Transform>({ x: 0, y: 0, scale: 1 });
    const last = useRef<{ x: number; y: number } | null>(null);
    const zoom = (by: number, at?: { x: number; y: number }) => {
        const { width, height } = box.current!.getBoundingClientRect();
        const centre = at ?? { x: width / 2, y: height / 2 };
        setPlace((now) => {
            const scale = Math.max(0.05, Math.min(2.5, now.scale * by));
            const grown = scale / now.scale;
            return {
                scale,
                x: centre.x - (centre.x - now.x) * grown,
                y: centre.y - (centre.y - now.y) * grown,
            };
        });
    };
    useEffect(() => {
        const element = box.current;
        const onWheel = (event: WheelEvent) => {
            event.preventDefault();
            const own = element!.getBoundingClientRect();
            const at = { x: event.clientX - own.left, y: event.clientY - own.top };
            if (event.ctrlKey) zoom(Math.exp(-event.deltaY / 200), at);
            else setPlace((now) => ({ ...now, x: now.x - event.deltaX, y: now.y - event.deltaY }));
        };
        element?.addEventListener("wheel", onWheel, { passive: false });
        return () => element?.removeEventListener("wheel", onWheel);
    }, []);
    const handlers = {
        onPointerDown: (event: PointerEvent) => {
            if (event.button === 0 && !(event.target as Element).closest("[role=button]"))
                last.current = { x: event.clientX, y: event.clientY };
        },
        onPointerMove: (event: PointerEvent) => {
            const from = last.current;
            if (!from) return;
            last.current = { x: event.clientX, y: event.clientY };
            const [x, y] = [event.clientX - from.x, event.clientY - from.y];
            setPlace((now) => ({ ...now, x: now.x + x, y: now.y + y }));
        },
        onPointerUp: () => void (last.current = null),
        onPointerLeave: () => void (last.current = null),
    };
    return { place, setPlace, zoom, handlers };
}
