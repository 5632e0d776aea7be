/**
 * Demo in which bob sells to alice, who buys with a bracket. Both print the effect on their balances and close their
 * positions.
 */
import type { BalanceResponse } from "@venue/api/trade/FrameSchema"
import * as MarketDataClient from "@venue/client/MarketDataClient"
import type { NewOrder } from "@venue/client/TradeClient"
import { Clock, Console, Effect, Queue, type Scope } from "effect"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as DemoAccount from "./DemoAccount.ts"
import { type DemoAccount as Account, DemoFailed } from "./DemoAccount.ts"
import { balanceLines, changeLine, fillLines, stopLine, sum, text, total } from "./DemoText.ts"
import type { DevFile } from "./DevFile.ts"
import { type Listing, listings } from "./Listing.ts"

const symbol = "AAPL-USD"
const quantity = 10

export const run = Effect.fn("DemoStory.run")(function* (
  dev: DevFile
): Effect.fn.Return<void, DemoFailed, Scope.Scope | SecureRandom> {
  const [alice, bob] = yield* Effect.all([enter(dev, "alice"), enter(dev, "bob")])
  const listing = yield* listings(dev.urls.rest).pipe(
    Effect.map((all) => all.find((each) => each.symbol === symbol)),
    Effect.filterOrFail((match) => match !== undefined),
    Effect.mapError(() => new DemoFailed({ message: `${dev.urls.rest}/refdata does not list ${symbol}` }))
  )
  const prices = yield* watchPrices(dev.urls.market_data)

  yield* Console.log("Balances before")
  const before = { alice: yield* first(alice), bob: yield* first(bob) }

  const opening = yield* meetingPrice(listing, prices)
  const bracket = { take_profit: near(listing, opening * 1.02), stop_loss: near(listing, opening * 0.98) }
  yield* Console.log(
    `\nbob sells ${quantity} ${symbol} at ${text(opening)} to alice, who ` +
      `attaches a take-profit at ${text(bracket.take_profit)} and a stop-loss at ${text(bracket.stop_loss)}`
  )
  yield* meet({ seller: bob, buyer: alice, price: opening, amount: quantity, reduceOnly: false, bracket })
  const between = { alice: yield* pulsed(alice, before.alice), bob: yield* pulsed(bob, before.bob) }
  yield* Console.log("\nAfter the trade")
  yield* printChange(alice, before.alice, between.alice)
  yield* printChange(bob, before.bob, between.bob)
  if (between.alice.position > 0) yield* printStops(alice)

  const closing = yield* meetingPrice(listing, prices)
  const amount = Math.min(between.alice.position, -between.bob.position)
  yield* Console.log("\nBoth close their positions")
  for (const account of [alice, bob]) account.state.fills.length = 0
  if (amount > 0) {
    yield* Console.log(`  alice sells ${text(amount)} ${symbol} at ${text(closing)} to bob`)
    yield* meet({ seller: alice, buyer: bob, price: closing, amount, reduceOnly: true })
  }
  yield* flatten(alice, between.alice)
  yield* flatten(bob, between.bob)
  const after = { alice: yield* pulsed(alice, between.alice), bob: yield* pulsed(bob, between.bob) }
  yield* Console.log("\nAfter closing")
  yield* printChange(alice, between.alice, after.alice)
  yield* printChange(bob, between.bob, after.bob)
  yield* stopsAreOver(alice)
  yield* Console.log("\nChange over the whole demo")
  yield* Console.log(changeLine("alice", before.alice.balance, after.alice.balance))
  yield* Console.log(changeLine("bob", before.bob.balance, after.bob.balance))
  yield* printFunding([alice, bob])
})

interface Snapshot {
  readonly balance: BalanceResponse
  readonly position: number
}

interface Prices {
  bid: number | undefined
  ask: number | undefined
  mark: number | undefined
}

/**
 * Waits for a price between the best quotes, at which the two orders match each other. Uses the mark price if a side
 * is empty.
 */
const meetingPrice = (listing: Listing, prices: Prices) =>
  DemoAccount.eventually(
    () => {
      const { ask, bid, mark } = prices
      const middle = bid !== undefined && ask !== undefined ? (bid + ask) / 2 : mark
      return middle === undefined ? undefined : near(listing, middle)
    },
    () => `there is no price for ${symbol} yet; check that the price feed is on`
  )

/** Rounds a price to the nearest tick. */
const near = ({ ticksPerUnit }: Listing, price: number): number => Math.round(price * ticksPerUnit) / ticksPerUnit

const watchPrices = Effect.fnUntraced(function* (url: string): Effect.fn.Return<Prices, never, Scope.Scope> {
  const prices: Prices = { bid: undefined, ask: undefined, mark: undefined }
  const { events } = yield* MarketDataClient.make({ url, channels: ["bbo", "mark_price"], symbols: [symbol] })
  const happened = (event: MarketDataClient.MarketDataEvent): void => {
    if (event._tag !== "Received") return
    const { frame } = event
    if (frame.type === "mark_price" && frame.symbol === symbol) prices.mark = Number(frame.price)
    if (frame.type !== "bbo") return
    prices.bid = frame.bid[0] === undefined ? undefined : Number(frame.bid[0][0])
    prices.ask = frame.ask[0] === undefined ? undefined : Number(frame.ask[0][0])
  }
  yield* Effect.forkScoped(Effect.forever(Effect.map(Queue.take(events), happened)))
  // A market without quotes reports this immediately. Its mark price is then the only price.
  yield* Effect.sleep("1 second")
  return prices
})

const enter = Effect.fnUntraced(function* (dev: DevFile, name: string) {
  const user = dev.users.find((each) => each.name === name)
  if (user === undefined) return yield* new DemoFailed({ message: `dev.json has no user ${name}` })
  return yield* DemoAccount.open(user, dev.urls.trade)
})

