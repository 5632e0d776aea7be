/** Cash dividends. Each is paid once, to the accounts that hold a position at the time of payment (rule 19.1). */
import * as Dividend from "@venue/domain/Dividend"
import { isOver } from "@venue/domain/TradingState"
import type { Events, Market } from "../Market.ts"
import * as Participants from "../state/Participants.ts"

export const pay = (
  market: Market,
  { exDay, perUnitE8 }: Dividend.PayDividend,
  atMillis: number,
  events: Events
): void => {
  if (exDay <= market.lastDividendDay || isOver(market.tradingState)) return
  const remainder = Participants.remainderOf(market.participants, ({ quantityLots }) =>
    Dividend.payment(market.instrument, quantityLots, perUnitE8)
  )
  const paid: Dividend.DividendPaid = { _tag: "DividendPaid", exDay, perUnitE8, remainder, atMillis }
  apply(market, paid)
  events.push(paid)
}

export const apply = (market: Market, { atMillis, exDay, perUnitE8, remainder }: Dividend.DividendPaid): void => {
  market.timeMillis = atMillis
  market.lastDividendDay = exDay
  const book = (position: Participants.Account["position"]) => Dividend.book(position, market.instrument, perUnitE8)
  Participants.payAll(market.participants, book, remainder)
}
