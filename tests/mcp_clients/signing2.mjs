// Signing in by the TypeScript SDK 2.x, which also looks at who answered (RFC 9207).

import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";

import { address, follow, identity } from "./signing.mjs";

await follow({
  UnauthorizedError,
  client: () => new Client(identity, { versionNegotiation: { mode: "auto" } }),
  transport: (authProvider) => new StreamableHTTPClientTransport(address, { authProvider }),
  finish: (transport, parameters) => transport.finishAuth(parameters),
});
