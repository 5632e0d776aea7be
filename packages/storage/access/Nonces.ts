/** Nonces of signed requests, stored long enough to reject a replay on any node and after a restart. */
import { Clock, Context, Effect, Exit, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { text } from "@venue/postgres/Column"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as GivenUp from "@venue/postgres/GivenUp"
import * as Migrations from "@venue/postgres/Migrations"
import { credentialsFrom } from "../recovery/CredentialsFrom.ts"
import * as Table from "@venue/postgres/Table"

const nonceTable = Table.make("nonce", { publicKey: text, nonce: text })
/** The statement that stores the nonce also reads the key's state, because the caller's cached key might be revoked. */
const claimedNonces = nonceTable.with({
  isRevoked: {
    schema: Schema.Boolean,
    expression: "not exists (select from api_key where api_key.public_key = nonce.public_key and revoked_at is null)"
  },
  /** Time before which requests must not be dated after a recovery, as their nonces might be lost; null without one. */
  fromMillis: {
    schema: Schema.NullOr(Schema.Number),
    expression: `(extract(epoch from ${credentialsFrom}) * 1000)::float8`
  }
})
type ClaimedNonce = Table.Row<typeof claimedNonces>

export class NonceReused extends Schema.TaggedError<NonceReused>()("NonceReused", {
  publicKey: Schema.String,
  nonce: Schema.String
}) {}

export class KeyRevoked extends Schema.TaggedError<KeyRevoked>()("KeyRevoked", {
  publicKey: Schema.String
}) {}

type Claimed = Exit.Exit<void, NonceReused | KeyRevoked | DatabaseUnavailable>

export class Nonces extends Context.Service<
  Nonces,
  {
    /**
     * Stores a nonce. Succeeds once per key and nonce, regardless of letter case. The in-memory store forgets a nonce
     * after 15 minutes; the database store, when its row is pruned. After `DatabaseUnavailable`, the nonce might be
     * stored, so use a new one. The database rejects nonces of unknown and revoked keys. After a recovery it rejects
     * requests that are dated before it as reused, because their nonces might have been used in the lost time.
     */
    readonly claim: (
      publicKey: string,
      nonce: string,
      /** Time that the request states, in Unix milliseconds. */
      datedMillis: number
    ) => Effect.Effect<void, NonceReused | KeyRevoked | DatabaseUnavailable>
  }
>()("@venue/storage/access/Nonces") {
  static readonly layerMemory: Layer.Layer<Nonces> = Layer.effect(
    Nonces,
    Effect.map(Clock.Clock, (clock) => {
      const freeAtMillis = new Map<string, number>()
      return of((publicKey, nonce, done) => {
        const now = clock.currentTimeMillisUnsafe()
        // A Map iterates in insertion order, so the oldest entries come first.
        for (const [key, at] of freeAtMillis) {
          if (at > now) break
          freeAtMillis.delete(key)
        }
        const key = nonceKey(publicKey, nonce)
        if (freeAtMillis.has(key)) return done(Exit.fail(new NonceReused({ publicKey, nonce })))
        freeAtMillis.set(key, now + windowMillis)
        done(Exit.void)
      })
    })
  )

  static readonly layer: Layer.Layer<Nonces, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Nonces,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(Migrations.layer))
}

/** `claim` can call `done` synchronously. */
const of = (
  claim: (publicKey: string, nonce: string, done: (exit: Claimed) => void, datedMillis: number) => void
): Nonces["Service"] =>
  Nonces.of({
    claim: (publicKey, nonce, datedMillis) => Effect.callback((resume) => claim(publicKey, nonce, resume, datedMillis))
  })

const windowMillis = 15 * 60 * 1000
/** Maximum number of nonces in one insert; further ones go into the next insert. */
const maxGroup = 1_000
/** Maximum queue length. If it is exceeded, the database is so slow that waiting does not help. */
const maxWaiting = 20_000
/** Time limit of an insert. After a timeout, the next insert uses another connection. */
const giveUpAfter = "3 seconds"
/** Maximum number of rows that one statement deletes, so that no nonce has to wait long for a deletion. */
const maxPruned = 5_000
const maxBatches = 200

