/** Changes of a running cluster without a restart: a setting, and a new contract. */
import { expect, it } from "vitest"
import * as ClusterApp from "./ClusterApp.ts"
import * as DevApp from "./DevApp.ts"
import * as TradeSocket from "./TradeSocket.ts"

const terms = {
  base_asset: "BA",
  product_category: "EQUITY",
  tick_size: 0.01,
  lot_size: 0.001,
  min_quantity: 0.1,
  max_quantity: 100_000,
  default_max_leverage: 10,
  reason: "a test"
}

/** Members of the responses that the test reads. */
interface Body {
  readonly version: number
  readonly symbol: string
  readonly data: ReadonlyArray<{ readonly symbol: string; readonly in_force: boolean }>
}

it("a changed token applies at the other gateway, and a new contract trades on all nodes, without a restart", async () => {
  const site = await ClusterApp.makeSite()
  const app = await ClusterApp.start(site, { VENUE_CLUSTER_RUNNERS: "2" })
  const pids = ClusterApp.pids(site)
  const [first, second] = app.file.gateways.map(({ admin }) => admin) as [string, string]
  const call = async (url: string, token: string, path: string, body?: object, method = "POST") => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const init = body === undefined ? { headers } : { headers, method, body: JSON.stringify(body) }
    const answer = await fetch(`${url}${path}`, init)
    return { status: answer.status, body: (await answer.json()) as Body }
  }
  const before = app.file.admin_token
  const token = `svc_test_admin_${"7".repeat(48)}`

  const { version } = (await call(first, before, "/settings")).body
  const change = { version, values: { VENUE_ADMIN_TOKEN: token }, reason: "a test" }
  expect(await call(first, before, "/settings", change, "PUT")).toMatchObject({
    status: 200,
    body: { is_decided: true }
  })
  await DevApp.until(
    "the other gateway accepts the new token",
    async () => (await call(second, token, "/settings")).status === 200
  )
  expect((await call(second, before, "/settings")).status).toBe(401)

  expect((await call(first, token, "/instruments", terms)).body.symbol).toBe("BA-USD")
  for (const url of [first, second])
    await DevApp.until("the contract is in force", async () => {
      const { data } = (await call(url, token, "/instruments")).body
      return data.some(({ in_force, symbol }) => symbol === "BA-USD" && in_force)
    })
  await DevApp.until("the contract has a price", async () => {
    const price = { symbol: "BA-USD", price: 200, reason: "a test" }
    return (await call(second, token, "/prices", price)).status === 200
  })

  const order = {
    symbol: "BA-USD",
    quantity: 1,
    price: 200,
    reduce_only: false,
    order_type: "LIMIT",
    order_time_in_force: "GTC"
  }
  const sockets = await Promise.all(
    app.file.gateways.map(({ trade }, index) => TradeSocket.open(trade, app.file.users[index]!))
  )
  for (const [index, side] of ["SELL", "BUY"].entries()) {
    const socket = sockets[index]!
    await TradeSocket.subscribe(socket, ["order_responses"])
    const expected = index === 0 ? "ACK" : "FILLED"
    const answer = socket.next(({ order_response: row }) => (row?.status === expected ? row : undefined))
    socket.send("add_order", { ...order, side })
    expect(await answer).toMatchObject({ symbol: "BA-USD", side })
  }
  await Promise.all(sockets.map((socket) => socket.close()))
  expect(ClusterApp.pids(site)).toEqual(pids)
  expect(await app.end("SIGINT")).toEqual({ code: 130, signal: null })
})
