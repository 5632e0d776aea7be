/** A venue of many processes: membership, trading, handover of shards, and nodes that are rejected. */
import { expect, it } from "vitest"
import * as Database from "./Database.ts"
import * as DevApp from "./DevApp.ts"
import * as TradeSocket from "./TradeSocket.ts"
import * as Truth from "./Truth.ts"
import * as VenueProcesses from "./VenueProcesses.ts"

/** Prices far below the market, at which orders rest without a match. */
const prices = { "AAPL-USD": 190, "TSLA-USD": 240, "MSFT-USD": 400, "GOLD-USD": 3_300, "US500-USD": 5_800 }
const symbols = Object.keys(prices) as ReadonlyArray<keyof typeof prices>
const order = (number: number) => {
  const symbol = symbols[number % symbols.length]!
  const terms = { side: "BUY", quantity: 0.1, order_type: "LIMIT", order_time_in_force: "GTC", reduce_only: false }
  return { ...terms, symbol, price: prices[symbol], client_order_id: `order-${number}` }
}

/** Errors that allow a retry or report an unknown outcome. */
const honest = /^ServerError: .*(try again|not known|unknown)/

it("I1, I4: while a stopping runner hands over its shards, every order receives exactly one response", async () => {
  const { url } = await Database.serve()
  const [one, two, gateway] = await Promise.all(
    ["runner-1", "runner-2", "gateway-1"].map((name) => VenueProcesses.launch(url, name))
  )
  const nodes = [one!, two!, gateway!]
  for (const node of nodes) await VenueProcesses.ready(node)
  for (const node of nodes) expect(await VenueProcesses.health(node, "live")).toBe(200)
  // Shards still move to the second runner, and a runner is briefly not ready after it receives a shard.
  await DevApp.until("every node is ready", async () => {
    const statuses = await Promise.all(nodes.map((node) => VenueProcesses.health(node, "ready")))
    return statuses.every((status) => status === 200)
  })
  const [trader] = await VenueProcesses.seed(url)

  const answers = new Map<string, Array<string>>()
  const sentAtMillis = new Map<string, number>()
  const refused = new Map<string, { readonly error: string; readonly afterMillis: number }>()
  const socket = await TradeSocket.open(gateway!.tradeUrl, trader!, ({ err, order_response: row }) => {
    if (row !== undefined) answers.set(row.client_order_id, [...(answers.get(row.client_order_id) ?? []), row.status])
    if (err === undefined) return
    const id = String(err.incoming_message?.params["client_order_id"])
    const afterMillis = performance.now() - sentAtMillis.get(id)!
    refused.set(id, { error: `${err.error_code}: ${err.message}`, afterMillis })
  })
  await TradeSocket.subscribe(socket, ["order_responses"])
  const sent: Array<string> = []
  const place = () => {
    const next = order(sent.length)
    sent.push(next.client_order_id)
    sentAtMillis.set(next.client_order_id, performance.now())
    socket.send("add_order", next)
  }
  const isAnswered = () => sent.every((id) => answers.has(id) || refused.has(id))
  for (let count = 0; count < 20; count++) place()
  await DevApp.until("the first orders are answered", isAnswered)
  expect(refused).toEqual(new Map())
  const placing = setInterval(place, 50)
  const ended = one!.end("SIGTERM")
  expect(await ended).toEqual({ code: 0, signal: null })
  expect(await VenueProcesses.health(one!, "live")).toBe(0)
  await DevApp.until("the other runner answers an order", () => answers.has(`order-${sent.length - 1}`))
  clearInterval(placing)
  await DevApp.until("every order is answered", isAnswered)
  // A gateway holds an order for 2 s while the order's market moves. A move takes longer only on a busy machine.
  const early = [...refused.values()].filter(({ afterMillis, error }) => afterMillis < 1_900 || !honest.test(error))
  expect(early).toEqual([])
  expect([...answers.values()].filter((statuses) => statuses.join() !== "ACK")).toEqual([])
  const rows = (await Truth.read(gateway!.tradeUrl, trader!)).open
  const open = new Set(rows.map((row) => row.client_order_id))
  expect(open.size).toBe(rows.length)
  expect([...answers.keys()].filter((id) => !open.has(id))).toEqual([])
  expect([...open].filter((id) => !answers.has(id) && !refused.has(id))).toEqual([])
  // The readiness of new shards is checked every second, so orders might succeed before the node reports that it is
  // ready.
  await DevApp.until("the other runner is ready", async () => (await VenueProcesses.health(two!, "ready")) === 200)

  const lone = DevApp.launch(await DevApp.makeSite(), { VENUE_DATABASE_URL: url })
  expect((await lone.ended).code).toBe(1)
  expect(lone.output()).toContain("another venue is running on this database")
  const other = await VenueProcesses.launch(url, "gateway-2", { VENUE_KEY_PREFIX: "svc_other" })
  expect((await other.ended).code).toBe(1)
  expect(other.output()).toContain("VENUE_KEY_PREFIX: the value differs from the value on gateway-1")

  await Database.run(url, "update node set wanted = 'draining' where name = 'gateway-1'")
  expect(await gateway!.ended).toEqual({ code: 0, signal: null })
  await socket.closed
  expect(await two!.end("SIGTERM")).toEqual({ code: 0, signal: null })
})
