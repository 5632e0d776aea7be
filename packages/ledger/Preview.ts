/** Order preview: enters the order on a copy of the state that entering would change (rule 4.19). */
import { lotsOf, ticksOf } from "@venue/domain/Instrument"
import type { TraderCommand } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { PlaceOrder } from "@venue/domain/Order"
import { closingPrice } from "@venue/domain/PriceBand"
import type { PreviewCommand, PreviewRequest, TraderPreview } from "@venue/domain/Preview"
import { isStop } from "@venue/domain/Stop"
import { type Account, available, refresh } from "./Account.ts"
import { enter, holdOf } from "./Entry.ts"
import type { Exposure } from "./Exposure.ts"
import { fits, wholeFee } from "./MarginCheck.ts"
import { add, exposureOf, type Trader } from "./Trader.ts"

/** The command that the desk would send, and the ledger's part of the preview. */
export interface Previewed {
  readonly command: PreviewCommand
  readonly preview: TraderPreview
}

/** Returns the preview without changing the trader; undefined for an unknown account or an unlisted symbol. */
export const preview = (trader: Trader, request: PreviewRequest, traderEpoch: number): Previewed | undefined => {
  const account = trader.accounts.get(request.accountId)
  if (account === undefined || !trader.instruments.has(request.symbol)) return undefined
  // Refreshes the trader's own account, as every read does, so that the copy is already refreshed.
  refresh(account, trader.prices)
  const entered = copyOf(trader, account, request.symbol)
  const command = previewable(enter(entered.trader, request, traderEpoch))
  const { leverage, rates } = entered.exposure
  const { margin, wholeFee } = costOf(trader, account, request, command)
  const { maker: makerRate, taker: takerRate } = rates
  return {
    command,
    preview: { leverage, makerRate, takerRate, available: available(account), margin, wholeFee }
  }
}

interface Copy {
  readonly trader: Trader
  readonly account: Account
  readonly exposure: Exposure
}

/** Copies every part of the trader that entering an order changes. */
function copyOf(trader: Trader, whole: Account, symbol: MarketSymbol): Copy {
  const account: Account = { ...whole, exposures: new Map(whole.exposures) }
  const known = account.exposures.get(symbol)
  if (known !== undefined) {
    const { buys, holds, sells } = known
    account.exposures.set(symbol, { ...known, buys: { ...buys }, sells: { ...sells }, holds: new Map(holds) })
  }
  const exposure = exposureOf(trader, account, symbol)!
  return {
    trader: { ...trader, accounts: new Map([[account.accountId, account]]), inFlight: new Map() },
    account,
    exposure
  }
}

/** Returns the order's margin and fee, even if the order is refused because of them. */
function costOf(
  trader: Trader,
  whole: Account,
  request: PreviewRequest,
  command: PreviewCommand
): Pick<TraderPreview, "margin" | "wholeFee"> {
  if (command._tag === "Refuse") return { margin: null, wholeFee: null }
  const priced = trader.prices.get(request.symbol)
  const { account, exposure } = copyOf(trader, whole, request.symbol)
  const { instrument, position } = exposure
  if (request._tag === "ClosePosition") {
    if (priced === undefined) return { margin: 0n, wholeFee: null }
    const { quantityLots } = position
    // A close is sent as a `Place` at the bankruptcy price if the market's price would be worse.
    const ticks = command._tag === "Place" ? command.priceTicks : closingPrice(instrument, priced, quantityLots > 0)
    return { margin: 0n, wholeFee: wholeFee(exposure, ticks, Math.abs(quantityLots)) }
  }
  if (isStop(request.type)) return { margin: 0n, wholeFee: null }
  if (priced === undefined) return { margin: request.reduceOnly ? 0n : null, wholeFee: null }
  const hold = holdOf(request, priced, ticksIn(exposure, request), lotsOf(instrument, request.quantity), 0)
  const fee = wholeFee(exposure, hold.priceTicks, hold.lots)
  if (!fits(exposure, hold, hold.priceTicks, hold.lots)) return { margin: null, wholeFee: fee }
  add(account, exposure, hold)
  refresh(account, trader.prices)
  return { margin: account.margin - whole.margin, wholeFee: fee }
}

function ticksIn({ instrument }: Exposure, { price, type }: PlaceOrder): number {
  return type === "MARKET" ? 0 : ticksOf(instrument, price)
}

/** Narrows the type: a placement or a close never produces another kind of command. */
function previewable(command: TraderCommand): PreviewCommand {
  if (command._tag === "Place" || command._tag === "Close" || command._tag === "Refuse") return command
  throw new Error(`expected an order, got ${command._tag}`)
}
