/** Liquidity providers: their appointment in markets, and the amount that they can take over (rule 9.11). */
import type { Stand } from "@venue/domain/Liquidation"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import {
  type AppointProvider,
  type LedgerRefusal,
  type ProviderAppointed,
  UnknownAccount,
  UnknownSymbol
} from "@venue/domain/Trader"
import { Result } from "effect"
import { type Account, available } from "./Account.ts"
import type { Exposure } from "./Exposure.ts"
import { accountOf, exposureOf, type Trader } from "./Trader.ts"

/** Decides a provider's appointment; records only changed limits. Fails for an unknown account or unlisted symbol. */
export const appoint = (
  trader: Trader,
  { accountId, limit, symbols }: AppointProvider,
  atMillis: number
): Result.Result<ReadonlyArray<ProviderAppointed>, LedgerRefusal<"AppointProvider">> => {
  const account = trader.accounts.get(accountId)
  if (account === undefined) return Result.fail(new UnknownAccount({ accountId }))
  const unlisted = symbols.find((symbol) => !trader.instruments.has(symbol))
  if (unlisted !== undefined) return Result.fail(new UnknownSymbol({ symbol: unlisted }))
  const changed = symbols.filter((symbol) => limit !== (account.providerLimits.get(symbol) ?? 0))
  if (changed.length === 0) return Result.succeed([])
  return Result.succeed([{ _tag: "ProviderAppointed", accountId, symbols: changed, limit, atMillis }])
}

export const apply = (trader: Trader, { accountId, limit, symbols }: ProviderAppointed): void => {
  for (const symbol of symbols) setLimit(trader, accountOf(trader, accountId), symbol, limit)
}

/** Sets the limit in a market, and creates the account's exposure there so that the account takes part in takeovers. */
export const setLimit = (trader: Trader, account: Account, symbol: MarketSymbol, limit: number): void => {
  if (limit === 0) account.providerLimits.delete(symbol)
  else account.providerLimits.set(symbol, limit)
  exposureOf(trader, account, symbol)
}

/**
 * Returns the amount that the account can take over in a market. Returns null if the account is not a provider, or if
 * the mark is unknown. Lots that reduce its own position need no margin, and other lots need initial margin from
 * `unused`. The position must not exceed the limit. The account must be refreshed first.
 */
export const part = (account: Account, exposure: Exposure, unused = available(account)): Stand["provider"] => {
  const { instrument, leverage, markE8, position, valuation } = exposure
  const limit = account.providerLimits.get(instrument.symbol)
  if (limit === undefined || markE8 === 0) return null
  const free = unused > 0n ? unused : 0n
  const perLot = BigInt(valuation.factor) * BigInt(markE8)
  const lotsOf = (money: bigint) => Number((money * BigInt(valuation.divisor)) / perLot)
  const most = lotsOf(BigInt(limit))
  const added = lotsOf(free * BigInt(leverage))
  const taken = (held: number) => Math.max(0, Math.min(most - held, Math.max(0, -held) + added))
  const { quantityLots } = position
  return { freeMargin: Number(free), buysLots: taken(quantityLots), sellsLots: taken(-quantityLots), leverage }
}
