// What is said of a thing when the pointer is on it, or the keyboard: the text in `data-tip`.

import { useEffect, useRef } from "preact/hooks";

export function Tip() {
    const box = useRef<HTMLDivElement>(null);
    useEffect(() => {
        const hide = () => box.current?.classList.remove("shown");
        const show = (event: Event) => {
            const target = (event.target as Element).closest?.("[data-tip]");
            const text = target?.getAttribute("data-tip");
            if (!box.current || !target || !text) return hide();
            box.current.textContent = text;
            box.current.classList.add("shown");
            const at = target.getBoundingClientRect();
            const own = box.current.getBoundingClientRect();
            const pointer = event instanceof PointerEvent ? event : null;
            const left = pointer ? pointer.clientX + 14 : at.left;
            const above = pointer ? pointer.clientY + 18 : at.bottom + 6;
            const top = above + own.height > innerHeight - 8 ? above - own.height - 34 : above;
            box.current.style.left = `${Math.max(8, Math.min(left, innerWidth - own.width - 8))}px`;
            box.current.style.top = `${Math.max(8, top)}px`;
        };
        document.addEventListener("pointermove", show);
        document.addEventListener("focusin", show);
        document.addEventListener("focusout", hide);
        document.addEventListener("pointerdown", hide);
        document.addEventListener("scroll", hide, true);
        return () => {
            document.removeEventListener("pointermove", show);
            document.removeEventListener("focusin", show);
            document.removeEventListener("focusout", hide);
            document.removeEventListener("pointerdown", hide);
            document.removeEventListener("scroll", hide, true);
        };
    }, []);
    return <div ref={box} class="tip" role="tooltip" />;
}
