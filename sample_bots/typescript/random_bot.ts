// Chooses any legal action, each as likely as the others.

import { credentials, loadPackageDefinition, ServiceClientConstructor } from "@grpc/grpc-js";
import type { ServiceError } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { fileURLToPath } from "node:url";

/** The fields that this bot reads; `arena.proto` explains them and all others. */
interface Decision {
  seed: number;
  legal: Uint8Array;
}

interface PlayResponse {
  kind?: "welcome" | "ask" | "fault" | "deal_ended" | "goodbye";
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

const client = new Client(process.env.ARENA_ADDRESS ?? "", credentials.createInsecure());
const stream = client.Play!();

stream.on("data", (response: PlayResponse) => {
  if (response.kind === "ask") {
    const { ask_id, decisions } = response.ask!;
    stream.write({ answer: { ask_id, actions: Buffer.from(decisions.map(choose)) } });
  } else if (response.kind === "fault") {
    console.error(`fault: ${response.fault!.detail}`);
  } else if (response.kind === "goodbye" && response.goodbye!.reason !== "GOODBYE_REASON_FINISHED") {
    console.error(`goodbye: ${response.goodbye!.detail}`);
  }
});
stream.on("end", () => stream.end());
stream.on("error", (error: ServiceError) => console.error(error.message));
stream.on("close", () => client.close());
process.on("SIGTERM", () => process.exit(0));

const hello = { name: "random (TypeScript)", version: "1", protocol: 1, max_batch: 64 };
stream.write({ hello: { ...hello, token: process.env.ARENA_TOKEN ?? "" } });
