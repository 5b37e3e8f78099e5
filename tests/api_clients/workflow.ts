// Review a repository by all 20 actions, with the types that openapi-typescript generates.
//
// A program of its own, run with the URL of the service and an API key. It writes what CI is to do,
// and goes on when a line comes back.

import assert from "node:assert/strict";
import { createInterface } from "node:readline/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.d.ts";

type Problem = components["schemas"]["Problem"];
type Screenshot = components["schemas"]["Screenshot"];
type DiffState = components["schemas"]["DiffState"];

const COMMENT = "The shadow is gone.";
const [url, key] = process.argv.slice(2);
const client = createClient<paths>({
  baseUrl: url,
  headers: { Authorization: `Bearer ${key}` },
});
const input = createInterface({ input: process.stdin });
const lines = input[Symbol.asyncIterator]();

function success<T>(response: { data?: { result: T }; error?: Problem }): T {
  assert.ok(response.data, response.error?.detail);
  return response.data.result;
}

function problem(response: { error?: Problem }): Problem {
  assert.ok(response.error);
  return response.error;
}

function only<T>(items: T[]): T {
  const [item] = items;
  assert.equal(items.length, 1);
  assert.ok(item);
  return item;
}

async function runCi(job: string, token: string): Promise<void> {
  console.log(JSON.stringify({ job, token }));
  const { value } = await lines.next();
  assert.equal(value, "done");
}

/** Connect the repository of the Git provider; return its id and a second token. */
async function connect(): Promise<{ repoId: string; token: string }> {
  const offered = success(await client.POST("/api/rest/actions/list_host_repos", { body: {} }));
  const hostRepo = only(offered.repos.filter((repo) => repo.repoId === null));
  const refused = problem(
    await client.POST("/api/rest/actions/connect_repo", { body: { fullName: "" } }),
  );
  assert.equal(refused.status, 400);
  assert.equal(only(refused.errors ?? []).pointer, "/fullName");
  const connected = success(
    await client.POST("/api/rest/actions/connect_repo", { body: { fullName: hostRepo.fullName } }),
  );
  // What was not set is not sent, so the Git provider's branch counts.
  assert.equal(connected.repo.defaultBranch, "trunk");
  assert.equal(hostRepo.defaultBranch, "trunk");
  assert.ok(Date.parse(connected.repo.createdAt) > Date.now() - 3_600_000);
  const repoId = connected.repo.id;
  const rotated = success(
    await client.POST("/api/rest/actions/rotate_repo_token", { body: { repoId } }),
  );
  assert.equal(rotated.secretName, "UI_REVIEW_TOKEN");
  assert.notEqual(rotated.projectToken, connected.projectToken);
  const { repos } = success(await client.POST("/api/rest/actions/list_repos", { body: {} }));
  assert.deepEqual(
    repos.find((repo) => repo.id === repoId),
    connected.repo,
  );
  return { repoId, token: rotated.projectToken };
}

async function chooseCaptures(repoId: string): Promise<void> {
  const organization = success(
    await client.POST("/api/rest/actions/set_org_capture", { body: { themes: ["light"] } }),
  );
  assert.deepEqual(organization.capture.themes, ["light"]);
  const { capture } = success(
    await client.POST("/api/rest/actions/set_repo_capture", {
      body: { repoId, devices: ["desktop"] },
    }),
  );
  assert.deepEqual([capture.themes, capture.devices], [["light"], ["desktop"]]);
}

async function newestBuild(repoId: string): Promise<components["schemas"]["Build"]> {
  const { builds, more } = success(
    await client.POST("/api/rest/actions/list_builds", { body: { repoId } }),
  );
  assert.equal(more, false);
  const [build] = builds;
  assert.equal(build?.status, "completed");
  return build;
}

async function fullBuild(buildId: string): Promise<components["schemas"]["FullBuild"]> {
  return success(await client.POST("/api/rest/actions/get_build", { body: { buildId } })).build;
}

function withState(screenshots: Screenshot[], state: DiffState): Screenshot[] {
  return screenshots.filter((shot) => shot.diffState === state);
}

async function approveTheFirstBuild(repoId: string): Promise<void> {
  const build = await fullBuild((await newestBuild(repoId)).id);
  assert.equal(build.repoId, repoId);
  assert.ok(Date.parse(build.linksExpireAt) > Date.now());
  assert.equal(build.counts.new, 3);
  assert.equal(withState(build.screenshots, "new").length, 3);
  const approved = success(
    await client.POST("/api/rest/actions/approve_build", { body: { buildId: build.id } }),
  );
  assert.equal(approved.reviewState, "approved");
  assert.deepEqual([approved.finalized, approved.baselineMove], [true, 1]);
  assert.deepEqual([approved.openScreenshots, approved.failedScreenshots], [0, 0]);
  assert.equal(approved.screenshot, null);
}

