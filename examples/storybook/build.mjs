// Builds one state of the design system: `node build.mjs base` or `node build.mjs changed`.
//
// Each state is laid out as a project of its own under .states/, so that the two builds share no
// file they write, and module names are the same in both ("./src/..."), as in two checkouts.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const outputs = { base: "storybook-static", changed: "storybook-static-changed" };

function layOut(state) {
  const target = join(here, ".states", state);
  for (const part of ["src", ".storybook"]) {
    rmSync(join(target, part), { recursive: true, force: true });
    cpSync(join(here, part), join(target, part), { recursive: true });
  }
  cpSync(join(here, "package.json"), join(target, "package.json"));
  if (state === "changed") {
    cpSync(join(here, "changes"), join(target, "src"), { recursive: true });
  }
  return target;
}

function build(state) {
  const output = join(here, outputs[state]);
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const cli = createRequire(import.meta.url).resolve("storybook/internal/bin/dispatcher");
  const args = [cli, "build", "--output-dir", output, "--stats-json", "--disable-telemetry"];
  const env = { ...process.env, STORYBOOK_DISABLE_TELEMETRY: "1", CI: "1" };
  const result = spawnSync(process.execPath, args, { cwd: layOut(state), env, stdio: "inherit" });
  if (result.status !== 0 || !existsSync(join(output, "index.json"))) {
    console.error(`The ${state} Storybook did not build; its output is above.`);
    process.exit(1);
  }
}

const state = process.argv[2] ?? "base";
if (!(state in outputs)) {
  console.error(`Unknown state "${state}": use one of ${Object.keys(outputs).join(", ")}.`);
  process.exit(2);
}
build(state);
