// Compares pairs with pixelmatch and pngjs: one JSON request and one response per line.
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";

/** @param {{ before: string, after: string, output: string | null }} request */
function compare({ before, after, output }) {
  const [old, fresh] = [before, after].map((path) => PNG.sync.read(readFileSync(path)));
  const { width, height } = old;
  const diff = output ? new PNG({ width, height }) : null;
  const options = { threshold: 0.1 };
  const different = pixelmatch(old.data, fresh.data, diff?.data, width, height, options);
  if (diff && different) writeFileSync(output, PNG.sync.write(diff));
  return different;
}

console.log("{}");
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify({ different: compare(JSON.parse(line)) }));
}
