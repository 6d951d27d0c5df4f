// Reads the index, then shows the first view.

import { render } from "preact";

import { App } from "./app";
import { Report } from "./data/report";
import { readIndex } from "./data/store";

const root = document.getElementById("root");
if (root) {
    readIndex()
        .then((index) => {
            root.textContent = "";
            render(<App report={new Report(index)} />, root);
        })
        .catch((error: unknown) => {
            root.textContent = `This page cannot be shown: ${String(error)}`;
        });
}
