// Signing in by the TypeScript SDK 1.x.

import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { address, follow, identity } from "./signing.mjs";

await follow({
  UnauthorizedError,
  client: () => new Client(identity),
  transport: (authProvider) => new StreamableHTTPClientTransport(address, { authProvider }),
  finish: (transport, parameters) => transport.finishAuth(parameters.get("code")),
});
