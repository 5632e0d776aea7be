/** A desk's positions for which a takeover found too few counterparties. Each change is logged for the operator. */
import type { AccountId } from "@venue/domain/AccountId"
import { quantityOf } from "@venue/domain/Instrument"
import type { TakeoverClosed } from "@venue/domain/Liquidation"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect, identity } from "effect"
import type { LeftPosition } from "../../../protocol/Desk.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import type { Traders } from "../traders/Traders.ts"

export interface LeftPositions {
  readonly closed: (symbol: MarketSymbol, takeover: TakeoverClosed) => void
  /** Drops the positions of an account that has left liquidation or this desk. */
  readonly dropAccount: (accountId: AccountId) => void
  readonly all: () => ReadonlyArray<LeftPosition>
}

export const make = Effect.fnUntraced(function* (traders: Traders) {
  const { instruments } = yield* VenueSettings
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const log = (entry: Effect.Effect<void>) => void run(Effect.forkIn(entry, scope))
  /** Bounded: at most one entry for each position of the loaded traders. */
  const left = new Map<AccountId, Map<MarketSymbol, LeftPosition>>()

  const forget = (accountId: AccountId, symbol: MarketSymbol) => {
    const positions = left.get(accountId)
    if (positions?.delete(symbol) !== true) return
    if (positions.size === 0) left.delete(accountId)
    log(Effect.logWarning(`market ${symbol}: the takeovers of account ${accountId}'s position have ended`))
  }
  return identity<LeftPositions>({
    closed: (symbol, { accountId, atMillis, leftLots, userId }) => {
      if (traders.get(userId) === undefined) return
      if (leftLots === 0) return forget(accountId, symbol)
      let positions = left.get(accountId)
      if (positions === undefined) left.set(accountId, (positions = new Map()))
      const before = positions.get(symbol)
      if (before?.quantityLots === leftLots) return
      const sinceMillis = before?.sinceMillis ?? atMillis
      positions.set(symbol, { userId, accountId, symbol, quantityLots: leftLots, sinceMillis })
      const quantity = quantityOf(instruments.get(symbol)!, leftLots)
      log(
        Effect.logError(
          `market ${symbol}: no account can take over ${quantity} of account ${accountId}'s position; the takeover is retried`
        )
      )
    },
    dropAccount: (accountId) => {
      for (const symbol of left.get(accountId)?.keys() ?? []) forget(accountId, symbol)
    },
    all: () => [...left.values()].flatMap((positions) => [...positions.values()])
  })
})
