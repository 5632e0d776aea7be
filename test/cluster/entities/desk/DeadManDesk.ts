/** Desk with dead-man switches, and helpers for its tests. */
import * as DeadManSwitches from "@venue/cluster/entities/desk/connections/DeadManSwitches"
import * as OrderTimes from "@venue/cluster/entities/desk/orders/OrderTimes"
import type { Trader } from "@venue/cluster/entities/desk/traders/Trader"
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import * as Waking from "@venue/cluster/entities/desk/traders/Waking"
import type { AccountId } from "@venue/domain/AccountId"
import type { OrderRequest } from "@venue/domain/Order"
import { traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { assert } from "@effect/vitest"
import { Clock, Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { id } from "../../../Id.ts"
import { one, turns } from "../../Neighbours.ts"

export const friday = Date.UTC(2026, 10, 20, 15)

/** Starts a desk. The test sets whether the desk owns its shard; the desk continues to run without the shard. */
export const begin = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const scope = yield* Scope.make()
  const owned = { is: true }
  const times = OrderTimes.make(() => clock.currentTimeMillisUnsafe())
  const traders = yield* Effect.gen(function* () {
    const traders = yield* Traders.make(Effect.sync(() => owned.is))
    traders.watch(times.tidy)
    yield* Waking.wake(traders, "0")
    yield* DeadManSwitches.make(traders, times)
    return traders
  }).pipe(Scope.provide(scope))
  yield* turns
  return { traders, times, owned, kill: Scope.close(scope, Exit.void) }
})
export type Desk = Effect.Success<typeof begin>

export const enter = ({ times }: Desk, trader: Trader, request: OrderRequest) => {
  assert.isTrue(trader.enter(request))
  times.entered(trader, request, undefined)
}

export const placed = (name: string, ofAccount: AccountId, nowMillis: number, symbol = one.symbol): OrderRequest => ({
  _tag: "PlaceOrder",
  commandId: id(name),
  expiresAtMillis: nowMillis + 60_000,
  accountId: ofAccount,
  symbol,
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  price: 150,
  quantity: 1,
  reduceOnly: false,
  clientOrderId: "",
  builderCode: ""
})

export const pass = (millis: number) => Effect.andThen(TestClock.adjust(millis), turns)

/** Returns the switch events in the trader's journal. */
export const switchesOf = (user: UserId) =>
  Effect.flatMap(Journal, (journal) => journal.read(traderStream(user), 0, 10_000)).pipe(
    Effect.map((rows) =>
      rows
        .flatMap(({ events }) => (events.length === 0 ? [] : TraderRecord.decode(events)))
        .filter((event) => event._tag === "DeadManSwitchSet")
    )
  )
/** Returns the users that have wake-up entries. */
export const wakeUps = Effect.flatMap(Journal, (journal) => journal.wakeUps("0")).pipe(
  Effect.map((entries) => entries.filter(({ reason }) => reason === "switch"))
)
