/** Reports traders' balances to the auditor (I52). After each audit, a desk reports its next `maxTraders` traders. */
import type { TraderReport } from "@venue/storage/audit/DeskReports"
import { DeskReports } from "@venue/storage/audit/DeskReports"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { Effect } from "effect"
import { Feed } from "../../../feed/Feed.ts"
import type { Trader } from "./Trader.ts"
import type { Traders } from "./Traders.ts"

export const make = Effect.fnUntraced(function* (deskId: string, traders: Traders) {
  const feed = yield* Feed
  const modes = yield* VenueModes
  const reports = yield* DeskReports
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  let nextIndex = 0

  const next = (): ReadonlyArray<TraderReport> => {
    const all = [...traders.all()]
    if (nextIndex >= all.length) nextIndex = 0
    const part = all.slice(nextIndex, nextIndex + maxTraders)
    nextIndex += maxTraders
    return part.flatMap((trader) => reportOf(feed, trader) ?? [])
  }
  // A report that cannot be written is dropped, because the next audit triggers another one.
  const report = Effect.suspend(() => {
    const part = next()
    return part.length === 0 ? Effect.void : Effect.ignore(reports.write(deskId, part))
  })
  yield* modes.watchAudits(() => void run(Effect.forkIn(report, scope)))
})

/** Returns undefined for a trader with an uncommitted decision, who is reported in a later turn. */
const reportOf = (feed: Feed["Service"], { appliedHeads, ledger, userId }: Trader): TraderReport | undefined => {
  const heads = appliedHeads()
  if (heads === undefined) return undefined
  // The feed has delivered every row that concerns the trader, up to this node's newest market row.
  const markets = heads.markets.map(({ seq, symbol }) => [symbol, Math.max(seq, feed.head(symbol)?.seq ?? 0)] as const)
  return {
    userId,
    seq: heads.seq,
    markets,
    accounts: Array.from(ledger.accounts.values(), ({ accountId, deposit, exposures, referralRewards }) => ({
      accountId,
      deposit: String(deposit),
      referralRewards: String(referralRewards),
      positions: markets.flatMap(([symbol]) => {
        const position = exposures.get(symbol)?.position
        if (position === undefined) return []
        const { basis, cashFlow, fees, funding, quantityLots, rewards } = position
        return [[symbol, quantityLots, cashFlow, basis, fees, funding, rewards] as const]
      })
    }))
  }
}

/** Number of traders that a desk reports after each audit. */
const maxTraders = 128
