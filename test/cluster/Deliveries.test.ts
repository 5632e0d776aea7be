/**
 * Tests of two processes over one journal that both act as the owner of every desk and market. The last process to
 * claim one of them is its real owner; the other process continues with old state.
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import * as Places from "@venue/cluster/clients/Places"
import { Desk, noCost, type Submission, type Submitted } from "@venue/cluster/protocol/Desk"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { marketStream } from "@venue/domain/Market"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { layerOn, TestVenue } from "@venue/testing/TestVenue"
import { Context, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { friday } from "../venue/Story.ts"
import { idOf, one, userId } from "./Neighbours.ts"

const settings = { ...defaults, desks: 1, rateLimits: false, instruments: new Map([[one.symbol, one]]) }
const accountId = primaryAccountOf(userId)
const expiresAtMillis = friday + 60_000

/**
 * Requests: a resting order, an order without enough margin, a cancel of the first, and a cancel of another user's
 * order.
 */
const requests = (count: number): ReadonlyArray<Submission["request"]> => {
  const place = { _tag: "PlaceOrder", side: "BUY", type: "LIMIT", timeInForce: "GTC", price: 190 } as const
  const terms = { ...place, expiresAtMillis, symbol: one.symbol, reduceOnly: false, builderCode: "" }
  return Array.from({ length: count }, (_, n) => {
    const commandId = idOf(n + 1)
    const own = { ...terms, commandId, accountId, quantity: 1, clientOrderId: `order-${n}` }
    if (n % 4 === 1) return { ...own, quantity: 100_000 }
    if (n % 4 === 0) return own
    const cancelled = { orderId: "order-0", byClientOrderId: true }
    const owner = n % 4 === 2 ? accountId : AccountId.make(idOf(77).text)
    return { _tag: "CancelOrder", commandId, expiresAtMillis, accountId: owner, symbol: one.symbol, ...cancelled }
  })
}

/**
 * Returns true for a desk's final reply. `AccountLoading` and `MarketSilent` are temporary: a process sees the market
 * as silent while the other process owns it.
 */
const isDecided = (answer: Submitted) =>
  answer._tag !== "Refused" || !["AccountLoading", "MarketSilent"].includes(answer.refusal._tag)

const owner = Effect.fnUntraced(function* (journal: Journal["Service"]) {
  const services = yield* Layer.build(Layer.fresh(layerOn(Layer.succeed(Journal)(journal))))
  const desk = yield* Effect.gen(function* () {
    const client = yield* Desk.client
    return client((yield* Places.make).desk("0"))
  }).pipe(Effect.provide(services))
  return { services, desk, venue: Context.get(services, TestVenue) }
})

interface Step {
  readonly command: number
  readonly owner: 0 | 1
  /** Owner that claims the market, if any. */
  readonly market: 0 | 1 | undefined
  readonly passMillis: number
}

