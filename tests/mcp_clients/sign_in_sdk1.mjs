// Signing in by the TypeScript SDK 1.x.

import { UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { endpoint, follow, identity } from "./sign_in.mjs";

await follow({
  UnauthorizedError,
  client: () => new Client(identity),
  transport: (authProvider) => new StreamableHTTPClientTransport(endpoint, { authProvider }),
  finish: (transport, parameters) => transport.finishAuth(parameters.get("code")),
});
