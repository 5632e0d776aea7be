/** Alarms that real nodes push to an HTTP server, without their database and after the crash of a node. */
import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import * as Database from "./Database.ts"
import * as DevApp from "./DevApp.ts"
import * as VenueProcesses from "./VenueProcesses.ts"

interface Message {
  readonly id: string
  readonly timestamp: string
  readonly signature: string
  readonly body: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Starts a server that accepts every message. */
const receive = async () => {
  const messages: Array<Message> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (part) => (body += part))
    request.on("end", () => {
      const header = (name: string) => request.headers[`webhook-${name}`] as string
      const { data, type } = JSON.parse(body) as Pick<Message, "data" | "type">
      messages.push({
        id: header("id"),
        timestamp: header("timestamp"),
        signature: header("signature"),
        body,
        type,
        data
      })
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { messages, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alarms` }
}

const signatureOf = (secret: string, { body, id, timestamp }: Message): string => {
  const key = Buffer.from(secret.slice("whsec_".length), "base64")
  return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`
}

const ask = async (node: VenueProcesses.NodeProcess, path: string, body?: object) => {
  const answer = await fetch(`${node.adminUrl}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${VenueProcesses.adminToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

it("pushes the loss of the sending node once and its return, and an outage of the database from memory", async () => {
  const server = await Database.serve()
  const loopback = { VENUE_WEBHOOK_LOOPBACK: "on" }
  const start = async (name: string) => {
    const node = await VenueProcesses.launch(server.url, name, loopback)
    nodes.set(name, node)
    return VenueProcesses.ready(node)
  }
  const nodes = new Map<string, VenueProcesses.NodeProcess>()
  for (const name of ["runner-1", "runner-2", "gateway-1", "gateway-2"]) await start(name)
  const { messages, url } = await receive()
  const { body: webhook, status } = await ask(nodes.get("gateway-1")!, "/alarm-webhooks", { url, reason: "the pager" })
  expect(status).toBe(201)
  const of = (kind: string) => messages.filter(({ data }) => data["kind"] === kind)
  const saw = () => JSON.stringify(messages.map(({ data, type }) => [type, data["kind"], data["node"]]))
  const arrives = (type: string, kind: string) =>
    DevApp.until(`${type} of ${kind} arrives`, () => of(kind).some((message) => message.type === type), saw)

  let sender = ""
  await DevApp.until("a node sends", async () => {
    const [row] = (await Database.run(server.url, "select holder from alarm_sender")) as ReadonlyArray<{
      readonly holder: string
    }>
    sender = row?.holder ?? ""
    return sender !== ""
  })
  await nodes.get(sender)!.end("SIGKILL")
  await arrives("alarm.raised", "NODE_LOST")
  const [lost] = of("NODE_LOST")
  expect(lost!.data).toMatchObject({ node: sender, runbook: "NODE_LOST", messages: 1 })
  const gateway = nodes.get(sender === "gateway-1" ? "gateway-2" : "gateway-1")!
  const { body: listed } = await ask(gateway, "/alarms")
  expect(listed.data).toContainEqual(expect.objectContaining({ kind: "NODE_LOST", id: lost!.data["id"] }))
  await start(sender)
  await arrives("alarm.resolved", "NODE_LOST")
  expect(of("NODE_LOST").map(({ type }) => type)).toEqual(["alarm.raised", "alarm.resolved"])

  await server.stop("SIGKILL")
  await DevApp.until("GET /alarms lists the outage", async () => {
    const { body, status } = await ask(gateway, "/alarms")
    expect(status).toBe(200)
    return body.data[0].kind === "DATABASE_OUT" && body.unknown_kinds.includes("NODE_LOST")
  })
  await arrives("alarm.raised", "DATABASE_OUT")
  await server.start()
  await arrives("alarm.resolved", "DATABASE_OUT")
  for (const message of messages) expect(message.signature).toBe(signatureOf(webhook.secret, message))
  for (const node of nodes.values()) await node.end("SIGTERM")
})
