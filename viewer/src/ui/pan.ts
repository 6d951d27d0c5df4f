// Moves a picture and changes its size: by the wheel, by the pointer and by keys.

import { useEffect, useRef, useState } from "preact/hooks";

/** How far a picture is moved, and its size. */
export interface Transform {
    x: number;
    y: number;
    scale: number;
}

/** The steps that arrows move a picture by, in pixels. */
const STEPS: Record<string, [number, number]> = {
    ArrowLeft: [60, 0],
    ArrowRight: [-60, 0],
    ArrowUp: [0, 60],
    ArrowDown: [0, -60],
};

interface Options {
    /** The smallest scale. */
    least: number;
    /** The size of the part of the box in which the picture stands. */
    size: () => { width: number; height: number };
    /** The place at which all of the picture is seen. */
    whole: () => Transform;
}

/** The place of the picture in a box. */
export function usePan(box: { current: HTMLElement | null }, { least, size, whole }: Options) {
    const [place, setPlace] = useState<Transform>({ x: 0, y: 0, scale: 1 });
    const last = useRef<{ x: number; y: number } | null>(null);
    const zoom = (by: number, at?: { x: number; y: number }) => {
        const { width, height } = size();
        const centre = at ?? { x: width / 2, y: height / 2 };
        setPlace((now) => {
            const scale = Math.max(least, Math.min(2.5, now.scale * by));
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
    const fit = () => setPlace(whole());
    const handlers = {
        onKeyDown: (event: KeyboardEvent) => {
            const step = STEPS[event.key];
            if (step) setPlace((now) => ({ ...now, x: now.x + step[0], y: now.y + step[1] }));
            else if (event.key === "+" || event.key === "=") zoom(1.25);
            else if (event.key === "-") zoom(0.8);
            else if (event.key === "0") fit();
            else return;
            event.preventDefault();
        },
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
    return { place, setPlace, zoom, fit, handlers };
}
