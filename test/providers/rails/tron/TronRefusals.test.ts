/**
 * Tests of TRON nodes that refuse: quoted messages, pauses after rate refusals, and blocks too large to read at once.
 */
import type { Scan } from "@venue/providers/rails/RailProvider"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { setTimeout } from "node:timers/promises"
import { Redacted } from "effect"
import { scene, type TronScene, urlKey, withNodes } from "./TronServer.ts"

const mine = TronAddress.ofHex(`41${"0a".repeat(20)}`)
const watched = Effect.succeed([mine])

const refusals = (name: string, test: (given: TronScene) => Effect.Effect<unknown, unknown>) =>
  it.effect(name, () => withNodes(Effect.flatMap(scene(1), test)))

const causeOf = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), (error) => String((error as { readonly cause: unknown }).cause))

/** Runs the effect, and advances the test clock until it has finished. */
const passing = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const running = yield* Effect.forkChild(effect)
    const turn = Effect.andThen(
      TestClock.adjust("50 millis"),
      Effect.promise(() => setTimeout(2))
    )
    yield* Effect.repeat(turn, { until: () => running.pollUnsafe() !== undefined })
    return yield* Fiber.join(running)
  })

describe("a node that refuses", () => {
  for (const [status, body] of [
    [400, { Error: `class org.tron.core.exception: no such contract at ${urlKey}` }],
    [200, { Error: "class org.tron.core.exception: no such contract" }],
    [403, { success: false, error: "no such contract", statusCode: 403 }]
  ] as const)
    refusals(
      `quotes a node's refusal in the alarm without the node's URL (status ${status}, body with ${Object.keys(body).join()})`,
      (tron) =>
        Effect.gen(function* () {
          const { provider, servers } = tron
          servers[0]!.refuse = () => ({ status, body })
          const cause = yield* causeOf(provider.scan(null, watched))
          assert.match(cause, /\/wallet\/\w+: .*no such contract/)
          assert.notInclude(cause, urlKey)
        })
    )

  for (const [code, message] of [
    ["DUP_TRANSACTION_ERROR", "dup trans"],
    ["TRANSACTION_EXPIRATION_ERROR", "expired"]
  ] as const)
    refusals(`treats a known or expired transaction as sent if the node responds with ${code} and status 400`, (tron) =>
      Effect.gen(function* () {
        const { provider, servers } = tron
        const payment = yield* provider.sign({
          withdrawalId: "w-1",
          destination: Redacted.make(mine),
          amount: 5_000_000n,
          paymentRail: null,
          sequence: 1,
          purpose: "pay",
          previous: []
        })
        const words = Buffer.from(message).toString("hex")
        servers[0]!.refuse = (path) =>
          path === "/wallet/broadcasthex" ? { status: 400, body: { code, message: words } } : undefined
        yield* provider.send(payment)
        servers[0]!.refuse = () => ({ status: 400, body: { code: "SIGERROR", message: words } })
        assert.match(
          yield* causeOf(provider.send(payment)),
          new RegExp(`did not accept the transaction: SIGERROR: ${message}`)
        )
      })
    )

  for (const [how, status, body] of [
    ["429", 429, {}],
    [
      "403 with a message",
      403,
      { Error: "request rate exceeded the allowed_rps(15), and the server is suspended for 1 s" }
    ],
    ["200 with a message", 200, { Error: "request rate limit exceeded" }]
  ] as const)
    refusals(`retries after a pause when the node limits the request rate (status ${how})`, (tron) =>
      Effect.gen(function* () {
        const { deposit, provider, servers } = tron
        const { cursor } = yield* provider.scan(null, watched)
        yield* deposit(mine, 5_000_000n)
        yield* tron.mine()
        let left = 2
        servers[0]!.refuse = () => (left-- > 0 ? { status, body } : undefined)
        assert.strictEqual((yield* passing(provider.scan(cursor, watched))).arrivals.length, 1)
        assert.isBelow(left, 0)
      })
    )

  for (const most of [1, 3, 10, 100])
    refusals(`reads every balance from a node limited to ${most} concurrent requests`, (tron) =>
      Effect.gen(function* () {
        const { deposit, provider, servers } = tron
        const addresses = Array.from({ length: 40 }, (_, index) => provider.addressAt!(index + 1))
        for (const address of addresses) yield* deposit(address, 1_000_000n)
        yield* tron.mine(25)
        const { cursor } = yield* provider.scan(null, Effect.succeed(addresses))
        let open = 0
        let refused = 0
        servers[0]!.slowMillis = 2
        servers[0]!.refuse = (_path, response) => {
          open += 1
          response.on("finish", () => (open -= 1))
          if (open <= most) return undefined
          refused += 1
          return { status: 429, body: {} }
        }
        const held = yield* passing(provider.holdings({ addresses, cursor, sent: [] }))
        assert.strictEqual(held._tag === "Some" ? held.value.amount : undefined, 1_000_040_000_000n)
        if (most === 1) assert.isAbove(refused, 0)
      })
    )

  refusals(
    "keeps the blocks that were read before a node refuses a request, and later continues after those blocks",
    (tron) =>
      Effect.gen(function* () {
        const { deposit, provider, servers } = tron
        let { cursor } = yield* provider.scan(null, watched)
        yield* tron.mine(30)
        yield* deposit(mine, 5_000_000n)
        yield* tron.mine()
        let found = 0
        for (let look = 0; look < 10; look++) {
          let blocks = 0
          servers[0]!.refuse = (path) =>
            path === "/wallet/getblock" && ++blocks > 6 ? { status: 400, body: { Error: "suspended" } } : undefined
          const scanned = yield* provider.scan(cursor, watched).pipe(Effect.option)
          if (scanned._tag === "None") continue
          cursor = scanned.value.cursor
          found += scanned.value.arrivals.length
        }
        assert.strictEqual(found, 1)
      })
  )

  /**
   * Makes three deposits in one block. Each info has 12 MiB of hexadecimal digits; together they exceed the size
   * limit.
   */
  const largeBlock = Effect.fnUntraced(function* ({ deposit, mine: pass, provider, servers }: TronScene) {
    const { cursor } = yield* provider.scan(null, watched)
    servers[0]!.contractResult = "00".repeat(6 * 1_048_576)
    const hashes = yield* Effect.forEach([5_000_000n, 6_000_000n, 7_000_000n], (amount) => deposit(mine, amount))
    yield* pass()
    return { cursor, hashes }
  })

  const hashesOf = ({ arrivals }: Scan) => arrivals.map(({ txHash }) => txHash)

  refusals("reads a block's transactions one by one if the block's response is too large", (tron) =>
    Effect.gen(function* () {
      const { cursor, hashes } = yield* largeBlock(tron)
      assert.deepStrictEqual(hashesOf(yield* tron.provider.scan(cursor, watched)), hashes)
    })
  )

  refusals("reads a large block again if a lagging node lacks one of the block's transactions", (tron) =>
    Effect.gen(function* () {
      const { provider, servers } = tron
      const { cursor, hashes } = yield* largeBlock(tron)
      let infos = 0
      servers[0]!.refuse = (path) =>
        path === "/wallet/gettransactioninfobyid" && infos++ === 1 ? { status: 200, body: {} } : undefined
      assert.match(
        yield* causeOf(provider.scan(cursor, watched)),
        /the node has no information about transaction [0-9a-f]{64} in block \d+/
      )
      assert.deepStrictEqual(hashesOf(yield* provider.scan(cursor, watched)), hashes)
    })
  )

  refusals("reads a large block again if its list of transactions belongs to another block", (tron) =>
    Effect.gen(function* () {
      const { chain, provider, servers } = tron
      const { cursor, hashes } = yield* largeBlock(tron)
      const { blockID: _, ...block } = servers[0]!.answer("/wallet/getblock", {
        id_or_num: String(chain.head.number)
      }) as { readonly blockID: string }
      let blocks = 0
      // The third request reads the next block's list of transactions, after the cursor's block and the next block.
      servers[0]!.refuse = (path) =>
        path === "/wallet/getblock" && ++blocks === 3
          ? { status: 200, body: { blockID: "ab".repeat(32), ...block } }
          : undefined
      assert.match(
        yield* causeOf(provider.scan(cursor, watched)),
        /the node returned block (ab){32} for block \d+, expected [0-9a-f]{64}/
      )
      assert.deepStrictEqual(hashesOf(yield* provider.scan(cursor, watched)), hashes)
    })
  )
})