interface Claim {
  readonly publicKey: string
  readonly nonce: string
  readonly key: string
  readonly done: (exit: Claimed) => void
  readonly datedMillis: number
}

/** Queues nonces while an insert is in flight; the next insert stores all of them. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const runFork = Effect.runForkWith(yield* Effect.context())
  let waiting: Array<Claim> = []
  let isInFlight = false

  const start = () => {
    const group = waiting.slice(0, maxGroup)
    waiting = waiting.slice(maxGroup)
    isInFlight = group.length > 0
    if (!isInFlight) return
    // If the queue contains a nonce twice, only the first entry succeeds. The rows are sorted, because two nodes that
    // insert in different orders could deadlock.
    const first = new Map(group.toReversed().map((claim) => [claim.key, claim]))
    const rows = [...first.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
    const claims = nonceTable.batch(rows.map(({ nonce, publicKey }) => ({ publicKey, nonce: nonce.toLowerCase() })))
    const claimed = claimedNonces.all(
      sql`${claims.insert(0, claims.rows)} on conflict do nothing returning ${claimedNonces.columns}`
    )
    runFork(GivenUp.after(giveUpAfter)(claimed)).addObserver((exit) => {
      answer(group, first, exit)
      start()
    })
  }

  yield* Effect.forkScoped(housekeeping(sql))
  return of((publicKey, nonce, done, datedMillis) => {
    if (waiting.length >= maxWaiting) {
      return done(
        Exit.fail(new DatabaseUnavailable({ cause: new Error("more than 20,000 nonces wait for the database") }))
      )
    }
    waiting.push({ publicKey, nonce, key: nonceKey(publicKey, nonce), done, datedMillis })
    if (isInFlight) return
    // Waits for the end of this turn of the event loop, so that the first insert includes all the turn's nonces.
    isInFlight = true
    setImmediate(start)
  })
})

const answer = (
  group: ReadonlyArray<Claim>,
  first: ReadonlyMap<string, Claim>,
  exit: Exit.Exit<ReadonlyArray<ClaimedNonce>, SqlError>
) => {
  if (Exit.isFailure(exit)) {
    for (const { done } of group) done(Exit.fail(new DatabaseUnavailable({ cause: exit.cause })))
    return
  }
  const taken = new Map(exit.value.map((row) => [nonceKey(row.publicKey, row.nonce), row]))
  for (const claim of group) {
    const { datedMillis, done, key, nonce, publicKey } = claim
    const row = first.get(key) === claim ? taken.get(key) : undefined
    if (row === undefined || datedMillis < (row.fromMillis ?? 0)) done(Exit.fail(new NonceReused({ publicKey, nonce })))
    else done(row.isRevoked ? Exit.fail(new KeyRevoked({ publicKey })) : Exit.void)
  }
}

/** Prunes expired nonces. Every node does this and skips rows that another node is deleting. */
const housekeeping = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    yield* Effect.sleep("1 minute")
    for (let batch = 0; batch < maxBatches; batch++) {
      const deleted = yield* prune(sql)
      if (deleted.length < maxPruned) return
    }
  }).pipe(
    Effect.catchCause((cause) =>
      DatabaseOutage.report(cause, Effect.logWarning("old nonces could not be pruned", cause))
    ),
    Effect.forever
  )

const nonceKey = (publicKey: string, nonce: string) => `${publicKey}:${nonce.toLowerCase()}`

const prune = (sql: SqlClient.SqlClient) => sql`
  delete from nonce where (public_key, nonce) in (
    select public_key, nonce from nonce
    where claimed_at < now() - interval '20 minutes'
    order by claimed_at limit ${maxPruned}
    for update skip locked
  )
  returning 1`
