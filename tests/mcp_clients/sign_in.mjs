// A client that signs in. Lines of JSON are its commands; in lines of JSON it tells which URL a
// person must open, and what came of the command: {"open"}, {"result"} or {"failed"}.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const given = JSON.parse(process.env.CLIENT ?? "{}");

export const endpoint = new URL(given.endpoint);
export const identity = { name: `test-${given.client}`, version: "1.0.0" };

/** Stores what both SDKs hand over, and receives the response of the sign-in. */
class Store {
  #kept = {};
  #state;
  #receive;
  #listener = createServer((request, response) => {
    const url = new URL(request.url, this.redirectUrl);
    response.end("You can close this page.");
    // A browser asks for more than the callback, such as an icon.
    if (url.pathname === "/callback") this.#receive?.(url.searchParams);
  });

  /** `document` is the URL that describes the client, where it has one. */
  constructor(document) {
    this.clientMetadataUrl = document ?? undefined;
  }

  async listen() {
    await new Promise((resolve) => this.#listener.listen(0, "127.0.0.1", resolve));
  }

  close() {
    this.#listener.close();
    this.#listener.closeAllConnections();
  }

  get redirectUrl() {
    return `http://127.0.0.1:${this.#listener.address().port}/callback`;
  }

  get clientMetadata() {
    return {
      client_name: identity.name,
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    };
  }

  state() {
    this.#state = randomUUID();
    return this.#state;
  }

  redirectToAuthorization(url) {
    this.received = new Promise((resolve) => {
      this.#receive = resolve;
    });
    tell({ open: url.href });
  }

  /** The parameters of the response; throws when the person denied access. */
  async parameters() {
    const found = await this.received;
    if (found.get("state") !== this.#state) throw new Error("The response has another state.");
    if (found.has("error")) throw new Error(found.get("error"));
    return found;
  }

  clientInformation() {
    return this.#kept.client;
  }

  saveClientInformation(client) {
    this.#kept.client = client;
  }

  tokens() {
    return this.#kept.tokens;
  }

  saveTokens(tokens) {
    this.#kept.tokens = tokens;
  }

  codeVerifier() {
    return this.#kept.verifier;
  }

  saveCodeVerifier(verifier) {
    this.#kept.verifier = verifier;
  }

  discoveryState() {
    return this.#kept.discovery;
  }

  saveDiscoveryState(state) {
    this.#kept.discovery = state;
  }

  invalidateCredentials(scope) {
    if (scope === "all" || scope === "tokens") this.forget();
    if (scope === "all" || scope === "client") delete this.#kept.client;
  }

  /** Forgets the tokens; the service still knows them. */
  forget() {
    delete this.#kept.tokens;
  }

  /** What the client holds after its access token has run out. */
  expire() {
    this.#kept.tokens = { ...this.#kept.tokens, access_token: "run out" };
  }
}

function tell(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

/** Follows the commands; `sdk` makes clients and transports, and knows the error of a sign-in. */
export async function follow(sdk) {
  let store, client, transport;
  const disconnect = async () => {
    store?.close();
    await client?.close();
  };
  const signedIn = async (attempt) => {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof sdk.UnauthorizedError)) throw error;
      await sdk.finish(transport, await store.parameters());
      return attempt();
    }
  };
  const commands = {
    /** A client that has never been here; what an earlier one stored is gone. */
    start: async ({ document }) => {
      await disconnect();
      store = new Store(document);
      await store.listen();
    },
    connect: async () => {
      client = sdk.client();
      transport = sdk.transport(store);
      await client.connect(transport);
      return "connected";
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: ({ tool, arguments: given }) => client.callTool({ name: tool, arguments: given }),
    expire: () => store.expire(),
    forget: () => store.forget(),
    stored: () => ({ ...store.tokens(), ...store.clientInformation() }),
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const command = JSON.parse(line);
    try {
      tell({ result: (await signedIn(() => commands[command.do](command))) ?? null });
    } catch (error) {
      tell({ failed: String(error) });
    }
  }
  await disconnect();
}
