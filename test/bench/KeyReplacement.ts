/**
 * Time for which another node still accepts an API key after its replacement. Two nodes with key caches share one
 * database.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Hmac } from "@venue/auth/access/Hmac"
import * as KeyPair from "@venue/auth/keys/KeyPair"
import { Selectable } from "@venue/domain/Permission"
import { UserId } from "@venue/domain/UserId"
import * as AccessTables from "@venue/storage/access/AccessTables"
import { ApiKeys, type KeyPair as Pair } from "@venue/storage/access/ApiKeys"
import { Seal } from "@venue/postgres/Seal"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { Context, Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { createHmac, randomBytes, randomUUID } from "node:crypto"
import type { Options } from "./Options.ts"
import { figure, median, type Row, round, say } from "./Report.ts"
import { startServer } from "./VenueProcess.ts"

const replacements = 20
const promisedMillis = 1_000
/** A key that is still accepted after this time counts as not revoked. */
const patienceMillis = 10_000

export const replacement = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const server = await startServer(options.folder)
  const found = await Effect.runPromise(Effect.scoped(measure(Redacted.make(server.url), options.rounds)))
  await server.stop()
  return [
    {
      name: "a replaced API key on another node",
      unit: `ms until it is refused, the longest of ${replacements}`,
      anchor: "1 s",
      rounds: found.map(({ faults, millis }) => {
        const longest = round(Math.max(...millis), promisedMillis)
        return faults.length === 0 ? longest : { ...longest, void: faults.join(", ") }
      }),
      goal: { better: "lower", solid: 1, aim: 0.1 },
      notes: found.map(({ accepted, millis }, index) => `round ${index + 1}: ${told(millis, accepted)}`)
    }
  ]
}

interface Found {
  readonly millis: ReadonlyArray<number>
  /** How often the other node still accepted a replaced key. */
  readonly accepted: number
  readonly faults: ReadonlyArray<string>
}

const measure = Effect.fnUntraced(function* (url: Redacted.Redacted, rounds: number) {
  const here = yield* node(url)
  const there = yield* node(url)
  const found: Array<Found> = []
  // Round 0 only warms up both nodes.
  for (let index = 0; index <= rounds; index++) {
    const one = yield* replacedOften(here, there)
    say(`  ${index === 0 ? "warm-up" : `round ${index}`}: ${told(one.millis, one.accepted)}`)
    if (index > 0) found.push(one)
  }
  return found
})

/** Builds the services with which a node checks API keys. */
const node = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const services = yield* Layer.build(
    Hmac.layer.pipe(
      Layer.provideMerge(AccessTables.layer),
      Layer.provideMerge(SecureRandom.layerWebCrypto),
      Layer.provide(Seal.layer(Redacted.make("a secret key for the bench, and for nothing else"))),
      Layer.provide(PgClient.layer({ url, maxConnections: 10 })),
      Layer.fresh
    )
  )
  const { forget, verify } = Context.get(services, Hmac)
  /** Returns why a key is rejected, or undefined for a valid key. */
  const refusal = ({ publicKey, secret }: Pair) =>
    Effect.suspend(() => {
      const nonce = randomBytes(16).toString("hex")
      const timestamp = Math.floor(Date.now() / 1000)
      const signature = createHmac("sha256", Redacted.value(secret)).update(`${nonce}:${timestamp}`).digest("hex")
      return verify({ publicKey, nonce, timestamp, signature }, "")
    }).pipe(
      Effect.as(undefined),
      Effect.catchTag("Unauthenticated", ({ reason }) => Effect.succeed(reason))
    )
  return {
    forget,
    refusal,
    keys: Context.get(services, ApiKeys),
    pair: yield* Effect.provide(KeyPair.make, services),
    transaction: Context.get(services, Transaction),
    users: Context.get(services, Users)
  }
})
type Node = Effect.Success<ReturnType<typeof node>>

const replacedOften = Effect.fnUntraced(function* (here: Node, there: Node) {
  const userId = UserId.make(randomUUID())
  yield* here.users.create({ userId, name: "" })
  let old = yield* here.pair
  yield* here.keys.create({ ...old, userId, label: "bot", permissions: Selectable.literals, scope: userId })
  const millis: Array<number> = []
  const faults: Array<string> = []
  let accepted = 0
  while (millis.length < replacements) {
    for (const node of [here, there]) {
      const refused = yield* node.refusal(old)
      if (refused !== undefined) faults.push(`a good key was refused: ${refused}`)
    }
    const next = yield* here.pair
    const { publicKey } = old
    yield* here.transaction.run(here.keys.rotate(userId, publicKey, next))
    here.forget(publicKey)
    const answeredAt = performance.now()
    // Checks both nodes concurrently, so that neither check delays the other.
    const [atHome, attempts] = yield* Effect.all([here.refusal(old), untilRefused(there, old)], {
      concurrency: "unbounded"
    })
    millis.push(attempts.refusedAt - answeredAt)
    accepted += attempts.accepted
    if (atHome !== "revoked_key") faults.push(`where it was replaced the old key was ${atHome ?? "good"}`)
    if (attempts.reason !== "revoked_key")
      faults.push(`elsewhere the old key was ${attempts.reason ?? "good for ever"}`)
    old = next
  }
  const found: Found = { millis, accepted, faults }
  return found
})

const untilRefused = Effect.fnUntraced(function* (node: Node, pair: Pair) {
  const until = performance.now() + patienceMillis
  let accepted = 0
  while (true) {
    const reason = yield* node.refusal(pair)
    const refusedAt = performance.now()
    if (reason !== undefined || refusedAt > until) return { accepted, reason, refusedAt }
    accepted++
  }
})

const told = (millis: ReadonlyArray<number>, accepted: number): string =>
  `median ${figure(median(millis))}, worst ${figure(Math.max(...millis))} ms, good ${accepted} times in ` +
  `${replacements} replacements`
