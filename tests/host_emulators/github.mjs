// Serves the emulator's GitHub with the seed in the first argument. It ends with its standard
// input, hence with the test that started it, however that ends.
import { createEmulator } from "emulate";

const seed = JSON.parse(process.argv[2]);
const github = await createEmulator({ service: "github", port: 0, seed });
const key = github.generatedSecrets.find((secret) => secret.kind === "github.app_private_key");
console.log(JSON.stringify({ url: github.url, key: key.value }));

process.stdin.on("end", async () => {
  // A connection that somebody left open must not keep it alive.
  setTimeout(() => process.exit(0), 5000);
  await github.close();
  process.exit(0);
});
process.stdin.resume();
