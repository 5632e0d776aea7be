/**
 * What the traders of a desk have in memory, told to whoever audits the venue (I52): a part of them after each audit, one part
 * after the other. Where nobody audits, nothing is told.
 */
import type { TraderReport } from "@venue/storage/audit/DeskReports"
import { DeskReports } from "@venue/storage/audit/DeskReports"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { Effect } from "effect"
import { Feed } from "../../feed/Feed.ts"
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
  // One that cannot be written is lost: there is another after the next audit.
  const report = Effect.suspend(() => {
    const part = next()
    return part.length === 0 ? Effect.void : Effect.ignore(reports.write(deskId, part))
  })
  yield* modes.watchAudits(() => void run(Effect.forkIn(report, scope)))
})

/** Nothing of a trader that has decided what its journal does not have yet; its next report comes soon. */
const reportOf = (feed: Feed["Service"], { ledger, standing, userId }: Trader): TraderReport | undefined => {
  const stands = standing()
  if (stands === undefined) return undefined
  // Whatever a market told this node, the trader was told of it what concerns it.
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

/** So many of each desk after each audit. */
const maxTraders = 256
