// Signing in by the TypeScript SDK 2.x, which also checks the issuer (RFC 9207).

import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";

import { endpoint, follow, identity } from "./sign_in.mjs";

await follow({
  UnauthorizedError,
  client: () => new Client(identity, { versionNegotiation: { mode: "auto" } }),
  transport: (authProvider) => new StreamableHTTPClientTransport(endpoint, { authProvider }),
  finish: (transport, parameters) => transport.finishAuth(parameters),
});
