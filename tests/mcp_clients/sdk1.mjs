// The TypeScript SDK 1.x, which speaks the handshake era.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { errand, identity, requestInit, run } from "./errand.mjs";

const transport = new StreamableHTTPClientTransport(new URL(errand.address), { requestInit });
const client = new Client(identity);
await client.connect(transport);
await run(client, transport.protocolVersion);
