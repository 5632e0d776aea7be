/**
 * A market of AAPL-USD at 200 during trading hours, with short methods for commands. Prices are in USD and quantities
 * in shares.
 */
import type { CancelCause } from "@venue/domain/Order"
import { AccountId } from "@venue/domain/AccountId"
import type { Id } from "@venue/domain/Id"
import { initialInstruments } from "@venue/domain/Instrument"
import type { CancelAll, MarketCommand, MarketEvent, Modify, Place, TraderCommand } from "@venue/domain/Market"
import type { OrderId } from "@venue/domain/OrderId"
import { UserId } from "@venue/domain/UserId"
import * as Engine from "@venue/matching/Engine"
import { assert } from "@effect/vitest"
import { id } from "../Id.ts"

export const apple = initialInstruments.find(({ symbol }) => symbol === "AAPL-USD")!

/** 10:00 in New York on Friday 2026-11-20. */
export const friday = Date.UTC(2026, 10, 20, 15)

export const ticks = (price: number): number => Math.round(price * 100)
export const lots = (quantity: number): number => Math.round(quantity * 1000)
export const usd = (price: number): number => Math.round(price * 1e8)

export interface Ask {
  readonly account?: string
  readonly user?: string
  readonly id?: Id
  readonly epoch?: number
  readonly expires?: number
  readonly cause?: CancelCause
  readonly except?: CancelAll["except"]
}

export type PlaceAsk = Ask & Partial<Omit<Place, "price" | "quantity">>

export class Scene {
  readonly events: Array<MarketEvent> = []
  engine: Engine.Engine
  now = friday
  #next = 1

  constructor(oracle: number | null = 200, settings: Engine.Settings = Engine.defaults) {
    this.engine = Engine.make(apple, settings)
    if (oracle !== null) this.ask({ _tag: "Observe", priceE8: usd(oracle), teller: "operator" })
  }

  id(): Id {
    return id(`command ${this.#next++}`)
  }

  ask(command: MarketCommand, now = this.now): ReadonlyArray<MarketEvent> {
    const events: Array<MarketEvent> = []
    Engine.decide(this.engine, command, now, events)
    this.events.push(...events)
    return events
  }

  envelope(ask: Ask): Pick<Place, "commandId" | "expiresAtMillis" | "traderEpoch" | "userId" | "accountId"> {
    const accountId = ask.account ?? "alice"
    return {
      commandId: ask.id ?? this.id(),
      expiresAtMillis: ask.expires ?? this.now + 10_000,
      traderEpoch: ask.epoch ?? 1,
      userId: UserId.make(ask.user ?? accountId),
      accountId: AccountId.make(accountId)
    }
  }

  placing(side: Place["side"], quantity: number, price: number, ask: PlaceAsk = {}): Place {
    const { account: _account, epoch: _epoch, expires: _expires, id: _id, user: _user, ...over } = ask
    return {
      _tag: "Place",
      ...this.envelope(ask),
      makerRate: 20_000,
      takerRate: 100_000,
      maxNotional: 2_500_000_000_000,
      leverage: 10,
      finding: null,
      side,
      type: "LIMIT",
      timeInForce: "GTC",
      priceTicks: ticks(price),
      quantityLots: lots(quantity),
      reduceOnly: false,
      clientOrderId: "",
      builderCode: "",
      origin: "USER",
      ...over
    }
  }

  place(side: Place["side"], quantity: number, price: number, ask: PlaceAsk = {}): ReadonlyArray<MarketEvent> {
    return this.ask(this.placing(side, quantity, price, ask))
  }

  buy(quantity: number, price: number, ask: PlaceAsk = {}): ReadonlyArray<MarketEvent> {
    return this.place("BUY", quantity, price, ask)
  }

  sell(quantity: number, price: number, ask: PlaceAsk = {}): ReadonlyArray<MarketEvent> {
    return this.place("SELL", quantity, price, ask)
  }

  /** Gives an account a position, by a trade with `house`. */
  hold(account: string, quantity: number, price = 200): void {
    const [own, other] = quantity > 0 ? (["BUY", "SELL"] as const) : (["SELL", "BUY"] as const)
    this.place(other, Math.abs(quantity), price, { account: "house" })
    this.place(own, Math.abs(quantity), price, { account, timeInForce: "IOC" })
  }

