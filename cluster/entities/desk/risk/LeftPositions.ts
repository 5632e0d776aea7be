/** Positions of a desk that a takeover left over, because nobody could take them: the operator is told of each change. */
import type { AccountId } from "@venue/domain/AccountId"
import { quantityOf } from "@venue/domain/Instrument"
import type { TakeoverClosed } from "@venue/domain/Liquidation"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect } from "effect"
import type { LeftPosition } from "../../../protocol/Desk.ts"
import { VenueSettings } from "../../../VenueSettings.ts"
import type { Traders } from "../traders/Traders.ts"

export interface LeftPositions {
  readonly closed: (symbol: MarketSymbol, takeover: TakeoverClosed) => void
  /** The account is no longer in liquidation, or its trader no longer here. */
  readonly over: (accountId: AccountId) => void
  readonly all: () => ReadonlyArray<LeftPosition>
}

export const make = Effect.fnUntraced(function* (traders: Traders) {
  const { instruments } = yield* VenueSettings
  const scope = yield* Effect.scope
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const say = (line: Effect.Effect<void>) => void run(Effect.forkIn(line, scope))
  /** At most one for each position of the accounts that are here. */
  const left = new Map<AccountId, Map<MarketSymbol, LeftPosition>>()

  const forget = (accountId: AccountId, symbol: MarketSymbol) => {
    const found = left.get(accountId)
    if (found?.delete(symbol) !== true) return
    if (found.size === 0) left.delete(accountId)
    say(Effect.logWarning(`market ${symbol}: nobody is asked any more to take a position of account ${accountId}`))
  }
  return {
    closed: (symbol, { accountId, atMillis, leftLots, userId }) => {
      if (traders.get(userId) === undefined) return
      if (leftLots === 0) return forget(accountId, symbol)
      let found = left.get(accountId)
      if (found === undefined) left.set(accountId, (found = new Map()))
      const before = found.get(symbol)
      if (before?.quantityLots === leftLots) return
      const sinceMillis = before?.sinceMillis ?? atMillis
      found.set(symbol, { userId, accountId, symbol, quantityLots: leftLots, sinceMillis })
      const quantity = quantityOf(instruments.get(symbol)!, leftLots)
      say(Effect.logError(`market ${symbol}: nobody takes ${quantity} of account ${accountId}; it is tried again`))
    },
    over: (accountId) => {
      for (const symbol of left.get(accountId)?.keys() ?? []) forget(accountId, symbol)
    },
    all: () => [...left.values()].flatMap((found) => [...found.values()])
  } satisfies LeftPositions as LeftPositions
})
