// The task of every client: the same calls in the same order, reported as one JSON document.
// The classes of both SDKs have these methods.

/** Which client looks at which story of which build, and where. */
export const task = JSON.parse(process.env.TASK ?? "{}");

export const identity = { name: `test-${task.client}`, version: "1.0.0" };

export const requestInit = { headers: { Authorization: `Bearer ${task.key}` } };

/** Does the task with a connected client; the program then ends. */
export async function run(client, protocol) {
  const call = (name, args) => client.callTool({ name, arguments: args });
  const { tools } = await client.listTools();
  const { resourceTemplates } = await client.listResourceTemplates();
  const { prompts } = await client.listPrompts();
  const prompt = await client.getPrompt({
    name: "review_build",
    arguments: { buildId: task.buildId },
  });
  const repositories = await call("list_repos", {});
  const build = await call("get_build", { buildId: task.buildId });
  const image = await client.readResource({ uri: link(build) });
  const error = await call("get_build", { buildId: "build_of_nobody" });
  const unknownTool = await call("no_such_tool", {}).then(unexpected, (failure) => failure.code);
  const decision = await call("review_screenshot", {
    screenshotId: mine(build),
    state: "rejected",
    comment: task.comment,
  });
  const looked = { protocol, tools, resourceTemplates, prompts, prompt, repositories, build, image };
  console.log(JSON.stringify({ ...looked, error, unknownTool, decision }));
  await client.close();
}

function link(result) {
  const block = result.content.find(({ type }) => type === "resource_link");
  if (!block) throw new Error("get_build links to no image.");
  return block.uri;
}

function mine(result) {
  const { screenshots } = result.structuredContent.build;
  return screenshots.find(({ storyId }) => storyId === task.storyId).id;
}

function unexpected(result) {
  throw new Error(`A tool that does not exist answered ${JSON.stringify(result)}.`);
}