/** Decide a build in three steps; return the screenshot that was rejected first. */
async function reviewTheChanges(repoId: string): Promise<Screenshot> {
  const build = await fullBuild((await newestBuild(repoId)).id);
  const changed = withState(build.screenshots, "changed");
  const card = only(changed.filter((shot) => shot.storyId === "card--plain"));
  const rejected = success(
    await client.POST("/api/rest/actions/review_screenshot", {
      body: { screenshotId: card.id, state: "rejected", comment: COMMENT },
    }),
  );
  assert.equal(rejected.reviewState, "unreviewed");
  assert.equal(rejected.openScreenshots, 2);
  assert.equal(rejected.screenshot?.decision, "rejected");
  const now = await fullBuild(build.id);
  const found = only(now.screenshots.filter((shot) => shot.id === card.id));
  assert.equal(found.reviewDecision, "rejected");
  assert.equal(found.comment, COMMENT);
  assert.ok(found.decided);
  const story = success(
    await client.POST("/api/rest/actions/approve_story_screenshots", {
      body: { buildId: build.id, storyId: "button--primary" },
    }),
  );
  assert.deepEqual([story.decidedScreenshots, story.finalized], [2, false]);
  const everything = success(
    await client.POST("/api/rest/actions/approve_all_screenshots", { body: { buildId: build.id } }),
  );
  assert.deepEqual([everything.finalized, everything.baselineMove], [true, 2]);
  return card;
}

async function ignoreARegion(repoId: string, shot: Screenshot): Promise<void> {
  const region = { x: 0, y: 0.5, width: 1, height: 0.25 };
  const { theme, device } = shot.variant;
  const stored = success(
    await client.POST("/api/rest/actions/set_dynamic_regions", {
      body: { repoId, storyId: shot.storyId, theme, device, regions: [region] },
    }),
  );
  assert.deepEqual(stored.regions, [region]);
  assert.equal(stored.theme, "light");
}

async function rejectTheLastBuild(repoId: string): Promise<void> {
  const build = await newestBuild(repoId);
  assert.equal(build.reviewState, "unreviewed");
  const rejected = success(
    await client.POST("/api/rest/actions/reject_build", { body: { buildId: build.id } }),
  );
  assert.equal(rejected.reviewState, "rejected");
  assert.equal(rejected.baselineMove, null);
}

async function keepARecording(repoId: string, token: string): Promise<void> {
  const enabled = success(
    await client.POST("/api/rest/actions/enable_recordings", { body: { repoId } }),
  );
  assert.ok(enabled.enrollment.enabled);
  await runCi("record", token);
  const { recordings } = success(
    await client.POST("/api/rest/actions/list_recordings", { body: { repoId } }),
  );
  const recordingId = only(recordings).id;
  const { recording } = success(
    await client.POST("/api/rest/actions/get_recording", { body: { recordingId } }),
  );
  assert.equal(recording.status, "ready");
  assert.equal(recording.test?.title, "signs in");
  assert.ok(recording.videoUrl);
  const deleted = success(
    await client.POST("/api/rest/actions/delete_recording", { body: { recordingId } }),
  );
  assert.ok(deleted.deleted);
  const disabled = success(
    await client.POST("/api/rest/actions/disable_recordings", { body: { repoId } }),
  );
  assert.equal(disabled.enrollment.enabled, false);
}

async function remove(repoId: string): Promise<void> {
  assert.ok(
    success(await client.POST("/api/rest/actions/remove_repo", { body: { repoId } })).removed,
  );
  const gone = problem(await client.POST("/api/rest/actions/list_builds", { body: { repoId } }));
  assert.deepEqual([gone.status, gone.title], [404, "Not Found"]);
}

const { repoId, token } = await connect();
await chooseCaptures(repoId);
await runCi("publish", token);
await approveTheFirstBuild(repoId);
await runCi("publish changes", token);
const card = await reviewTheChanges(repoId);
await ignoreARegion(repoId, card);
await runCi("publish more changes", token);
await rejectTheLastBuild(repoId);
await keepARecording(repoId, token);
await remove(repoId);
input.close();
