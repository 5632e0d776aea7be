/** Tests of a venue whose nodes have clocks one minute apart. */
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import * as DatabaseClock from "@venue/postgres/DatabaseClock"
import { WalletNonces } from "@venue/storage/access/WalletNonces"
import type { Client } from "@venue/testing/Client"
import { TestVenue, type TestUser } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, type Redacted, Schedule } from "effect"
import { createHmac } from "node:crypto"
import { freshDatabase } from "../Postgres.ts"
import { freePort, gateway, runner } from "./VenueNodes.ts"

const symbols = ["AAPL-USD", "NVDA-USD", "TSLA-USD", "MSFT-USD"]

/** Returns a node clock with this offset in milliseconds. */
const off = (shiftMillis: number) =>
  DatabaseClock.layerShifted.pipe(Layer.provide(Layer.succeed(DatabaseClock.ClockShift)(shiftMillis)))

const startRunner = Effect.fnUntraced(function* (url: Redacted.Redacted, shiftMillis: number) {
  const port = yield* Effect.promise(freePort)
  const services = yield* Layer.build(Layer.provide(runner(url, port), off(shiftMillis)))
  return Context.get(services, LocalEntities).markets
})

const startGateway = Effect.fnUntraced(function* (url: Redacted.Redacted, shiftMillis: number) {
  const services = yield* Layer.build(Layer.provide(gateway(url), off(shiftMillis)))
  return { services, venue: Context.get(services, TestVenue) }
})

/** Signs in with a nonce and a timestamp at this offset in seconds from now, and returns the reply. */
const signIn = Effect.fnUntraced(function* (client: Client, user: TestUser, nonce: string, seconds: number) {
  const unix_ts = Math.floor((yield* Clock.currentTimeMillis) / 1_000) + seconds
  const signature = createHmac("sha256", user.secretKey).update(`${nonce}:${unix_ts}`).digest("hex")
  yield* client.send({ type: "auth", params: { hmac: { public_key: user.publicKey, nonce, unix_ts, signature } } })
  return yield* Effect.raceFirst(client.take("authenticated"), client.take("err"))
})

/** Places a resting order in each market and returns the replies. */
const rest = (client: Client, price: number) =>
  Effect.forEach(symbols, (symbol) =>
    Effect.andThen(
      client.send({
        type: "add_order",
        params: { symbol, side: "BUY", order_type: "LIMIT", order_time_in_force: "GTC", quantity: 0.1, price }
      }),
      Effect.map(Effect.raceFirst(client.take("order_response"), client.take("err")), (answer): string =>
        "err" in answer ? answer["err"].error_code : answer["order_response"].status
      )
    )
  )

it.live(
  "I36, I37: accepts the same orders, signatures and nonces on nodes whose clocks are one minute apart",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const slow = yield* startRunner(url, -30_000)
      const fast = yield* startRunner(url, 30_000)
      const early = yield* startGateway(url, -30_000)
      const late = yield* startGateway(url, 30_000)
      for (const symbol of symbols) {
        yield* Effect.retry(Effect.sandbox(late.venue.price(symbol, 200)), Schedule.spaced("200 millis"))
      }
      yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => slow.size > 0 && fast.size > 0 })
      const database = Context.get(early.services as Context.Context<never>, Clock.Clock)

      yield* Effect.gen(function* () {
        const user = yield* early.venue.user("ann")
        // The oldest and the newest valid signature.
        const old = yield* early.venue.connect
        assert.property(yield* signIn(old, user, "aa01", -295), "authenticated")
        const young = yield* late.venue.connect
        assert.property(yield* signIn(young, user, "aa02", 295), "authenticated")
        const again = yield* late.venue.connect
        assert.property(yield* signIn(again, user, "aa01", 0), "err")

        for (const client of [old, young]) {
          yield* client.send({ type: "subscribe", params: { channels: ["order_responses"] } })
          yield* client.take("subscribed")
        }
        const acked = symbols.map(() => "ACK")
        assert.deepEqual(yield* rest(old, 190), acked)
        assert.deepEqual(yield* rest(young, 191), acked)
        assert.deepEqual(yield* rest(old, 192), acked)

        const nonces = (node: typeof early) => Context.get(node.services, WalletNonces)
        const expiresAtMillis = (yield* Clock.currentTimeMillis) + 20_000
        yield* nonces(early).use("signin", "0xab", "first", { issuedAtMillis: 0, expiresAtMillis })
        yield* Effect.provide(
          nonces(late).use("signin", "0xab", "second", { issuedAtMillis: 0, expiresAtMillis }),
          late.services
        )
        const used = yield* Effect.flip(
          nonces(early).use("signin", "0xab", "first", { issuedAtMillis: 0, expiresAtMillis })
        )
        assert.strictEqual(used._tag, "WalletNonceUsed")
      }).pipe(Effect.provideService(Clock.Clock, database))
    }),
  900_000
)
