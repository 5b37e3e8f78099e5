/** Publishes the screenshots of a run of Playwright once, at its end. */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type {
  FullConfig,
  FullResult,
  Reporter,
  Suite,
  TestCase,
  TestError,
  TestResult,
  TestStep,
} from "@playwright/test/reporter";
import { ClientError, findClient } from "./client.js";
import { PREFIX, type ScreenshotManifest } from "./manifest.js";

export interface ReporterOptions {
  /** The folder with the expectations; the folder of the tests by default. */
  folder?: string;
  /** More arguments of `visual-review publish`, for example `["--product", "shop"]`. */
  args?: string[];
  /** Whether the run fails if screenshots need a review; the commit status says so anyway. */
  failOnReview?: boolean;
}

interface PublishedScreenshot extends ScreenshotManifest {
  /** The path of the image; empty without one. */
  path: string;
}

const REVIEW_NEEDED = 1;
const FAILED = 2;
const TAKES_SCREENSHOT = /to(?:HaveScreenshot|MatchSnapshot)(?:\((.+)\))?/;
const URL_OF_BUILD = /^(?:Review|Build): (https?:\/\/\S+)$/m;

export default class VisualReviewReporter implements Reporter {
  private config!: FullConfig;
  private suite!: Suite;
  private readonly errors: TestError[] = [];

  constructor(private readonly options: ReporterOptions = {}) {}

  onBegin(config: FullConfig, suite: Suite): void {
    this.config = config;
    this.suite = suite;
  }

  onError(error: TestError): void {
    this.errors.push(error);
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult["status"] } | void> {
    const { shard } = this.config;
    if (shard) {
      const merge = "npx playwright merge-reports --reporter=visual-review/reporter blob-report";
      say(`This is shard ${shard.current} of ${shard.total}. Write its blob report, and publish all together: ${merge}`);
      return;
    }
    if (!this.suite.allTests().some((test) => test.results.length)) {
      say("Nothing is published: no test ran.");
      return;
    }
    const problem = this.explainMissing();
    if (problem) {
      say(problem);
      return process.env["CI"] ? { status: "failed" } : undefined;
    }
    const code = await this.publish(result);
    const fails = code >= FAILED || (code === REVIEW_NEEDED && this.options.failOnReview);
    return fails ? { status: "failed" } : undefined;
  }

  printsToStdio(): boolean {
    return false;
  }

  private explainMissing(): string {
    const missing = ["VISUAL_REVIEW_URL", "UI_REVIEW_TOKEN"].filter((name) => !process.env[name]);
    // Jobs of forks have no token, but may have an identity.
    const hasIdentity = Boolean(process.env["VISUAL_REVIEW_REPOSITORY"] || process.env["VISUAL_REVIEW_ID_TOKEN"]);
    const needed = hasIdentity ? missing.filter((name) => name === "VISUAL_REVIEW_URL") : missing;
    return needed.length
      ? `Nothing is published: set ${needed.join(" and ")} to the URL of your server and the project token of the repository.`
      : "";
  }

