/** The auditor's newest checkpoint in the database, sealed with a digest and replaced in one transaction. */
import { release } from "@venue/api/Release"
import { Effect, identity } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { createHash } from "node:crypto"
import * as Checkpoint from "./Checkpoint.ts"

export interface SealedCheckpoint {
  readonly state: Uint8Array
  /** End of the last pass over the whole journal, in ms since 1970. */
  readonly fullPassAtMillis: number
}

/** Reason why a stored checkpoint is not used. */
export interface Unusable {
  readonly unusable: string
}

/** Another release might sum the journal differently, so its state is not continued. */
const version = `${release} format ${Checkpoint.format}`

export const load = (sql: SqlClient.SqlClient): Effect.Effect<SealedCheckpoint | Unusable | undefined, SqlError> =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set transaction isolation level repeatable read, read only`
      const [header] = yield* values(sql, "select version, full_pass_at, bytes, digest from audit_checkpoint", [])
      if (header === undefined) return undefined
      const [storedVersion, fullPassAt, bytes, digest] = header as [string, unknown, unknown, Uint8Array]
      if (storedVersion !== version) {
        return {
          unusable: `the stored checkpoint is from release ${storedVersion}, and this auditor is from release ${version}`
        }
      }
      const state = new Uint8Array(Number(bytes))
      for (let at = 0, number = 0; at < state.length; number++) {
        const [piece] = yield* values(sql, "select piece from audit_checkpoint_piece where number = $1", [number])
        const part = piece?.[0] as Uint8Array | undefined
        if (part === undefined || at + part.length > state.length) return { unusable: `piece ${number} is missing` }
        state.set(part, at)
        at += part.length
      }
      const checkpoint = { state, fullPassAtMillis: Number(fullPassAt) }
      return Buffer.compare(digest, digestOf(checkpoint)) === 0
        ? checkpoint
        : { unusable: "the digest of the stored checkpoint is wrong" }
    })
  )

/** Replaces the checkpoint. The lock on its header row makes a second auditor that saves at the same time wait. */
export const save = (sql: SqlClient.SqlClient, checkpoint: SealedCheckpoint): Effect.Effect<void, SqlError> =>
  sql.withTransaction(
    Effect.gen(function* () {
      const { fullPassAtMillis, state } = checkpoint
      yield* values(sql, saveHeader, [version, BigInt(fullPassAtMillis), BigInt(state.length), digestOf(checkpoint)])
      yield* values(sql, "delete from audit_checkpoint_piece", [])
      for (let number = 0; number * pieceBytes < state.length; number++) {
        const piece = state.subarray(number * pieceBytes, (number + 1) * pieceBytes)
        yield* values(sql, "insert into audit_checkpoint_piece (number, piece) values ($1, $2)", [number, piece])
      }
    })
  )

export const remove = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError> =>
  Effect.asVoid(values(sql, "delete from audit_checkpoint", []))

const values = (sql: SqlClient.SqlClient, text: string, parameters: ReadonlyArray<unknown>) =>
  sql.unsafe(text, parameters).valuesUnprepared as Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError>

const digestOf = ({ fullPassAtMillis, state }: SealedCheckpoint): Uint8Array =>
  identity<Uint8Array>(createHash("sha256").update(`${version} ${fullPassAtMillis} `).update(state).digest())

const saveHeader = `
  insert into audit_checkpoint (version, full_pass_at, bytes, digest) values ($1, $2, $3, $4)
  on conflict (is_only) do update set version = excluded.version, full_pass_at = excluded.full_pass_at,
    bytes = excluded.bytes, digest = excluded.digest, saved_at = clock_timestamp()`

/** Size of a stored piece; the driver rejects very large messages. */
const pieceBytes = 4 * 1024 * 1024
