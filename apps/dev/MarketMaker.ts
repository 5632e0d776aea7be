/** Market maker: quotes both sides of every symbol through the public sockets, with its own user and key. */
import type { Frame } from "@venue/api/trade/FrameSchema"
import * as Credentials from "@venue/client/Credentials"
import * as MarketDataClient from "@venue/client/MarketDataClient"
import { type Backoff, patient } from "@venue/client/ReconnectingSocket"
import * as TradeClient from "@venue/client/TradeClient"
import { Clock, Effect, Option, Queue, Schedule } from "effect"
import { awaitListings } from "./Listing.ts"
import * as QuoteBook from "./QuoteBook.ts"
import * as QuoteBooks from "./QuoteBooks.ts"
import { type QuoteTerms, usualTerms } from "./Quotes.ts"

export interface MarketMakerOptions {
  readonly restUrl: string
  readonly tradeUrl: string
  readonly marketDataUrl: string
  readonly keys: Credentials.ApiKey
  readonly terms?: QuoteTerms
  readonly backoff?: Backoff
}

/** At most 25 messages per 250 ms turn are 100 messages a second, half the venue's limit per user. */
const turnMillis = 250
const messagesPerTurn = 25
/** Pause after an error that concerns no quote, and after a rate limit. */
const errorPauseMillis = 2_000
const reconcileEvery = "1 minute"

/** Quotes until interrupted. Waits for the venue, and reconnects after every disconnect. */
export const run = Effect.fn("MarketMaker.run")(function* (options: MarketMakerOptions) {
  const { backoff = patient, keys, terms = usualTerms } = options
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const listings = yield* awaitListings(options.restUrl)
  const books = QuoteBooks.make(listings)
  const session = now().toString(36)
  let sent = 0
  let isLive = false
  let turnsTaken = 0
  let pausedUntilMillis = 0

  const client = yield* TradeClient.make({
    url: options.tradeUrl,
    credentials: yield* Credentials.ofApiKey(keys),
    channels: ["order_responses", "fills", "positions"],
    backoff
  })

  const marketData = yield* MarketDataClient.make({
    url: options.marketDataUrl,
    channels: ["mark_price"],
    symbols: ["*"],
    backoff
  })

  const marked = (event: MarketDataClient.MarketDataEvent): void => {
    if (event._tag === "Received") QuoteBooks.marked(books, event.frame, now())
  }

  const turn = Effect.sync(() => {
    if (!isLive || now() < pausedUntilMillis) return
    let left = messagesPerTurn
    for (const book of QuoteBooks.inTurn(books, turnsTaken++)) {
      for (const action of QuoteBook.next(book, terms, now())) {
        if (left-- === 0) return
        client.sendUnsafe(QuoteBook.begin(book, action, `mm-${session}-${++sent}`, now()))
      }
    }
  })

  // Cancels an earlier session's orders first. After a disconnect, this runs again on the next connection.
  const start = Effect.gen(function* () {
    const earlier = yield* openOrders(client)
    yield* cancelAll(client)
    for (const book of books.values()) book.orders.clear()
    isLive = true
    yield* Effect.logInfo(`market maker: quotes ${books.size} symbols, cancelled ${earlier.length} earlier orders`)
  }).pipe(
    Effect.retry({ schedule: Schedule.spaced("1 second"), while: (error) => error._tag !== "NotConnected" }),
    Effect.catch((error) => Effect.logWarning(`market maker: not started, ${error._tag}`))
  )

  const reconcile = Effect.gen(function* () {
    if (!isLive) return
    const requestedAtMillis = now()
    const rows = yield* openOrders(client)
    for (const book of books.values()) {
      for (const command of QuoteBook.reconcile(book, rows, requestedAtMillis)) client.sendUnsafe(command)
    }
  }).pipe(Effect.catch((error) => Effect.logWarning(`market maker: cannot read its open orders, ${error._tag}`)))

  const received = (frame: Frame): void => {
    const error = frame.err
    if (error === undefined) return QuoteBooks.received(books, frame, now())
    const isKnown = QuoteBooks.failed(books, error, now())
    if (!isKnown || error.error_code === "RateLimited") pausedUntilMillis = now() + errorPauseMillis
  }

  const happened = Effect.fnUntraced(function* (event: TradeClient.TradeEvent) {
    switch (event._tag) {
      case "Connected":
        return yield* start
      case "Disconnected":
        isLive = false
        // The first update after the reconnect contains the position.
        for (const book of books.values()) book.positionLots = 0
        return yield* Effect.logWarning(`market maker: connection lost, ${event.reason}`)
      case "Received":
        return received(event.frame)
      case "Unreadable":
        return yield* Effect.logWarning(`market maker: cannot read ${event.text.slice(0, 200)}`)
    }
  })

  yield* Effect.forkScoped(Effect.forever(Effect.map(Queue.take(marketData.events), marked)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(turnMillis), turn)))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(reconcileEvery), reconcile)))
  return yield* Effect.forever(Effect.flatMap(Queue.take(client.events), happened))
}, Effect.scoped)

const openOrders = (client: TradeClient.TradeClient) =>
  client.ask({ type: "get_user_orders", params: { limit: 1_000 } }, ({ all_orders_response }) =>
    Option.map(Option.fromNullishOr(all_orders_response), ({ orders }) => orders)
  )

/** Cancels all orders. The venue responds to this client's other messages without an `ack`. */
const cancelAll = (client: TradeClient.TradeClient) =>
  client.ask({ type: "cancel_all_orders", params: {} }, ({ ack }) =>
    ack === undefined ? Option.none() : Option.some(true)
  )
