/** Reports the balances of a desk's traders to the auditor (I52): after each audit the next part of them, in turn. */
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
  let told = 0

  const next = (): ReadonlyArray<TraderReport> => {
    const all = [...traders.all()]
    if (told >= all.length) told = 0
    const part = all.slice(told, told + maxTraders)
    told += maxTraders
    return part.flatMap((trader) => reportOf(feed, trader) ?? [])
  }
  // A report that cannot be written is dropped: the next audit brings another.
  const report = Effect.suspend(() => {
    const part = next()
    return part.length === 0 ? Effect.void : Effect.ignore(reports.write(deskId, part))
  })
  yield* modes.watchAudits(() => void run(Effect.forkIn(report, scope)))
})

/** Returns undefined for a trader with a decision that the journal does not have yet; its turn comes again. */
const reportOf = (feed: Feed["Service"], { ledger, standing, userId }: Trader): TraderReport | undefined => {
  const stands = standing()
  if (stands === undefined) return undefined
  // The feed has passed on to the trader all rows that concern it, up to the newest that this node has.
  const markets = stands.markets.map(({ seq, symbol }) => [symbol, Math.max(seq, feed.head(symbol)?.seq ?? 0)] as const)
  return {
    userId,
    seq: stands.seq,
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

/** Traders that a desk reports after each audit. */
const maxTraders = 128
