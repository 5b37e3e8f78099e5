// Builds a Storybook of the tests with the packages of the example: `node build.mjs awkward`.
//
// It is laid out below the example, where its modules find those packages.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const example = join(here, "..", "..", "examples", "storybook");
const name = process.argv[2];
const source = join(here, name ?? "");
if (!name || !existsSync(join(source, ".storybook"))) {
  console.error(`There is no Storybook "${name}" in ${here}.`);
  process.exit(2);
}

const target = join(example, ".states", name);
const output = join(source, "storybook-static");
rmSync(target, { recursive: true, force: true });
cpSync(source, target, { recursive: true, filter: (path) => !path.startsWith(output) });
cpSync(join(example, "package.json"), join(target, "package.json"));
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });

const cli = createRequire(join(example, "package.json")).resolve("storybook/internal/bin/dispatcher");
const args = [cli, "build", "--output-dir", output, "--disable-telemetry"];
const env = { ...process.env, STORYBOOK_DISABLE_TELEMETRY: "1", CI: "1" };
const result = spawnSync(process.execPath, args, { cwd: target, env, stdio: "inherit" });
if (result.status !== 0 || !existsSync(join(output, "index.json"))) {
  console.error(`The Storybook "${name}" did not build; its output is above.`);
  process.exit(1);
}