  modify(orderId: OrderId, over: Partial<Modify> & Ask = {}): ReadonlyArray<MarketEvent> {
    const { account, epoch, expires, id, user, ...rest } = over
    return this.ask({
      _tag: "Modify",
      ...this.envelope(given({ account, epoch, expires, id, user })),
      makerRate: 20_000,
      takerRate: 100_000,
      maxNotional: 2_500_000_000_000,
      leverage: 10,
      finding: null,
      orderId,
      side: "BUY",
      type: "LIMIT",
      priceTicks: 0,
      quantityLots: 0,
      reduceOnly: false,
      ...rest
    })
  }

  cancel(orderId: OrderId, ask: Ask = {}): ReadonlyArray<MarketEvent> {
    return this.ask({ _tag: "Cancel", ...this.envelope(ask), orderId, clientOrderId: "" })
  }

  /** Cancels all orders with a client order id. */
  cancelNamed(clientOrderId: string, ask: Ask = {}): ReadonlyArray<MarketEvent> {
    return this.ask({ _tag: "Cancel", ...this.envelope(ask), orderId: null, clientOrderId })
  }

  cancelAll(ask: Ask = {}): ReadonlyArray<MarketEvent> {
    const { cause = "REQUEST", except } = ask
    return this.ask({ _tag: "CancelAll", ...this.envelope(ask), cause, ...(except === undefined ? {} : { except }) })
  }

  close(ask: Ask & Partial<Place> = {}): ReadonlyArray<MarketEvent> {
    const command: TraderCommand = {
      _tag: "Close",
      ...this.envelope(ask),
      makerRate: 20_000,
      takerRate: 100_000,
      maxNotional: 2_500_000_000_000,
      leverage: 10,
      finding: null,
      clientOrderId: ask.clientOrderId ?? "",
      builderCode: ""
    }
    return this.ask(command)
  }

  position(account: string): number {
    return Engine.view(this.engine, AccountId.make(account)).position.quantityLots / 1000
  }

  /** Side, quantity and price of each level, bids first, each side with its best price first. */
  levels(): ReadonlyArray<string> {
    return Engine.depth(this.engine).map(
      ({ priceTicks, quantityLots, side }) => `${side} ${quantityLots / 1000} @ ${priceTicks / 100}`
    )
  }

  orders(account: string): ReadonlyArray<string> {
    return Engine.view(this.engine, AccountId.make(account)).orders.map(
      ({ priceTicks, quantityLots, remainingLots, side }) =>
        `${side} ${remainingLots / 1000} of ${quantityLots / 1000} @ ${priceTicks / 100}`
    )
  }

  stops(account: string): ReadonlyArray<string> {
    return Engine.view(this.engine, AccountId.make(account)).stops.map(
      ({ priceTicks, quantityLots, side, type }) => `${side} ${quantityLots / 1000} ${type} ${priceTicks / 100}`
    )
  }
}

/** Asserts that replayed events, and a stored and restored state, equal the live state. */
export const assertDurable = ({ engine, events }: Scene): void => {
  const replayed = Engine.make(apple, engine.settings)
  for (const event of events) Engine.apply(replayed, event)
  assert.strictEqual(Engine.hash(replayed), Engine.hash(engine))
  const stored = structuredClone(Engine.snapshot(engine))
  assert.strictEqual(Engine.hash(Engine.restore(apple, engine.settings, stored)), Engine.hash(engine))
}

/** Returns the events in a readable form. */
export const told = (events: ReadonlyArray<MarketEvent>): ReadonlyArray<string> =>
  events.map((event) => {
    switch (event._tag) {
      case "Traded":
        return `Traded ${event.quantityLots / 1000} @ ${event.priceTicks / 100} ${event.maker.order.accountId}`
      case "Ended":
        return `${event.status} ${event.order.remainingLots / 1000} ${event.order.accountId}`
      case "Modified":
        return `Modified ${event.order.remainingLots / 1000} @ ${event.order.priceTicks / 100}${event.requeued ? " requeued" : ""}`
      case "Refused":
        return event.status
      default:
        return event._tag
    }
  })

/** Returns the first event of a kind, which must exist. */
export const eventOf = <Tag extends MarketEvent["_tag"]>(
  events: ReadonlyArray<MarketEvent>,
  tag: Tag
): Extract<MarketEvent, { _tag: Tag }> =>
  events.find((event): event is Extract<MarketEvent, { _tag: Tag }> => event._tag === tag)!

export const orderIdOf = (events: ReadonlyArray<MarketEvent>): OrderId => eventOf(events, "Accepted").order.orderId

function given<A extends object>(values: A): { [K in keyof A]: Exclude<A[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never
}
