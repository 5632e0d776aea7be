/**
 * Passes over the journal. A pass begins at the first rows or at a checkpoint, and its audit then follows the journal.
 * A full pass starts regularly beside the current one and replaces it.
 */
import { Clock, Effect, identity } from "effect"
import { SqlClient } from "effect/sql"
import * as Audit from "./Audit.ts"
import * as CheckpointTable from "./CheckpointTable.ts"

export interface Pass {
  readonly audit: Audit.Audit
  /** End of the full pass on which the sums are based, in ms since 1970; undefined until it has ended. */
  fullPassAtMillis: number | undefined
  /** Time of the last checkpoint, and the time that it took, in ms. */
  savedAtMillis: number
  saveTookMillis: number
}

const of = (audit: Audit.Audit, fullPassAtMillis: number | undefined): Pass => ({
  audit,
  fullPassAtMillis,
  savedAtMillis: -Infinity,
  saveTookMillis: 0
})

/** Begins a full pass. */
export const full = Effect.map(Audit.make(), (audit) => of(audit, undefined))

/** Continues from the stored checkpoint. Begins a full pass if there is no usable checkpoint, or `isFull`. */
export const begin = Effect.fnUntraced(function* (isFull: boolean) {
  const sql = yield* SqlClient.SqlClient
  if (isFull) return yield* full
  const checkpoint = yield* CheckpointTable.load(sql)
  if (checkpoint !== undefined && !("unusable" in checkpoint)) {
    return of(yield* Audit.make(checkpoint.state), checkpoint.fullPassAtMillis)
  }
  const reason = checkpoint?.unusable ?? "no checkpoint exists"
  yield* Effect.logInfo(`the auditor reads the whole journal, because it has no usable checkpoint: ${reason}`)
  return yield* full
})

/**
 * Saves the pass's state when it is due. After a fault, removes the checkpoint instead, so that the auditor reads all
 * rows again after a repair and a restart.
 */
export const save = Effect.fnUntraced(function* (pass: Pass, fault: string | null) {
  const sql = yield* SqlClient.SqlClient
  const startedMillis = yield* Clock.currentTimeMillis
  pass.fullPassAtMillis ??= startedMillis
  if (fault !== null) {
    pass.savedAtMillis = -Infinity
    return yield* CheckpointTable.remove(sql)
  }
  if (startedMillis - pass.savedAtMillis < Math.max(saveEveryMillis, restFactor * pass.saveTookMillis)) return
  const state = pass.audit.checkpoint()
  if (state === undefined) return
  yield* CheckpointTable.save(sql, { state, fullPassAtMillis: pass.fullPassAtMillis })
  pass.savedAtMillis = yield* Clock.currentTimeMillis
  pass.saveTookMillis = pass.savedAtMillis - startedMillis
})

/** Makes a full pass if the current pass's sums are older than `everyMillis`. Returns it, or undefined. */
export const renew = Effect.fnUntraced(function* ({ fullPassAtMillis }: Pass, everyMillis: number) {
  const now = yield* Clock.currentTimeMillis
  if (fullPassAtMillis === undefined || now - fullPassAtMillis < everyMillis) return undefined
  yield* Effect.logInfo("the regular full pass over the journal has begun")
  const pass = yield* full
  // A fault remains in the audit, whose next round returns it.
  yield* pass.audit.round
  pass.fullPassAtMillis = yield* Clock.currentTimeMillis
  yield* Effect.logInfo(`the regular full pass over the journal has ended after ${pass.fullPassAtMillis - now} ms`)
  return identity<Pass>(pass)
})

/** Least time between two checkpoints. */
const saveEveryMillis = 60_000
/** Least time between two checkpoints, as a multiple of the time that the last one took. */
const restFactor = 20