const scene = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  yield* TestClock.setTime(friday)
  const journal = Context.get(yield* Layer.build(Journal.layerMemory), Journal)
  const first = yield* owner(journal)
  yield* first.venue.price(one.symbol, 200)
  yield* Context.get(first.services, DeskClient).ask(userId, (desk) =>
    desk.Credit({ userId, cost: noCost, creditId: "money", accountId, amount: 10_000_000_000n, reason: "test" })
  )
  const owners = [first, yield* owner(journal)]
  const all = requests(4)
  const answers = all.map((): Array<Submitted> => [])
  const deliver = (command: number, to: number) =>
    owners[to]!.desk.Submit({ submissions: [{ userId, cost: noCost, request: all[command]! }] }).pipe(
      Effect.tap(([answer]) => Effect.sync(() => isDecided(answer!) && answers[command]!.push(answer!))),
      Effect.ignoreCause
    )
  const pass = (millis: number) => Effect.andThen(TestClock.adjust(millis), first.venue.settle)

  const claimMarket = (by: number) =>
    Effect.andThen(
      Effect.forkScoped(Effect.ignoreCause(owners[by]!.venue.price(one.symbol, 200)), { startImmediately: true }),
      pass(50)
    )

  for (const { command, market, owner, passMillis } of steps) {
    if (market !== undefined) yield* claimMarket(market)
    yield* Effect.forkScoped(deliver(command, owner), { startImmediately: true })
    if (passMillis > 0) yield* pass(passMillis)
    else yield* first.venue.settle
  }
  // Resends submissions without a reply or outcome, as a gateway does.
  const outcomes = Effect.map(journal.read(marketStream(one.symbol), 0, 100_000), (rows) =>
    rows
      .flatMap((row) => (row.events.length === 0 ? [] : MarketRecord.decode(row.events)))
      .flatMap((event) => ("commandId" in event && event.commandId !== null ? [event] : []))
  )
  const outcomesOf = (command: number) =>
    Effect.map(outcomes, (events) => {
      const ends = new Set(["Accepted", "Refused", "Done"])
      return events.filter(({ _tag, commandId }) => ends.has(_tag) && commandId!.text === all[command]!.commandId.text)
    })
  const delivered = [...new Set(steps.map(({ command }) => command))]
  const isOver = (command: number) =>
    Effect.map(
      outcomesOf(command),
      (ends) => ends.length > 0 || answers[command]!.some(({ _tag }) => _tag === "Refused")
    )
  for (let n = 0; n < 60; n++) {
    const left = yield* Effect.filter(delivered, (command) => Effect.map(isOver(command), (is) => !is))
    if (left.length === 0) break
    // One process is the newest owner. The other process can only repeat earlier replies.
    yield* claimMarket(n % 2)
    for (const command of left) yield* Effect.forkScoped(deliver(command, n % 2), { startImmediately: true })
    yield* pass(250)
  }
  // Delayed copies of submissions arrive late, at either owner.
  for (const command of delivered) {
    for (const to of [0, 1]) yield* Effect.forkScoped(deliver(command, to), { startImmediately: true })
    yield* pass(1_000)
  }
  return yield* Effect.forEach(delivered, (command) =>
    Effect.map(outcomesOf(command), (ends) => ({
      command,
      answers: answers[command]!,
      ends: ends.map(({ _tag }) => _tag)
    }))
  )
})

const step = fc.record<Step>({
  command: fc.integer({ min: 0, max: 3 }),
  owner: fc.constantFrom(0, 1),
  market: fc.constantFrom(0, 1, undefined),
  passMillis: fc.constantFrom(0, 0, 20, 100, 600, 1_500)
})

const times = (found: ReadonlyArray<Step>) => {
  const seen = new Map<number, number>()
  return found.filter(({ command }) => {
    seen.set(command, (seen.get(command) ?? 0) + 1)
    return seen.get(command)! <= 5
  })
}

it(
  "I8, I20: executes a submission at most once, even if old and new owners receive the submission up to five times",
  { timeout: 900_000 },
  async () => {
    /** Number of submissions that reached a market, without and with an outcome. */
    const count: [number, number] = [0, 0]
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 20 }).map(times), async (steps) => {
        const told = await Effect.runPromise(
          scene(steps).pipe(
            Effect.scoped,
            Effect.provideService(VenueSettings, settings),
            Effect.provide([TestClock.layer(), Logger.layer([])])
          )
        )
        for (const { answers, command, ends } of told) {
          expect(answers, `answers to ${command}`).toEqual(answers.map(() => answers[0]))
          // The cancel can arrive before its order.
          const kinds = [["Accepted"], ["Refused"], ["Done", "Refused"], []][command]!
          expect(ends.length, `outcomes of ${command}`).toBeLessThanOrEqual(1)
          for (const end of ends) expect(kinds).toContain(end)
          if (kinds.length > 0) count[ends.length]!++
        }
      }),
      { numRuns: 40 }
    )
    expect(count[1]).toBeGreaterThan(9 * count[0])
  }
)
