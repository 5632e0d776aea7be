/** Compares the balances in markets' and traders' saved states with the journal as of the same rows. */
import { Schema } from "effect"
import { unpack } from "msgpackr"
import type { Books, MarketBook, TraderBook } from "./Books.ts"
import { symbolOf, userOf } from "./Books.ts"
import { type Finding, notKnown } from "./Faults.ts"
import * as MarketFold from "./MarketFold.ts"
import * as TraderFold from "./TraderFold.ts"
import * as Versions from "./Versions.ts"

/**
 * Length in bytes of the field at the start of a market's state. The field holds the length of the state's first
 * part, which contains the accounts.
 */
export const lengthBytes = 4

const MarketState = Schema.Struct({
  accounts: Schema.Array(
    Schema.Tuple([
      Schema.String,
      Schema.String,
      Schema.Finite,
      Schema.Finite,
      Schema.Finite,
      Schema.Finite,
      Schema.Finite,
      Schema.Finite
    ])
  ),
  totals: Schema.Struct({ venueFees: Schema.Finite, reserveFund: Schema.Finite, toppedUp: Schema.Finite })
})
const isMarketState = Schema.is(MarketState)

const TraderState = Schema.Struct({
  accounts: Schema.Array(
    Schema.Struct({ accountId: Schema.String, deposit: Schema.String, referralRewards: Schema.String })
  )
})
const isTraderState = Schema.is(TraderState)

/**
 * Compares a saved state with the journal. Also returns undefined for a shape that this release cannot read, because
 * the state's owner replaces it.
 */
export const findingOf = (books: Books, stream: string, seq: number, state: Uint8Array): Finding => {
  const market = books.markets.get(symbolOf(stream) ?? "")
  if (market !== undefined) return marketFinding(market, seq, unpack(state.subarray(lengthBytes)))
  const trader = books.traders.get(userOf(stream) ?? "")
  return trader === undefined ? "the journal has no stream with this name" : traderFinding(trader, seq, unpack(state))
}

/**
 * Returns an account's position from a market's saved state, or undefined for a shape that this release cannot read.
 */
export const positionIn = (state: Uint8Array, account: string): ReadonlyArray<number> | undefined => {
  const market: unknown = unpack(state.subarray(lengthBytes))
  if (!isMarketState(market)) return undefined
  const [, , ...position] = market.accounts.find(([accountId]) => accountId === account) ?? ["", "", ...MarketFold.flat]
  return position
}

/**
 * Returns an account's balances from a trader's saved state, or undefined if the account is absent or the shape
 * unreadable.
 */
export const ownIn = (state: Uint8Array, account: string): TraderFold.Own | undefined => {
  const trader: unknown = unpack(state)
  const own = isTraderState(trader) ? trader.accounts.find(({ accountId }) => accountId === account) : undefined
  return own === undefined ? undefined : [BigInt(own.deposit), BigInt(own.referralRewards)]
}

const marketFinding = ({ fold, line }: MarketBook, seq: number, state: unknown): Finding => {
  if (seq > line.seq) return `the saved state includes row ${seq}, but the journal ends at row ${line.seq}`
  if (!Versions.isKnown(fold.positions, seq)) return notKnown
  if (!isMarketState(state)) return undefined
  const saved = new Map(state.accounts.map(([accountId, , ...position]) => [accountId, position]))
  for (const account of new Set([...saved.keys(), ...fold.positions.current.keys()])) {
    const position = MarketFold.positionAsOf(fold, account, seq)
    const has = saved.get(account) ?? MarketFold.flat
    if (!position.every((value, place) => value === has[place])) {
      return `account ${account}, row ${seq}: the saved state has ${MarketFold.positionText(has)}; the journal has ${MarketFold.positionText(position)} ${MarketFold.unit}`
    }
  }
  const { reserveFund, toppedUp, venueFees } = state.totals
  const house = MarketFold.houseAsOf(fold, seq)
  return house[0] === venueFees && house[1] === reserveFund && house[2] === toppedUp
    ? undefined
    : `row ${seq}: the saved state has ${MarketFold.houseText([venueFees, reserveFund, toppedUp])}; the journal has ${MarketFold.houseText(house)} ${MarketFold.unit}`
}

const traderFinding = ({ fold, line }: TraderBook, seq: number, state: unknown): Finding => {
  if (seq > line.seq) return `the saved state includes row ${seq}, but the journal ends at row ${line.seq}`
  if (!Versions.isKnown(fold.accounts, seq)) return notKnown
  if (!isTraderState(state)) return undefined
  for (const { accountId, deposit, referralRewards } of state.accounts) {
    const own = TraderFold.asOf(fold, accountId, seq)
    if (String(own[0]) !== deposit || String(own[1]) !== referralRewards) {
      return `account ${accountId}, row ${seq}: the saved state has ${TraderFold.ownText([deposit, referralRewards])}; the journal has ${TraderFold.ownText(own)} ${MarketFold.unit}`
    }
  }
  return undefined
}
