/** Metrics of the socket listeners. */
import * as Clients from "@venue/telemetry/catalogue/Clients"
import * as Meter from "@venue/telemetry/Meter"
import { Effect } from "effect"
import type { Counts, SocketBudgets } from "./SocketBudget.ts"
import * as UpgradeRefusal from "./UpgradeRefusal.ts"

/** Reads the counts of the budgets, so that a frame costs no more than an addition. */
export const collect = Effect.fnUntraced(function* ({ marketData, trade }: SocketBudgets) {
  const listeners: ReadonlyArray<readonly [name: string, counts: Readonly<Counts>]> = [
    ["trade", trade.counts],
    ["market_data", marketData.counts]
  ]
  yield* Meter.collect(Clients.sockets, () => listeners.map(([listener, { open }]) => [{ listener }, open]))
  yield* Meter.collect(Clients.frames, () => listeners.map(([listener, { units }]) => [{ listener }, units]))
  yield* Meter.collect(Clients.upgradesRefused, () =>
    listeners.flatMap(([listener, { refusals }]) =>
      Array.from(refusals, ([reason, count]) => {
        const status = String(UpgradeRefusal.statuses[reason])
        return [{ listener, status, reason }, count] as const
      })
    )
  )
  yield* Meter.collect(Clients.closes, () =>
    listeners.flatMap(([listener, { closes }]) =>
      Array.from(closes, ([code, count]) => [{ listener, code: String(code) }, count] as const)
    )
  )
})
