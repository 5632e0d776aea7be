/** Recorder of committed rows for a witness outside the database. */
import type { WitnessedRow } from "@venue/domain/Recovery"
import { Context } from "effect"
import { createHash } from "node:crypto"
import type { Row } from "../JournalStream.ts"

/** Called for each row that this process has committed. It runs on the order path, so it must only remember the row. */
export const Witness = Context.Reference<(row: Row) => void>("@venue/journal/witness/Witness", {
  defaultValue: () => () => {}
})

/** Length of a digest in hexadecimal digits. */
export const digestLength = 16

export const digestOf = (events: Uint8Array): string =>
  createHash("sha256").update(events).digest("hex").slice(0, digestLength)

export const witnessedOf = ({ epoch, events, seq, stream }: Row): WitnessedRow => ({
  stream,
  seq,
  epoch,
  digest: digestOf(events)
})
