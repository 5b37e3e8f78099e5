import { text } from "./late-module.js";
setTimeout(() => postMessage(`${text} in a worker at ${Date.now()}`), 300);
