/** Tests of when a market closes its takeovers, and of the desk reports that it uses. */
import type { LogObserver } from "@venue/cluster/entities/market/MarketClaim"
import * as Takeovers from "@venue/cluster/entities/market/Takeovers"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { Stand, TakeoverOpened } from "@venue/domain/Liquidation"
import type { MarketCommand } from "@venue/domain/Market"
import { flat } from "@venue/domain/Position"
import { UserId } from "@venue/domain/UserId"
import { assert, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { idOf, one } from "../../Neighbours.ts"

const opened = (n: number, atMillis: number): TakeoverOpened => {
  const userId = UserId.make(idOf(n).text)
  const accountId = primaryAccountOf(userId)
  const terms = { userId, accountId, expiresAtMillis: 0, quantityLots: 1, markE8: 1, share: 0, atMillis }
  return { _tag: "TakeoverOpened", takeoverId: idOf(n), ...terms }
}
const stand = (n: number, ratioE6: number): Stand => {
  const userId = UserId.make(idOf(n).text)
  return {
    userId,
    accountId: primaryAccountOf(userId),
    position: flat(),
    ratioE6,
    markE8: 1,
    mayLose: 0,
    provider: null
  }
}

/** Creates a log whose takeovers the test opens and closes. */
const market = Effect.gen(function* () {
  const open: Array<TakeoverOpened> = []
  const closes: Array<{ readonly atMillis: number; readonly ratios: ReadonlyArray<number> }> = []
  const clock = yield* Clock.Clock
  const observers: Array<LogObserver> = []
  const log = {
    observe: (observer: LogObserver) => void observers.push(observer),
    takeovers: () => open,
    submit: (commands: ReadonlyArray<MarketCommand>) => {
      for (const command of commands) {
        assert(command._tag === "CloseTakeovers")
        const ratios = command.stands.map(({ ratioE6 }) => ratioE6)
        closes.push({ atMillis: clock.currentTimeMillisUnsafe(), ratios })
      }
    }
  }
  const takeovers = yield* Takeovers.make(log)
  const begin = (n: number) => {
    const event = opened(n, clock.currentTimeMillisUnsafe())
    open.push(event)
    const batch = { instrument: one, epoch: 1, seq: n, events: [event], levels: [], row: new Uint8Array() }
    for (const observer of observers) observer.committed?.(batch)
  }
  const reclaim = () => {
    for (const observer of observers) observer.reclaimed?.()
  }
  return { begin, closes, open, reclaim, takeovers }
})

it.effect("closes all takeovers 500 ms after the first one opened, with the latest report of each account", () =>
  Effect.gen(function* () {
    const { begin, closes, open, takeovers } = yield* market
    begin(1)
    takeovers.stand([stand(8, 80), stand(9, 90)])
    yield* TestClock.adjust("300 millis")
    begin(2)
    takeovers.stand([stand(8, 81)])
    yield* TestClock.adjust("199 millis")
    assert.deepEqual(closes, [])
    yield* TestClock.adjust("1 millis")
    assert.deepEqual(closes, [{ atMillis: 500, ratios: [81, 90] }])
    // One takeover remains, and desks have another 500 ms to send their reports.
    open.shift()
    takeovers.stand([stand(9, 91)])
    yield* TestClock.adjust("499 millis")
    assert.lengthOf(closes, 1)
    yield* TestClock.adjust("1 millis")
    assert.deepEqual(closes[1], { atMillis: 1_000, ratios: [81, 91] })
  })
)

it.effect("drops all account reports and stops checking when no takeover is open", () =>
  Effect.gen(function* () {
    const { begin, closes, open, takeovers } = yield* market
    begin(1)
    takeovers.stand([stand(8, 80)])
    yield* TestClock.adjust("500 millis")
    open.length = 0
    yield* TestClock.adjust("1 minute")
    takeovers.stand([stand(8, 82)])
    begin(2)
    yield* TestClock.adjust("500 millis")
    assert.deepEqual(
      closes.map(({ ratios }) => ratios),
      [[80], []]
    )
  })
)

it.effect("closes takeovers that an earlier owner opened", () =>
  Effect.gen(function* () {
    const { closes, open, reclaim } = yield* market
    yield* TestClock.adjust("10 seconds")
    open.push(opened(1, 9_000))
    reclaim()
    yield* TestClock.adjust("100 millis")
    assert.lengthOf(closes, 1)
  })
)
