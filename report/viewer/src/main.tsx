// Reads the index, then shows the first view of a report or of a difference.

import { render } from "preact";

import { App } from "./app";
import { Difference } from "./data/difference";
import { Report } from "./data/report";
import { readIndex } from "./data/store";
import { DifferenceApp } from "./difference/app";

const root = document.getElementById("root");
if (root) {
    readIndex()
        .then((index) => {
            root.textContent = "";
            if (index.schema === "pathprof-html/1")
                render(<App report={new Report(index)} />, root);
            else render(<DifferenceApp difference={new Difference(index)} />, root);
        })
        .catch((error: unknown) => {
            root.textContent = `This page cannot be shown: ${String(error)}`;
        });
}
