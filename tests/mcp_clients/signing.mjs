// A client that signs in. Lines of JSON tell it what to do; in lines of JSON it tells which address
// a person must open, and what came of it: {"open"}, {"told"} or {"failed"}.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const errand = JSON.parse(process.env.ERRAND ?? "{}");

export const address = new URL(errand.address);
export const identity = { name: `test-${errand.client}`, version: "1.0.0" };

/** Keeps what both SDKs hand over, and receives the answer of the sign-in. */
class Keeper {
  clientMetadataUrl = errand.document ?? undefined;
  #kept = {};
  #state;
  #answer;
  #listener = createServer((request, response) => {
    const url = new URL(request.url, this.redirectUrl);
    response.end("You can close this page.");
    // A browser asks for more than the answer, such as an icon.
    if (url.pathname === "/callback") this.#answer?.(url.searchParams);
  });

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
    this.answered = new Promise((resolve) => {
      this.#answer = resolve;
    });
    tell({ open: url.href });
  }

  /** The parameters of the answer; throws when the person said no. */
  async parameters() {
    const found = await this.answered;
    if (found.get("state") !== this.#state) throw new Error("The answer has another state.");
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

  /** Signs out on this side. */
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

/** Follows the lines; `sdk` makes clients and transports, and knows the error of a sign-in. */
export async function follow(sdk) {
  const keeper = new Keeper();
  await keeper.listen();
  let client, transport;
  const signedIn = async (attempt) => {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof sdk.UnauthorizedError)) throw error;
      await sdk.finish(transport, await keeper.parameters());
      return attempt();
    }
  };
  const commands = {
    connect: async () => {
      client = sdk.client();
      transport = sdk.transport(keeper);
      await client.connect(transport);
      return "connected";
    },
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: ({ tool, arguments: given }) => client.callTool({ name: tool, arguments: given }),
    expire: () => keeper.expire(),
    forget: () => keeper.forget(),
    kept: () => ({ ...keeper.tokens(), ...keeper.clientInformation() }),
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const command = JSON.parse(line);
    try {
      tell({ told: (await signedIn(() => commands[command.do](command))) ?? null });
    } catch (error) {
      tell({ failed: String(error) });
    }
  }
  keeper.close();
  await client?.close();
}