  private async publish(result: FullResult): Promise<number> {
    const folder = mkdtempSync(join(tmpdir(), "visual-review-"));
    try {
      const report = join(folder, "run.json");
      writeFileSync(report, JSON.stringify(this.describeRun(result)));
      const program = await findClient(process.env, say);
      const tests = this.options.folder ?? relative(process.cwd(), this.config.rootDir) ?? ".";
      const args = ["publish", tests || ".", "--report", report, ...(this.options.args ?? [])];
      const { code, output } = await runClient(program, args);
      const url = URL_OF_BUILD.exec(output)?.[1];
      if (url) this.linkBuild(url);
      return code;
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      say(error.message);
      return FAILED;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Playwright's HTML report shows the annotations of each test. */
  private linkBuild(url: string): void {
    for (const test of this.suite.allTests()) {
      const annotation = { type: "Visual Review", description: url };
      test.annotations.push(annotation);
      // Recent versions read those of the result.
      (test.results.at(-1) as { annotations?: object[] } | undefined)?.annotations?.push(annotation);
    }
  }

  /** Returns the run in the form of Playwright's JSON report, with the names of all screenshots. */
  private describeRun(result: FullResult): object {
    const root = this.config.rootDir;
    const specs = this.suite.allTests().map((test) => ({
      title: test.title,
      file: relative(root, test.location.file),
      line: test.location.line,
      titles: test.titlePath().slice(3, -1),
      tests: [describeTest(test)],
    }));
    const interrupted = result.status === "interrupted" || result.status === "timedout";
    const errors = [...this.errors, ...(interrupted ? [{ message: `The run was ${result.status}` }] : [])];
    return {
      config: {
        configFile: this.config.configFile ?? join(root, "playwright.config.ts"),
        rootDir: root,
        projects: this.config.projects.map(({ name }) => ({ name })),
        argv: process.argv.slice(2),
        metadata: this.config.metadata,
      },
      suites: specs.map(({ titles, ...spec }) => nest(titles, spec)),
      errors: errors.map(({ message }) => ({ message })),
    };
  }
}

function nest(titles: string[], spec: { file: string }): object {
  const inner = titles.reduceRight<object | undefined>(
    (child, title) => ({ title, file: spec.file, ...(child ? { suites: [child] } : { specs: [spec] }) }),
    undefined,
  );
  return { title: spec.file, file: spec.file, ...(inner ? { suites: [inner] } : { specs: [spec] }) };
}

function describeTest(test: TestCase): object {
  const last = test.results.at(-1);
  return {
    projectName: test.parent.project()?.name ?? "",
    status: test.outcome(),
    results: last ? [describeResult(test, last)] : [],
  };
}

function describeResult(test: TestCase, result: TestResult): object {
  const own = result.attachments.filter(({ name, path }) => name.startsWith(PREFIX) && name.endsWith(".json") && path);
  return {
    status: result.status,
    retry: result.retry,
    errors: result.errors.map(({ message }) => ({ message })),
    attachments: result.attachments
      .filter(({ name, path }) => path && !name.startsWith(PREFIX))
      .map(({ name, path }) => ({ name, path })),
    screenshots: findScreenshots(test, result.steps),
    images: own.map(({ path }) => readManifest(path ?? "", result)),
  };
}

function readManifest(path: string, result: TestResult): PublishedScreenshot {
  const manifest = JSON.parse(readFileSync(path, "utf8")) as ScreenshotManifest;
  // A merged report has its attachments under other names.
  const attached = result.attachments.find(({ name }) => name === `${PREFIX}${manifest.image}`)?.path;
  return { ...manifest, path: manifest.image ? (attached ?? join(dirname(path), manifest.image)) : "" };
}

/** Returns the names of the screenshots that were taken and equal to their expectations. */
function findScreenshots(test: TestCase, steps: readonly TestStep[]): string[] {
  const names: string[] = [];
  let unnamed = 0;
  const visit = (step: TestStep): void => {
    const match = step.category === "expect" ? TAKES_SCREENSHOT.exec(step.title) : null;
    if (match) {
      const given = nameOf(step) ?? match[1];
      // Playwright names a screenshot without a name by the titles of its test.
      unnamed += given ? 0 : 1;
      const name = given?.replace(/\.\w+$/, "") ?? `${test.titlePath().slice(3).join(" ")} ${unnamed}`;
      if (!step.error) names.push(name);
    }
    step.steps.forEach(visit);
  };
  steps.forEach(visit);
  return names;
}

function nameOf(step: TestStep): string | undefined {
  const params = (step as { params?: { expected?: unknown } }).params;
  const expected = params?.expected;
  if (Array.isArray(expected)) return expected.join("/");
  return typeof expected === "string" ? expected : undefined;
}

function runClient(program: string, args: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (data: Buffer) => {
    output += data.toString();
    process.stdout.write(data);
  });
  return new Promise((done, fail) => {
    child.on("error", fail);
    child.on("close", (code) => done({ code: code ?? FAILED, output }));
  });
}

function say(line: string): void {
  process.stderr.write(`Visual Review: ${line}\n`);
}
