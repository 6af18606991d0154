// Chooses any legal action, each as likely as the others.

import { credentials, loadPackageDefinition, ServiceClientConstructor, status } from "@grpc/grpc-js";
import type { ServiceError } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The fields that this bot reads; `arena.proto` explains them and all others. */
interface Decision {
  seed: number;
  legal: Uint8Array;
}

interface PlayResponse {
  kind?: "welcome" | "ask" | "fault" | "deal_ended" | "goodbye";
  welcome?: { resume: string };
  ask?: { ask_id: number; decisions: Decision[] };
  fault?: { detail: string };
  goodbye?: { reason: string; detail: string };
}

function choose(decision: Decision): number {
  const { seed, legal } = decision;
  return legal[seed % legal.length]!;
}

const besideThisFile = fileURLToPath(new URL("../../../proto/arena/v1/arena.proto", import.meta.url));
const definition = loadSync(process.env.ARENA_PROTO ?? besideThisFile, {
  keepCase: true,
  enums: String,
  defaults: true,
  oneofs: true,
});
const arena = (loadPackageDefinition(definition) as any).arena.v1;
const Client: ServiceClientConstructor = arena.ArenaService;

/** Where the environment says so, the bot dials in by itself: see sample_bots/README.md. */
const { ARENA_ADDRESS, ARENA_TOKEN, ARENA_TLS, ARENA_KEY, ARENA_CERTIFICATE } = process.env;
const seats = Number(process.env.ARENA_STREAMS ?? 0);
const content = (file?: string) => (file ? readFileSync(file) : null);
const papers = ARENA_TLS
  ? credentials.createSsl(
      ARENA_TLS === "system" ? null : content(ARENA_TLS),
      content(ARENA_KEY),
      content(ARENA_CERTIFICATE),
    )
  : credentials.createInsecure();
const client = new Client(ARENA_ADDRESS ?? "", papers);
const hello = { name: "random (TypeScript)", version: "1", protocol: 1, max_batch: 64, token: ARENA_TOKEN ?? "" };

/** Ends of a stream that trying again makes no better. */
const forGood = [status.UNAUTHENTICATED, status.INVALID_ARGUMENT, status.FAILED_PRECONDITION];

let lastError = "";

/** Plays at one table; then, from afar, at the next one, or at the same where the stream broke. */
function sit(resume: string): void {
  const stream = client.Play!();
  let ticket = resume; // until a table has its own, or an end to the stay is said
  stream.on("data", (response: PlayResponse) => {
    if (response.kind === "welcome") {
      ticket = response.welcome!.resume;
      lastError = "";
    } else if (response.kind === "ask") {
      const { ask_id, decisions } = response.ask!;
      stream.write({ answer: { ask_id, actions: Buffer.from(decisions.map(choose)) } });
    } else if (response.kind === "fault") {
      console.error(`fault: ${response.fault!.detail}`);
    } else if (response.kind === "goodbye") {
      ticket = "";
      const { reason, detail } = response.goodbye!;
      if (reason !== "GOODBYE_REASON_FINISHED") console.error(`goodbye: ${detail}`);
    }
  });
  stream.on("end", () => stream.end());
  stream.on("error", (error: ServiceError) => {
    if (error.message !== lastError) console.error(error.message); // it is tried twice a second
    lastError = error.message;
    if (forGood.includes(error.code)) process.exit(1);
  });
  stream.on("close", () => (seats ? setTimeout(sit, 500, ticket) : client.close()));
  stream.write({ hello: { ...hello, resume } });
}

process.on("SIGTERM", () => process.exit(0));
for (let seat = 0; seat < Math.max(1, seats); seat += 1) sit("");
