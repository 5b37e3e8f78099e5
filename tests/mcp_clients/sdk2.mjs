// The TypeScript SDK 2.x, which speaks both kinds of protocol versions: `mode` is "legacy", "auto" or a pinned version.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

import { identity, requestInit, run, task } from "./task.mjs";

const transport = new StreamableHTTPClientTransport(new URL(task.endpoint), { requestInit });
const client = new Client(identity, { versionNegotiation: { mode: task.mode } });
await client.connect(transport);
await run(client, client.getNegotiatedProtocolVersion());
