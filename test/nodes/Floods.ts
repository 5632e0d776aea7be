/** One client's floods: orders, messages above the rate limit, and malformed frames. */
import * as DevApp from "./DevApp.ts"
import * as TraderRecord from "./TraderRecord.ts"
import * as Stalled from "./Stalled.ts"
import * as Stranger from "./Stranger.ts"
import * as TradeSocket from "./TradeSocket.ts"

export const symbol = "NATGAS-USD"
/** Quantity that makes an order slightly larger than the minimum order value. */
const quantity = 4
export const price = 3.2

/**
 * Sends `count` orders without waiting between them, and returns the errors after each order has a response. If two
 * users send opposite sides, all their orders match.
 */
export const orders = async (
  url: string,
  record: TraderRecord.TraderRecord,
  side: "BUY" | "SELL",
  count: number
): Promise<ReadonlyArray<string>> => {
  const errors: Array<string> = []
  const { adds } = record.unanswered
  const receive = TraderRecord.listener(record, () => true)
  const socket = await TradeSocket.open(url, record.user, (frame) => {
    receive(frame)
    if (frame.order_response !== undefined) adds.delete(frame.order_response.client_order_id)
    if (frame.err !== undefined) errors.push(`${frame.err.error_code}: ${frame.err.message}`)
  })
  await TradeSocket.subscribe(socket, ["order_responses", "fills"])
  for (let i = 1; i <= count; i++) {
    const order: TraderRecord.Sent = {
      client_order_id: `flood-${i}`,
      symbol,
      side,
      order_type: "LIMIT",
      quantity,
      price
    }
    record.sent.set(order.client_order_id, order)
    adds.set(order.client_order_id, order)
    socket.send("add_order", { ...order, order_time_in_force: "GTC", reduce_only: false })
  }
  await DevApp.until("every order of the flood is answered", () => adds.size <= errors.length)
  return errors
}

/** Cancels orders that do not exist. Returns the responses in order of arrival, and the seconds until the last one. */
export const cancels = async (
  url: string,
  user: DevApp.User,
  ids: ReadonlyArray<string>
): Promise<{
  readonly answers: ReadonlyArray<{ readonly id: string; readonly answer: string }>
  readonly seconds: number
}> => {
  const answers: Array<{ readonly id: string; readonly answer: string }> = []
  const socket = await TradeSocket.open(url, user, ({ err, order_response: row }) => {
    if (row !== undefined) answers.push({ id: row.client_order_id, answer: row.status })
    if (err === undefined) return
    answers.push({ id: String(err.incoming_message?.params["order_id"]), answer: err.error_code })
  })
  await TradeSocket.subscribe(socket, ["order_responses"])
  const startedAt = performance.now()
  for (const order_id of ids) {
    socket.send("cancel_order", { symbol, order_id, cancel_order_id_type: "client_order_id" })
  }
  await DevApp.until("every cancel is answered", () => answers.length >= ids.length)
  const seconds = (performance.now() - startedAt) / 1000
  await socket.close()
  return { answers, seconds }
}

/** Sends queries, each of which reads the database tables. Returns the number of responses and the errors. */
export const questions = async (
  url: string,
  user: DevApp.User,
  count: number
): Promise<{ readonly answered: number; readonly errors: ReadonlyArray<string> }> => {
  let answered = 0
  const errors: Array<string> = []
  const socket = await TradeSocket.open(url, user, ({ err, user_trades_response: rows }) => {
    if (rows !== undefined) answered++
    if (err !== undefined) errors.push(`${err.error_code}: ${err.message}`)
  })
  for (let i = 0; i < count; i++) socket.send("get_user_trades", { limit: 1_000 })
  await DevApp.until("every question is answered", () => answered + errors.length >= count)
  await socket.close()
  return { answered, errors }
}

/** Opens a connection that requests 49 MB of responses and reads none of them. Resolves while it is still sending. */
export const deaf = async (url: string, from: string): Promise<Stalled.Stalled> => {
  const stranger = await Stranger.come(url, from)
  stranger.freeze()
  void (async () => {
    for (let left = deafFrames; left > 0 && stranger.isOpen();) {
      if (stranger.send(Stalled.loud)) left--
      else await new Promise((over) => setTimeout(over, 5))
    }
  })()
  return { ...stranger, url, filledAtMillis: Date.now() }
}

/** Number of frames from a client that never reads. The responses amount to 49 MB. */
const deafFrames = 1_000

/** Sends the data `times` times and returns how the venue closes the connection. */
export const ending = async (url: string, from: string, data: string | Buffer, times = 1): Promise<Stranger.End> => {
  const stranger = await Stranger.come(url, from)
  for (let i = 0; i < times; i++) stranger.send(data)
  return stranger.ended
}
