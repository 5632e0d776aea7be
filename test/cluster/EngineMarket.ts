/** Market with a real engine, for tests of a desk. */
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { type AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import type { MarketCommand, MarketEvent } from "@venue/domain/Market"
import { UserId } from "@venue/domain/UserId"
import * as Engine from "@venue/matching/Engine"
import { Clock, Effect, Layer } from "effect"
import { neighbours, one, two } from "./Neighbours.ts"

/** Creates a market that decides queued commands when the test requests it, and then publishes the events. */
export const makeMarket = () => {
  const near = neighbours()
  const engine = Engine.make(one, { maxOpenOrders: 200 })
  const log: Array<MarketEvent> = []
  /** The events as rows, after a first row that records the owner's claim. */
  const rows: Array<{ readonly seq: number; readonly events: ReadonlyArray<MarketEvent> }> = []
  let seq = 1
  near.answers(one)
  near.answers(two)
  for (const { symbol } of [one, two]) {
    near.heard.set(symbol, Infinity)
    near.tradingStates.set(symbol, "TRADING")
  }
  const decide = (command: MarketCommand, nowMillis: number) => {
    const events: Array<MarketEvent> = []
    Engine.decide(engine, command, nowMillis, events)
    if (events.length === 0) return
    rows.push({ seq: ++seq, events })
    for (const event of events) {
      log.push(event)
      if (event._tag === "TradingStateChanged") near.tradingStates.set(one.symbol, event.state)
      const told = accountsIn(event)
      for (const accountId of told.length === 0 ? [nobody] : told) near.tell(one, seq, accountId, event)
    }
  }
  const layer = Layer.effect(
    MarketClient,
    Effect.map(MarketClient, (client) =>
      MarketClient.of({
        ...client,
        view: (symbol, viewers) =>
          symbol !== one.symbol
            ? client.view(symbol, viewers)
            : Effect.map(Clock.currentTimeMillis, (nowMillis) => {
                const traders = viewers.map(({ accountIds, traderEpoch, userId }) => {
                  decide({ _tag: "RaiseEpoch", userId, traderEpoch }, nowMillis)
                  const recorded = Engine.outcomes(engine, userId).map(({ commandId }) => commandId.text)
                  return {
                    accounts: accountIds.map((accountId) => ({ accountId, ...Engine.view(engine, accountId) })),
                    recorded
                  }
                })
                return { epoch: 1, seq, traders }
              })
      })
    )
  ).pipe(Layer.provideMerge(near.layer))
  return { near, engine, log, rows, decide, layer }
}

const nobody = primaryAccountOf(UserId.make("nobody"))

const accountsIn = (event: MarketEvent): ReadonlyArray<AccountId> => {
  if (event._tag === "Traded") return [event.taker.order.accountId, event.maker.order.accountId]
  if ("order" in event) return [event.order.accountId]
  if ("twap" in event) return [event.twap.accountId]
  return event._tag === "Refused" || event._tag === "Done" ? [event.accountId] : []
}
