/** Stored encodings of messages with their decoded form: one file per call, one line per example. */
import { existsSync, readFileSync } from "node:fs"
import type { Json, Message } from "./Message.ts"

export interface Kept {
  readonly part: Message["part"]
  readonly value: Json
  /** Encoded bytes, in base64. */
  readonly bytes: string
}

export const file = ({ entity, rpc }: Pick<Message, "entity" | "rpc">): URL =>
  new URL(`./fixtures/${entity}.${rpc}.json`, import.meta.url)

export const kept = (of: Pick<Message, "entity" | "rpc">): ReadonlyArray<Kept> =>
  existsSync(file(of)) ? JSON.parse(readFileSync(file(of), "utf8")) : []

export const written = (all: ReadonlyArray<Kept>): string =>
  `[\n${all.map((one) => JSON.stringify(one)).join(",\n")}\n]\n`
