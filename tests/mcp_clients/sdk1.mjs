// The TypeScript SDK 1.x, which speaks the protocol versions with a handshake.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { identity, requestInit, run, task } from "./task.mjs";

const transport = new StreamableHTTPClientTransport(new URL(task.endpoint), { requestInit });
const client = new Client(identity);
await client.connect(transport);
await run(client, transport.protocolVersion);
