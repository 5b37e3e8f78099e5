/** Finds the command-line client, which is written in Python, or installs it from the server. */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** A problem that the user can solve; the message says how. */
export class ClientError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

const PACKAGE = "visual-review";
const OLDEST_PYTHON = [3, 11] as const;
const WHEEL = /href="[^"]*\/(visual_review-[^"/#]+\.whl)(?:#[^"]*)?"/;
/** The page of the server is asked again after this time; until then, the client is used as it is. */
const FRESH_SECONDS = 3600;
const REQUEST_SECONDS = 10;
const COMPLETE = "complete";
const LOCK_PAUSE = 200;
const LOCK_LIMIT = 600_000;
const isWindows = process.platform === "win32";

/** Returns the program, installed before if it has to be. `say` gets a line for a slow step. */
export async function findClient(environment: Environment, say: (line: string) => void): Promise<string> {
  const chosen = environment["VISUAL_REVIEW_CLIENT"];
  if (chosen) {
    if (!existsSync(chosen)) throw new ClientError(`VISUAL_REVIEW_CLIENT names ${chosen}, which is not there.`);
    return chosen;
  }
  const server = environment["VISUAL_REVIEW_URL"]?.replace(/\/+$/, "");
  const installed = findOnPath(environment);
  if (!server) {
    if (installed) return installed;
    throw new ClientError(
      "The client is not installed, and VISUAL_REVIEW_URL is not set: set it to the URL of your " +
        "server, which offers the client that fits.",
    );
  }
  return findOfServer(server, environment, installed, say);
}

async function findOfServer(
  server: string,
  environment: Environment,
  installed: string | undefined,
  say: (line: string) => void,
): Promise<string> {
  const cache = join(cacheFolder(environment), createHash("sha256").update(server).digest("hex").slice(0, 16));
  const current = join(cache, "current");
  const known = existsSync(current) ? readFileSync(current, "utf8").trim() : "";
  const isFresh = known && Date.now() - statSync(current).mtimeMs < FRESH_SECONDS * 1000;
  if (isFresh && isComplete(join(cache, known))) return programOf(join(cache, known));
  let wheel: string;
  try {
    wheel = await fetchWheelName(server);
  } catch (error) {
    // Offline, the client of an earlier run does the same.
    if (known && isComplete(join(cache, known))) return programOf(join(cache, known));
    if (installed) return installed;
    throw error;
  }
  const folder = join(cache, versionOf(wheel));
  if (!isComplete(folder)) {
    const own = installed ? readVersion(installed) : "";
    if (installed && own === versionOf(wheel)) return installed;
    await install(`${server}/client/${wheel}`, folder, environment, say);
  }
  writeFileSync(current, versionOf(wheel));
  return programOf(folder);
}

function versionOf(wheel: string): string {
  return wheel.split("-")[1] ?? "";
}

function readVersion(program: string): string {
  const done = spawnSync(program, ["--version"], { encoding: "utf8" });
  return done.stdout?.trim().split(" ").pop() ?? "";
}

function findOnPath(environment: Environment): string | undefined {
  const names = isWindows ? [`${PACKAGE}.exe`] : [PACKAGE];
  // The script that npm puts on the path is this package, not the client.
  const folders = (environment["PATH"] ?? "").split(delimiter).filter((each) => !each.includes("node_modules"));
  const paths = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return paths.find((path) => existsSync(path) && !isScriptOfNode(path));
}

function isScriptOfNode(path: string): boolean {
  return readFileSync(path).subarray(0, 100).toString("latin1").split("\n", 1)[0]?.includes("node") ?? false;
}

