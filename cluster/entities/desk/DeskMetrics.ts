/** Metrics of a desk's accounts. */
import * as Markets from "@venue/telemetry/catalogue/Markets"
import * as Storage from "@venue/telemetry/catalogue/Storage"
import * as Cached from "@venue/telemetry/Cached"
import * as Meter from "@venue/telemetry/Meter"
import { Effect } from "effect"
import type { AccountsAtRisk } from "../../protocol/Desk.ts"
import type { Liquidations } from "./risk/Liquidations.ts"
import type { Traders } from "./traders/Traders.ts"

export interface DeskFigures extends Pick<Liquidations, "left">, Pick<Traders, "unwrittenCount"> {
  readonly atRisk: () => AccountsAtRisk
}

/** `atRisk` visits every loaded trader, so it runs at most once per interval, however often the metrics are scraped. */
export const make = Effect.fnUntraced(function* (desk: string, { atRisk, left, unwrittenCount }: DeskFigures) {
  const counted = yield* Cached.make(Effect.sync(atRisk), { everyMillis, keptMillis: 4 * everyMillis })
  yield* Meter.collect(Markets.accountsAtRisk, () => {
    const accounts = counted()
    if (accounts === undefined) return []
    return [
      [{ desk, state: "warned" }, accounts.warned],
      [{ desk, state: "liquidation" }, accounts.inLiquidation],
      [{ desk, state: "waiting" }, accounts.waiting]
    ] as const
  })
  yield* Meter.collect(Storage.traderRowsWaiting, () => [[{ desk }, unwrittenCount()]])
  yield* Meter.collect(Markets.positionsLeft, () => [[{ desk }, left().length]])
})

const everyMillis = 5_000
