// What every client is sent for: the same calls in the same order, told as one JSON document.
// The classes of both SDKs have these methods.

/** Who goes where, and looks at which story of which build. */
export const errand = JSON.parse(process.env.ERRAND ?? "{}");

export const identity = { name: `test-${errand.client}`, version: "1.0.0" };

export const requestInit = { headers: { Authorization: `Bearer ${errand.key}` } };

/** Runs the errand with a connected client; the program then ends. */
export async function run(client, protocol) {
  const call = (name, args) => client.callTool({ name, arguments: args });
  const { tools } = await client.listTools();
  const { resourceTemplates } = await client.listResourceTemplates();
  const repositories = await call("list_repos", {});
  const build = await call("get_build", { buildId: errand.buildId });
  const picture = await client.readResource({ uri: link(build) });
  const refusal = await call("get_build", { buildId: "build_of_nobody" });
  const unknown = await call("no_such_tool", {}).then(unexpected, (error) => error.code);
  const decision = await call("review_screenshot", {
    screenshotId: mine(build),
    state: "rejected",
    comment: errand.comment,
  });
  const told = { protocol, tools, resourceTemplates, repositories, build, picture };
  console.log(JSON.stringify({ ...told, refusal, unknown, decision }));
  await client.close();
}

function link(result) {
  const block = result.content.find(({ type }) => type === "resource_link");
  if (!block) throw new Error("get_build links to no picture.");
  return block.uri;
}

function mine(result) {
  const { screenshots } = result.structuredContent.build;
  return screenshots.find(({ storyId }) => storyId === errand.storyId).id;
}

function unexpected(result) {
  throw new Error(`A tool that does not exist answered ${JSON.stringify(result)}.`);
}