async function fetchWheelName(server: string): Promise<string> {
  const url = `${server}/client/simple/visual-review/`;
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_SECONDS * 1000) });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new ClientError(
      `${server} cannot be reached to install the client: ${cause instanceof Error ? cause.message : String(cause)}. ` +
        "Check VISUAL_REVIEW_URL. Behind a proxy, set NODE_USE_ENV_PROXY=1 with HTTPS_PROXY; without a " +
        "network, install the client beforehand and name it in VISUAL_REVIEW_CLIENT.",
    );
  }
  const name = response.ok ? WHEEL.exec(await response.text())?.[1] : undefined;
  if (!name) {
    throw new ClientError(
      `${url} does not offer the client (status ${response.status}). Is VISUAL_REVIEW_URL the URL of your server?`,
    );
  }
  return decodeURIComponent(name);
}

function cacheFolder(environment: Environment): string {
  const base = environment["XDG_CACHE_HOME"] || join(homedir() || tmpdir(), ".cache");
  return join(base, PACKAGE);
}

function programOf(folder: string): string {
  return isWindows ? join(folder, "Scripts", `${PACKAGE}.exe`) : join(folder, "bin", PACKAGE);
}

/** Installs into `folder`, which counts only when it is complete. Of several processes, one installs. */
async function install(
  url: string,
  folder: string,
  environment: Environment,
  say: (line: string) => void,
): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const lock = `${folder}.lock`;
  while (!takeLock(lock)) await new Promise((done) => setTimeout(done, LOCK_PAUSE));
  try {
    if (!isComplete(folder)) {
      say(`Installing the client from ${url}`);
      createEnvironment(`${PACKAGE} @ ${url}`, folder, environment);
      writeFileSync(join(folder, COMPLETE), "");
    }
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function takeLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    // A process that was killed leaves its lock behind.
    const age = existsSync(lock) ? Date.now() - statSync(lock).mtimeMs : 0;
    if (age > LOCK_LIMIT) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function isComplete(folder: string): boolean {
  return existsSync(join(folder, COMPLETE)) && existsSync(programOf(folder));
}

function createEnvironment(requirement: string, folder: string, environment: Environment): void {
  rmSync(folder, { recursive: true, force: true });
  const python = join(folder, isWindows ? "Scripts/python.exe" : "bin/python");
  try {
    if (works("uv", environment)) {
      run("uv", ["venv", "--quiet", "--python", `>=${OLDEST_PYTHON.join(".")}`, folder], environment);
      run("uv", ["pip", "install", "--quiet", "--python", python, requirement], environment);
    } else {
      run(findPython(environment), ["-m", "venv", folder], environment);
      run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement], environment);
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function findPython(environment: Environment): string {
  const names = isWindows ? ["python", "py"] : ["python3", "python3.13", "python3.12", "python3.11", "python"];
  const check = `import sys, venv, ensurepip; sys.exit(sys.version_info < (${OLDEST_PYTHON.join(", ")}))`;
  const found = names.find((name) => spawnSync(name, ["-c", check], { env: environment, stdio: "ignore" }).status === 0);
  if (found) return found;
  throw new ClientError(
    `The client needs Python ${OLDEST_PYTHON.join(".")} or later, or uv, which brings it: install one of them ` +
      "(on Debian, the package python3-venv, too), or name an installed client in VISUAL_REVIEW_CLIENT.",
  );
}

function works(program: string, environment: Environment): boolean {
  return spawnSync(program, ["--version"], { env: environment, stdio: "ignore" }).status === 0;
}

function run(program: string, args: string[], environment: Environment): void {
  const done = spawnSync(program, args, { env: environment, encoding: "utf8" });
  if (done.status === 0) return;
  const output = `${done.stdout ?? ""}${done.stderr ?? ""}`.trim() || String(done.error ?? "");
  throw new ClientError(
    `\`${program} ${args.join(" ")}\` failed:\n${output}\n` +
      "The client's packages come from your package index. Behind a proxy, set HTTPS_PROXY (and " +
      "PIP_INDEX_URL or UV_INDEX_URL for a mirror); without a network, install the client beforehand and " +
      "name it in VISUAL_REVIEW_CLIENT.",
  );
}
