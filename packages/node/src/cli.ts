#!/usr/bin/env node
/** `visual-review`: runs the client with the same arguments, and ends with its exit code. */

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { ClientError, findClient } from "./client.js";

const FAILED = 2;

async function main(): Promise<number> {
  const program = await findClient(process.env, (line) => console.error(line));
  const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("exit", (code, signal) => done(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    if (!(error instanceof ClientError)) throw error;
    console.error(`visual-review: ${error.message}`);
    process.exitCode = FAILED;
  },
);
