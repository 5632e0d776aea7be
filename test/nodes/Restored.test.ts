/**
 * An older copy of the database is put back: the start is halted, lists the missing rows, and goes on after two operators
 * have accepted the loss (I57).
 */
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import * as Database from "./Database.ts"
import * as DevApp from "./DevApp.ts"
import * as Ports from "./Ports.ts"
import * as TradeSocket from "./TradeSocket.ts"
import * as Truth from "./Truth.ts"
import * as VenueProcesses from "./VenueProcesses.ts"

const first = "svc_test_admin"
const order = (client_order_id: string, side = "BUY", price = 190) => ({
  symbol: "AAPL-USD",
  side,
  price,
  quantity: 0.1,
  order_type: "LIMIT",
  order_time_in_force: "GTC",
  reduce_only: false,
  client_order_id
})

const headers = (user: DevApp.User) => {
  const { nonce, public_key, signature, unix_ts } = TradeSocket.signed(user)
  return {
    "x-svc-public-key": public_key,
    "x-svc-nonce": nonce,
    "x-svc-timestamp": String(unix_ts),
    "x-svc-hmac-signature": signature
  }
}

it("I57: a venue on an older copy of its database starts halted, and goes on after two operators accept", async () => {
  const { dataDir, url } = await Database.serve()
  const adminPort = String(await Ports.one())
  const adminUrl = `http://127.0.0.1:${adminPort}`
  const admin = async (method: "GET" | "POST", path: string, body?: object, token = first) => {
    const answer = await fetch(`${adminUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) }
  }
  const witness = (name: string) => {
    const folder = join(dataDir, "witness", name)
    mkdirSync(folder, { recursive: true })
    return { VENUE_WITNESS_DIR: folder }
  }
  const launch = async (database: string) => [
    await VenueProcesses.launch(database, "runner-1", witness("runner-1")),
    await VenueProcesses.launch(database, "gateway-1", { ...witness("gateway-1"), VENUE_ADMIN_PORT: adminPort })
  ]
  const stop = async (nodes: ReadonlyArray<VenueProcesses.NodeProcess>) => {
    for (const node of nodes.toReversed()) expect(await node.end("SIGTERM")).toEqual({ code: 0, signal: null })
  }
  const isReady = async (node: VenueProcesses.NodeProcess) => (await VenueProcesses.health(node, "ready")) === 200
  const place = async (node: VenueProcesses.NodeProcess, user: DevApp.User, terms: object) => {
    const socket = await TradeSocket.open(node.tradeUrl, user)
    await TradeSocket.subscribe(socket, ["order_responses"])
    const row = await TradeSocket.insist(
      socket,
      "add_order",
      () => terms,
      (frame) => frame.order_response
    )
    await socket.close()
    return row.status
  }

  let nodes = await launch(url)
  for (const node of nodes) await VenueProcesses.ready(node)
  for (const node of nodes) await DevApp.until("a node is ready", () => isReady(node))
  const users = await VenueProcesses.seed(url)
  const [alice, bob, carol, dan] = users as [DevApp.User, DevApp.User, DevApp.User, DevApp.User]
  const { body: teo } = await admin("POST", "/operators", { name: "teo", roles: ["treasurer"], reason: "a test" })
  expect(await place(nodes[1]!, alice, order("rests"))).toBe("ACK")
  await stop(nodes)

  const older = new URL(url)
  older.pathname = "/older"
  const name = new URL(url).pathname.slice(1)
  const server = new URL(url)
  server.pathname = "/template1"
  await Database.run(server.href, `create database older template "${name}"`)

  nodes = await launch(url)
  for (const node of nodes) await VenueProcesses.ready(node)
  await DevApp.until("the gateway is ready", () => isReady(nodes[1]!))
  const socket = await TradeSocket.open(nodes[1]!.tradeUrl, alice)
  await TradeSocket.subscribe(socket, ["order_responses"])
  const cancelled = await TradeSocket.insist(
    socket,
    "cancel_order",
    () => ({ symbol: "AAPL-USD", client_order_id: "rests" }),
    (frame) => frame.order_response
  )
  expect(cancelled.status).toBe("CANCELLED")
  await socket.close()
  expect(await place(nodes[1]!, bob, order("bob"))).toBe("ACK")
  const captured = headers(bob)
  const rest = nodes[1]!.healthUrl
  expect((await fetch(`${rest}/user/onboarding`, { headers: captured })).status).toBe(200)
  // The statement of a revocation, which only a user's session may request over HTTP.
  await Database.run(
    url,
    `with revoked as (
       update api_key set revoked_at = now() where public_key = '${carol.public_key}' returning public_key
     )
     insert into revocation (kind, subject) select 'key', public_key from revoked`
  )
  expect((await admin("POST", "/users/freeze", { user_id: dan.user_id, reason: "a test" })).status).toBe(204)
  const file = join(dataDir, "witness", "gateway-1", "witness.jsonl")
  await DevApp.until("the witness has both restrictions", () =>
    [carol.public_key, dan.user_id].every((subject) =>
      readFileSync(file, "utf8")
        .split("\n")
        .some((line) => line.includes(subject) && line.includes('"restricted":true'))
    )
  )
  await stop(nodes)
  const heads = async (database: string) =>
    new Map(
      (
        (await Database.run(database, "select stream, max(seq)::float8 as seq from journal group by stream")) as Array<{
          readonly stream: string
          readonly seq: number
        }>
      ).map(({ seq, stream }) => [stream, seq])
    )
  const lost = await heads(url)

  const before = await heads(older.href)
  nodes = await launch(older.href)
  await DevApp.until("the operator interface answers", () =>
    admin("GET", "/recovery").then(
      ({ body }) => body.state === "OPEN" && body.restrictions === 2,
      () => false
    )
  )
  expect((await admin("GET", "/venue-mode")).body).toMatchObject({ trading: "HALTED", withdrawals: "BLOCKED" })
  const { body: alarms } = await admin("GET", "/alarms")
  expect(alarms.data[0]).toMatchObject({ kind: "BEHIND_WITNESS" })
  const { body: shown } = await admin("GET", "/recovery?limit=1000")
  const apple = shown.data.find(({ stream }: { readonly stream: string }) => stream === "market/AAPL-USD")
  expect(apple).toMatchObject({
    database_row: before.get("market/AAPL-USD"),
    first_missing: before.get("market/AAPL-USD")! + 1,
    witnessed_row: lost.get("market/AAPL-USD")
  })
  expect(await heads(older.href)).toEqual(before)
  const step = (to: string) => admin("POST", "/venue-mode", { to, reason: "a test" })
  expect((await step("CANCEL_ONLY")).status).toBe(409)

  // Requests that are dated within five minutes of the finding stay refused. The test moves the finding into the past.
  await Database.run(older.href, "update recovery set found_at = found_at - interval '10 minutes'")
  await Database.run(older.href, "update operator set created_at = created_at - interval '20 minutes'")
  const accept = { decision: "accept_loss", reason: "a test" }
  expect((await admin("POST", "/recovery", accept)).body).toMatchObject({ is_decided: false })
  expect((await admin("POST", "/recovery", accept, teo.token)).body).toMatchObject({ is_decided: true })
  await DevApp.until(
    "the recovery is done",
    async () => (await admin("GET", "/recovery")).body.state === "NONE",
    () => nodes.map((node) => node.output()).join("\n")
  )
  for (const node of nodes) await DevApp.until("a node is ready", () => isReady(node))
  const after = await heads(older.href)
  for (const [stream, seq] of lost) expect([stream, after.get(stream)! >= seq]).toEqual([stream, true])
  expect((await Truth.read(nodes[1]!.tradeUrl, alice)).open).toEqual([])
  const replayed = await fetch(`${nodes[1]!.healthUrl}/user/onboarding`, { headers: captured })
  expect(replayed.status).toBe(401)
  await expect(TradeSocket.open(nodes[1]!.tradeUrl, carol)).rejects.toThrow("auth was answered")
  const users_ = (await Database.run(
    older.href,
    `select frozen from user_state where user_id = '${dan.user_id}'`
  )) as Array<{ readonly frozen: boolean }>
  expect(users_).toEqual([{ frozen: true }])
  const accepted = (await Database.run(
    older.href,
    "select min(seq)::float8 as seq from journal where stream = 'market/AAPL-USD' and octet_length(events) > 0 and seq > " +
      String(before.get("market/AAPL-USD"))
  )) as Array<{ readonly seq: number }>
  expect(accepted[0]!.seq).toBeGreaterThan(lost.get("market/AAPL-USD")!)

  const auditor = DevApp.launch(
    { dataDir: "/nonexistent", ports: {} },
    { VENUE_DATABASE_URL: older.href, VENUE_AUDITOR_HEALTH_PORT: "0" },
    ["apps/auditor/main.ts"]
  )
  for (const to of ["CANCEL_ONLY", "TRADING"])
    await DevApp.until(
      `the venue is ${to}`,
      async () => (await step(to)).status === 200,
      () => auditor.output()
    )
  expect((await admin("GET", "/venue-mode")).body).toMatchObject({ trading: "TRADING", fault: null })
  // Runners read the mode twice a second.
  await DevApp.until("an order is accepted", () =>
    place(nodes[1]!, bob, order("after")).then(
      (status) => status === "ACK",
      (error: Error) => {
        if (error.message.includes("VenueCancelOnly")) return false
        throw error
      }
    )
  )
  await auditor.end("SIGTERM")
  await stop(nodes)
})
