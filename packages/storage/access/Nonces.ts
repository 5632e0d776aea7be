/** Remembers request nonces long enough to refuse a replay, on every node and over restarts. */
import { Clock, Context, Effect, Exit, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { text } from "@venue/postgres/Column"
import * as DatabaseOutage from "@venue/postgres/DatabaseOutage"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as GivenUp from "@venue/postgres/GivenUp"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"

const nonceTable = Table.make("nonce", { publicKey: text, nonce: text })
/** Whoever asks knows the key from earlier; the statement that takes the nonce sees whether it was revoked since. */
const claimedNonces = nonceTable.with({
  isRevoked: {
    schema: Schema.Boolean,
    expression: "not exists (select from api_key where api_key.public_key = nonce.public_key and revoked_at is null)"
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
     * Succeeds once for each key and nonce within 15 minutes, whatever the case of its letters. In memory the nonce is
     * free again after them, in the database once it was pruned. After `DatabaseUnavailable` it may be used up: take a
     * new one. In the database a nonce of a key that is not there, or was revoked before it was asked for, is refused.
     */
    readonly claim: (
      publicKey: string,
      nonce: string
    ) => Effect.Effect<void, NonceReused | KeyRevoked | DatabaseUnavailable>
  }
>()("@venue/storage/access/Nonces") {
  static readonly layerMemory: Layer.Layer<Nonces> = Layer.effect(
    Nonces,
    Effect.map(Clock.Clock, (clock) => {
      const freeAtMillis = new Map<string, number>()
      return of((publicKey, nonce, done) => {
        const now = clock.currentTimeMillisUnsafe()
        // The oldest are the first of the map.
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

/** `done` may be called at once. */
const of = (claim: (publicKey: string, nonce: string, done: (exit: Claimed) => void) => void): Nonces["Service"] =>
  Nonces.of({ claim: (publicKey, nonce) => Effect.callback((resume) => claim(publicKey, nonce, resume)) })

const windowMillis = 15 * 60 * 1000
/** One insert takes this many nonces; the others go with the next. */
const maxGroup = 1_000
/** Beyond this many the database is not keeping up, and to wait would not help. */
const maxWaiting = 20_000
/** An insert that hangs so long keeps nobody else waiting: the next takes another connection. */
const giveUpAfter = "3 seconds"
/** One statement deletes this many rows, so that no claim waits long for it. */
const maxPruned = 5_000
const maxBatches = 200

interface Asking {
  readonly publicKey: string
  readonly nonce: string
  readonly key: string
  readonly done: (exit: Claimed) => void
}

/** What was asked while an insert was in flight goes with the next one. */
const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const runFork = Effect.runForkWith(yield* Effect.context())
  let waiting: Array<Asking> = []
  let isFlying = false

  const start = () => {
    const group = waiting.slice(0, maxGroup)
    waiting = waiting.slice(maxGroup)
    isFlying = group.length > 0
    if (!isFlying) return
    // The first of equal ones stands for all; sorted, or two nodes would deadlock.
    const first = new Map(group.toReversed().map((asking) => [asking.key, asking]))
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
  return of((publicKey, nonce, done) => {
    if (waiting.length >= maxWaiting) {
      return done(Exit.fail(new DatabaseUnavailable({ cause: new Error("too many wait") })))
    }
    waiting.push({ publicKey, nonce, key: nonceKey(publicKey, nonce), done })
    if (isFlying) return
    // The rest of this turn of the event loop joins the first of an idle time.
    isFlying = true
    setImmediate(start)
  })
})

const answer = (
  group: ReadonlyArray<Asking>,
  first: ReadonlyMap<string, Asking>,
  exit: Exit.Exit<ReadonlyArray<ClaimedNonce>, SqlError>
) => {
  if (Exit.isFailure(exit)) {
    for (const { done } of group) done(Exit.fail(new DatabaseUnavailable({ cause: exit.cause })))
    return
  }
  const taken = new Map(exit.value.map(({ isRevoked, nonce, publicKey }) => [nonceKey(publicKey, nonce), isRevoked]))
  for (const asking of group) {
    const { done, key, nonce, publicKey } = asking
    const isRevoked = first.get(key) === asking ? taken.get(key) : undefined
    if (isRevoked === undefined) done(Exit.fail(new NonceReused({ publicKey, nonce })))
    else done(isRevoked ? Exit.fail(new KeyRevoked({ publicKey })) : Exit.void)
  }
}

/** Every node prunes; rows that another one is deleting are left to it. */
const housekeeping = (sql: SqlClient.SqlClient) =>
  Effect.gen(function* () {
    yield* Effect.sleep("1 minute")
    for (let batch = 0; batch < maxBatches; batch++) {
      const deleted = yield* prune(sql)
      if (deleted.length < maxPruned) return
    }
  }).pipe(
    Effect.catchCause((cause) => DatabaseOutage.report(cause, Effect.logWarning("nonces not pruned", cause))),
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