/**
 * Places the sell order, then the buy order. Cancels the rest of the sell order if the buyer matched a different
 * order.
 */
const meet = Effect.fnUntraced(function* (trade: {
  readonly seller: Account
  readonly buyer: Account
  readonly price: number
  readonly amount: number
  readonly reduceOnly: boolean
  /** The buy order's take-profit and stop-loss prices. */
  readonly bracket?: { readonly take_profit: number; readonly stop_loss: number }
}) {
  const { amount, bracket, buyer, price, reduceOnly, seller } = trade
  const terms = { symbol, order_type: "LIMIT", quantity: amount, price, reduce_only: reduceOnly } as const
  const rest: NewOrder = {
    ...terms,
    side: "SELL",
    order_time_in_force: "GTC",
    client_order_id: `demo-sell-${reduceOnly ? 2 : 1}`
  }
  const take: NewOrder = {
    ...terms,
    ...bracket,
    side: "BUY",
    order_time_in_force: "IOC",
    client_order_id: `demo-buy-${reduceOnly ? 2 : 1}`
  }
  yield* DemoAccount.place(seller, rest)
  yield* DemoAccount.place(buyer, take)
  yield* DemoAccount.ended(buyer, take.client_order_id)
  yield* Effect.timeoutOption(DemoAccount.ended(seller, rest.client_order_id), "1 second")
  const resting = seller.state.orders.get(rest.client_order_id)
  if (resting === undefined || DemoAccount.isOver(resting)) return
  yield* Effect.ignore(seller.client.cancel({ symbol, order_id: resting.order_id, cancel_order_id_type: "order_id" }))
  yield* DemoAccount.ended(seller, rest.client_order_id)
})

/** Closes the rest of the position with a market order. */
const flatten = Effect.fnUntraced(function* (account: Account, before: Snapshot) {
  const { position } = yield* pulsed(account, before)
  if (position === 0) return
  const clientOrderId = "demo-close"
  yield* account.client
    .send({ type: "close_position", params: { symbol, client_order_id: clientOrderId } })
    .pipe(Effect.mapError(() => new DemoFailed({ message: `${account.name} lost the connection` })))
  yield* DemoAccount.ended(account, clientOrderId)
  const { position: left } = yield* pulsed(account, before)
  if (left !== 0)
    return yield* new DemoFailed({
      message: `${account.name} still holds ${text(left)}: the book has no order to match it`
    })
})

const first = Effect.fnUntraced(function* (account: Account) {
  const { state, name } = account
  const balance = yield* DemoAccount.eventually(
    () => state.balance,
    () => `${name} received no balance`
  )
  yield* Console.log(balanceLines(name, balance).join("\n"))
  return { balance, position: DemoAccount.positionOf(account, symbol) }
})

/** Positions and balances are sent once a second. Waits for a message that includes all fills since `before`. */
const pulsed = (account: Account, before: Snapshot): Effect.Effect<Snapshot, DemoFailed> => {
  const { state, name } = account
  const fees = () =>
    sum(
      before.balance.fees,
      total(state.fills, (fill) => fill.fee)
    )
  const position = () =>
    sum(
      before.position,
      total(state.fills, (fill) => (fill.side === "BUY" ? fill.quantity : -fill.quantity))
    )
  return DemoAccount.eventually(
    () => {
      const balance = state.balance
      if (balance === undefined || sum(balance.fees, -fees()) !== 0) return undefined
      const held = DemoAccount.positionOf(account, symbol)
      return sum(held, -position()) === 0 ? { balance, position: held } : undefined
    },
    () =>
      `${name} should have paid ${text(fees())} in fees and hold ${text(position())}; the venue reports other values`
  )
}

const printChange = ({ state, name }: Account, before: Snapshot, after: Snapshot): Effect.Effect<void> => {
  const held = state.positions.get(symbol)
  const average = held === undefined || after.position === 0 ? "" : ` at ${text(held.average_price)} on average`
  const position = `  ${name.padEnd(6)} position ${text(before.position)} -> ${text(after.position)}${average}`
  const lines = [
    ...fillLines(name, state.fills, before.balance, after.balance),
    position,
    ...balanceLines(name, after.balance)
  ]
  return Console.log(lines.join("\n"))
}

/** Prints the bracket's two stops, which together close at most the filled quantity. */
const printStops = Effect.fnUntraced(function* ({ state, name }: Account) {
  const stops = yield* DemoAccount.eventually(
    () => (state.stops.size === 2 ? [...state.stops.values()] : undefined),
    () => `${name}'s order has no stops`
  )
  yield* Console.log(
    `\nStops of ${name}'s position: the first that fires cancels the other, and both end when the position is closed`
  )
  yield* Console.log(stops.map((stop) => stopLine(name, stop)).join("\n"))
})

const stopsAreOver = ({ state, name }: Account) =>
  DemoAccount.eventually(
    () => (state.stops.size === 0 ? true : undefined),
    () => `${name} has stops without a position`
  )

/** Prints the total funding received. Demo positions rarely last a full hour. */
const printFunding = Effect.fnUntraced(function* (accounts: ReadonlyArray<Account>) {
  const minutes = 60 - Math.floor(((yield* Clock.currentTimeMillis) / 60_000) % 60)
  const soFar = accounts.map(({ state, name }) => `${name} ${text(state.positions.get(symbol)?.net_funding ?? 0)}`)
  yield* Console.log(
    `\nFunding: positions pay each other at every full hour; the next payment is in ${minutes} min. Received so far in ${symbol}: ${soFar.join(", ")}`
  )
})
