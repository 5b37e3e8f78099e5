// Runs an OpenID Connect provider, the package `oidc-provider`, until its standard input ends.
// Each line of the input changes what it says, and is acknowledged by a line: `people` by their id,
// a person without a value being gone, and `claims` that replace those of each ID token, which is
// signed again with the provider's own key: what a provider that misbehaves would send.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import * as jose from "jose";
import { Provider } from "oidc-provider";

const ALGORITHM = "RS256";
const people = {};
let claims = {};
const { privateKey } = await jose.generateKeyPair(ALGORITHM, { extractable: true });
const key = { ...(await jose.exportJWK(privateKey)), kid: "first", use: "sig", alg: ALGORITHM };

const server = createServer();
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const url = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(url, {
  jwks: { keys: [key] },
  features: { registration: { enabled: true }, rpInitiatedLogout: { enabled: true } },
  scopes: ["openid", "offline_access", "profile", "email", "groups"],
  claims: { email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
  // As GitLab and Auth0 do: a refresh token works once.
  rotateRefreshToken: () => true,
  issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed("refresh_token"),
  findAccount: async (_ctx, sub) =>
    people[sub]
      ? { accountId: sub, claims: async () => ({ sub, ...people[sub] }) }
      : undefined,
});
provider.use(async (ctx, next) => {
  await next();
  if (ctx.path !== "/token" || !ctx.body?.id_token || !Object.keys(claims).length) return;
  const said = { ...jose.decodeJwt(ctx.body.id_token), ...claims };
  const signed = new jose.SignJWT(said).setProtectedHeader({ alg: ALGORITHM, kid: key.kid });
  ctx.body = { ...ctx.body, id_token: await signed.sign(privateKey) };
});
server.on("request", provider.callback());
console.log(JSON.stringify({ url }));

for await (const line of createInterface({ input: process.stdin })) {
  const change = JSON.parse(line);
  Object.assign(people, change.people ?? {});
  claims = change.claims ?? claims;
  console.log(JSON.stringify({ done: true }));
}
process.exit(0);
