// The TypeScript SDK 2.x, which speaks both eras: `mode` is "legacy", "auto" or a pinned version.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

import { errand, identity, requestInit, run } from "./errand.mjs";

const transport = new StreamableHTTPClientTransport(new URL(errand.address), { requestInit });
const client = new Client(identity, { versionNegotiation: { mode: errand.mode } });
await client.connect(transport);
await run(client, client.getNegotiatedProtocolVersion());
