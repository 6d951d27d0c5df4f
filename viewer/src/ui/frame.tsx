// What is around all views: the tabs, the help, dark or light.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { KEYS, onGlobalKey } from "./keys";
import { Tip } from "./tip";

/** A view and its title. */
export type Tab = [view: string, title: string];

interface Props {
    tabs: Tab[];
    /** The tab of the view that is shown. */
    shown: string;
    /** What is counted. */
    mode: string;
    /** Keys of these views, and what they do. */
    keys: [keys: string, does: string][];
    help: ComponentChildren;
    children: ComponentChildren;
}

function setTheme(): void {
    const root = document.documentElement;
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const now = root.dataset["theme"] ?? (isDark ? "dark" : "light");
    root.dataset["theme"] = now === "dark" ? "light" : "dark";
}

export function Frame({ tabs, shown, mode, keys, help, children }: Props) {
    const dialog = useRef<HTMLDialogElement>(null);
    useEffect(() => {
        const views = tabs.map(([view]) => `#/${view}`);
        const onKey = (event: KeyboardEvent) =>
            onGlobalKey(event, views, () => dialog.current?.showModal());
        window.addEventListener("keydown", onKey);
        return () => window.removeEventListener("keydown", onKey);
    }, []);
    return (
        <>
            <header class="top">
                <a class="brand" href="#/overview">
                    <svg viewBox="0 0 24 24" aria-hidden="true">
                        <path d="M5 3v6c0 5 14 1 14 7v5M19 3v3c0 3-3 4-6 5" />
                    </svg>
                    <span data-tip={document.title}>{document.title}</span>
                </a>
                <nav aria-label="Views">
                    {tabs.map(([view, title]) => (
                        <a href={`#/${view}`} aria-current={shown === view ? "page" : undefined}>
                            {title}
                        </a>
                    ))}
                </nav>
                <span class="mode" data-tip="what is counted, and where in the compiler's pipeline">
                    {mode}
                </span>
                <button type="button" class="quiet" onClick={setTheme} aria-label="Dark or light">
                    ◐
                </button>
                <button
                    type="button"
                    class="quiet"
                    onClick={() => dialog.current?.showModal()}
                    aria-label="Keyboard"
                >
                    ?
                </button>
            </header>
            <main>
                {children}
                <Tip />
            </main>
            <dialog ref={dialog} aria-label="Keyboard">
                <h2>Keyboard</h2>
                <dl class="keys">
                    {[...keys, ...KEYS].map(([keys, does]) => (
                        <div>
                            <dt>
                                <kbd>{keys}</kbd>
                            </dt>
                            <dd>{does}</dd>
                        </div>
                    ))}
                </dl>
                {help}
                <button type="button" onClick={() => dialog.current?.close()}>
                    Close
                </button>
            </dialog>
        </>
    );
}
