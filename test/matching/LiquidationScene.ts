/** Helpers that liquidate an account and respond to its takeovers. Money is in USD. */
import { AccountId } from "@venue/domain/AccountId"
import { type Liquidate, type OpenTakeover, type Stand, standMillis } from "@venue/domain/Liquidation"
import type { MarketEvent, Traded } from "@venue/domain/Market"
import { UserId } from "@venue/domain/UserId"
import * as Engine from "@venue/matching/Engine"
import { type Ask, lots, Scene, ticks, usd } from "./EngineScene.ts"

export const micros = (usd: number): number => Math.round(usd * 1e6)

/** Returns a market in which Ann bought at 200 the total quantity that the given accounts sold. */
export const scene = (...shorts: ReadonlyArray<readonly [string, number]>): Scene => {
  const market = new Scene()
  for (const [account, quantity] of shorts) {
    market.sell(quantity, 200, { account })
    market.buy(quantity, 200, { account: "ann", timeInForce: "IOC" })
  }
  return market
}

export const mark = (market: Scene, price: number) =>
  market.ask({ _tag: "Observe", priceE8: usd(price), teller: "operator" })

/** Trades off the book, in a readable form. */
export const made = (events: ReadonlyArray<MarketEvent>): ReadonlyArray<string> =>
  events
    .filter((event): event is Traded => event._tag === "Traded")
    .map(
      ({ maker, offBook, priceTicks, quantityLots, taker }) =>
        `${offBook} ${maker.order.accountId} ${quantityLots / 1000} @ ${priceTicks / 100}, fees ${taker.fee / 1e6} and ${maker.fee / 1e6}`
    )

/** Returns the current position and mark, on which a desk would base its decision. */
const decidedOn = ({ engine }: Scene, account: string) => ({
  position: Engine.view(engine, AccountId.make(account)).position,
  markE8: Engine.prices(engine)!.markE8
})

export const liquidate = (
  scene: Scene,
  account: string,
  quantity: number,
  price: number,
  over: Ask & Partial<Liquidate> = {}
): ReadonlyArray<MarketEvent> => {
  const { epoch: _epoch, expires: _expires, id: _id, user: _user, account: _account, ...rest } = over
  return scene.ask({
    _tag: "Liquidate",
    ...scene.envelope({ ...over, account }),
    decidedOn: decidedOn(scene, account),
    takerRate: 100_000,
    leverage: 10,
    quantityLots: lots(quantity),
    priceTicks: ticks(price),
    ...rest
  })
}

export const openTakeover = (
  scene: Scene,
  account: string,
  share: number,
  over: Ask & Partial<OpenTakeover> = {}
): ReadonlyArray<MarketEvent> => {
  const { epoch: _epoch, expires: _expires, id: _id, user: _user, account: _account, ...rest } = over
  return scene.ask({
    _tag: "OpenTakeover",
    ...scene.envelope({ ...over, account }),
    decidedOn: decidedOn(scene, account),
    share: micros(share),
    ...rest
  })
}

export interface Answer {
  readonly ratio?: number
  readonly mayLose?: number
  readonly user?: string
  /** Set if the account is a provider. */
  readonly freeMargin?: number
  readonly buys?: number
  readonly sells?: number
  readonly over?: Partial<Stand>
}

/** Returns the current response of an account's desk. */
export const stand = (scene: Scene, account: string, answer: Answer): Stand => {
  const { buys, freeMargin, mayLose = 1_000_000, ratio = 10, sells, user = account } = answer
  return {
    userId: UserId.make(user),
    accountId: AccountId.make(account),
    position: Engine.view(scene.engine, AccountId.make(account)).position,
    ratioE6: micros(ratio),
    markE8: Engine.prices(scene.engine)!.markE8,
    mayLose: micros(mayLose),
    provider:
      freeMargin === undefined
        ? null
        : {
            freeMargin: micros(freeMargin),
            buysLots: lots(buys ?? 1_000),
            sellsLots: lots(sells ?? 1_000),
            leverage: 10
          },
    ...answer.over
  }
}

/** Closes takeovers half a second later, when all desks have had time to respond. */
export const closeTakeovers = (scene: Scene, stands: ReadonlyArray<Stand>): ReadonlyArray<MarketEvent> => {
  scene.now += standMillis
  return scene.ask({ _tag: "CloseTakeovers", stands })
}

/** Value of an account's position at a price, plus its cash. */
export const worth = ({ engine }: Scene, account: string, price: number): number => {
  const { cashFlow, fees, funding, quantityLots, rewards } = Engine.view(engine, AccountId.make(account)).position
  return (cashFlow - fees + funding + rewards) / 1e6 + (quantityLots / 1000) * price
}

export const reserveFund = ({ engine }: Scene): number => Engine.totals(engine).reserveFund / 1e6
