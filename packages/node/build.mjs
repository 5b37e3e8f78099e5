// Builds the package: ES modules, CommonJS modules, and the script that runs in pages.
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, "dist");
// The rules by which the capture of stories waits; "clock" stands for its virtual clock.
const captureScripts = join(root, "../../src/visual_review/client/capture/scripts");
const shared = ["loads", "changes", "still", "settle", "sizes"];

function compile(project) {
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, "-p", project], { cwd: root, stdio: "inherit" });
}

function joinPageScripts() {
  const files = [join(root, "page/clock.js"), ...shared.map((name) => join(captureScripts, `${name}.js`))];
  const body = files.map((file) => readFileSync(file, "utf8")).join("\n");
  return `(() => { if (globalThis.__visualReview) return;\n${body}\n})();\n`;
}

rmSync(dist, { recursive: true, force: true });
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const constants = { VERSION: version, PAGE_SCRIPT: joinPageScripts() };
const lines = Object.entries(constants).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`);
writeFileSync(join(root, "src/generated.ts"), lines.join(""));
compile("tsconfig.json");
// The same sources in a package of the type "commonjs": the compiler reads the format from there.
cpSync(join(root, "src"), join(dist, "cjs-source"), { recursive: true });
writeFileSync(join(dist, "cjs-source/package.json"), '{ "type": "commonjs" }\n');
compile("tsconfig.cjs.json");
rmSync(join(dist, "cjs-source"), { recursive: true });
writeFileSync(join(dist, "cjs/package.json"), '{ "type": "commonjs" }\n');
