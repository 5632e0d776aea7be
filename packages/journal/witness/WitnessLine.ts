/** Lines of a witness: JSON with a version and a checksum, one line for each row or restriction. */
import type { WitnessedFact, WitnessedRow } from "@venue/domain/Recovery"
import { Option, Schema } from "effect"
import { createHash } from "node:crypto"
import { digestLength } from "./Witness.ts"

const version = Schema.Literal(1)
const whole = Schema.Int.check(Schema.isGreaterThan(0))
const RowLine = Schema.Struct({
  v: version,
  stream: Schema.String,
  seq: whole,
  epoch: whole,
  digest: Schema.String.check(Schema.isPattern(new RegExp(`^[0-9a-f]{${digestLength}}$`)))
})
const FactLine = Schema.Struct({
  v: version,
  fact: Schema.Literals(["user", "key"]),
  subject: Schema.String,
  number: whole,
  restricted: Schema.Boolean
})
/** First line of a file: the node whose witness it is. */
const OwnerLine = Schema.Struct({ v: version, witness: Schema.String })
const Line = Schema.fromJsonString(Schema.Union([RowLine, FactLine, OwnerLine]))
const decode = Schema.decodeUnknownOption(Line)

export type Entry =
  | { readonly _tag: "Row"; readonly row: WitnessedRow }
  | { readonly _tag: "Fact"; readonly fact: WitnessedFact }
  | { readonly _tag: "Owner"; readonly name: string }

/** Longest line in characters, without its line break. */
export const longestLine = 1_024
const sumLength = 8

export const encode = (entry: Entry): string => {
  const json = JSON.stringify(valueOf(entry))
  return `${json.slice(0, -1)},"sum":"${sumOf(json)}"}`
}

/** Returns the line's content, or undefined if the line is torn, damaged or of an unknown version. */
export const read = (line: string): Entry | undefined => {
  const [, head, sum] = /^(.*),"sum":"([0-9a-f]{8})"\}$/s.exec(line) ?? []
  if (head === undefined || line.length > longestLine || sumOf(`${head}}`) !== sum) return undefined
  return Option.getOrUndefined(Option.map(decode(`${head}}`), entryOf))
}

const valueOf = (entry: Entry): typeof Line.Type => {
  if (entry._tag === "Owner") return { v: 1, witness: entry.name }
  if (entry._tag === "Row") return { v: 1, ...entry.row }
  const { isRestricted, kind, number, subject } = entry.fact
  return { v: 1, fact: kind, subject, number, restricted: isRestricted }
}

const entryOf = (value: typeof Line.Type): Entry => {
  if ("witness" in value) return { _tag: "Owner", name: value.witness }
  if ("stream" in value) {
    const { digest, epoch, seq, stream } = value
    return { _tag: "Row", row: { stream, seq, epoch, digest } }
  }
  const { fact: kind, number, restricted: isRestricted, subject } = value
  return { _tag: "Fact", fact: { kind, subject, number, isRestricted } }
}

const sumOf = (json: string): string => createHash("sha256").update(json).digest("hex").slice(0, sumLength)
