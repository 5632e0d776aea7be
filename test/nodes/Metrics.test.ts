/** Metrics and traces of a running venue, read by real clients after trades. */
import * as Catalogue from "@venue/telemetry/Catalogue"
import type { Definition, NodeKind } from "@venue/telemetry/Definition"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { WebSocket } from "ws"
import * as PrometheusText from "../telemetry/PrometheusText.ts"
import * as Database from "./Database.ts"
import * as DevApp from "./DevApp.ts"
import * as TradeSocket from "./TradeSocket.ts"
import * as VenueProcesses from "./VenueProcesses.ts"

/** Metrics without a series here: those of chains, of TLS, of a standby, of limits, of open withdrawals and of expiring tokens. */
const absent = new Set([
  "venue_rail_block",
  "venue_rail_endpoints",
  "venue_hot_account_usd",
  "venue_hot_account_gas",
  "venue_certificate_expiry_timestamp_seconds",
  "venue_database_replica_lag_seconds",
  "venue_operator_token_expiry_timestamp_seconds",
  "venue_socket_upgrades_refused_total",
  "venue_withdrawals",
  "venue_withdrawal_oldest_seconds"
])

const healthOf = ({ output }: DevApp.Launched): string => /health (http:\/\/\S+)/.exec(output())![1]!

const scrape = async (node: DevApp.Launched) => {
  const response = await fetch(`${healthOf(node)}/metrics`)
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
  return PrometheusText.parse(await response.text())
}
type Families = Awaited<ReturnType<typeof scrape>>

const missing = (families: Families, kind: NodeKind) =>
  Catalogue.all
    .filter(({ name, nodes }) => nodes.includes(kind) && !absent.has(name))
    .filter(({ name }) => (families.get(name)?.samples.length ?? 0) === 0)
    .map(({ name }) => name)

/** Returns the families that differ from their definition in type, help or labels. */
const differing = (families: Families) => {
  const definitions = new Map(Catalogue.all.map((definition) => [definition.name, definition]))
  const differs = (family: PrometheusText.Family, { help, labels, type }: Definition) => {
    const own = type === "histogram" ? ["le"] : []
    const names = family.samples.flatMap((sample) => Object.keys(sample.labels))
    return family.type !== type || family.help !== help || names.some((name) => ![...labels, ...own].includes(name))
  }
  return [...families].flatMap(([name, family]) => {
    const definition = definitions.get(name)
    return definition === undefined || differs(family, definition) ? [name] : []
  })
}

const sum = (families: Families, name: string, labels: Readonly<Record<string, string>> = {}) =>
  (families.get(name.replace(/_count$/, ""))?.samples ?? families.get(name)?.samples ?? [])
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([label, value]) => sample.labels[label] === value))
    .reduce((total, { value }) => total + value, 0)

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

/** Collector that decodes OTLP JSON. */
const collector = async () => {
  const spans: Array<OtlpSpan & { readonly service: string }> = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (text) => (body += String(text)))
    request.on("end", () => {
      expect(request.url).toBe("/v1/traces")
      for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
        const named = resource.attributes.find(({ key }: { readonly key: string }) => key === "service.name")
        for (const scope of scopeSpans)
          for (const span of scope.spans) spans.push({ ...span, service: named.value.stringValue })
      }
      response.end("{}")
    })
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  onTestFinished(() => void server.close())
  return { spans, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** First simulated price. */
const price = 200
const order = { symbol: "AAPL-USD", quantity: 0.1, order_type: "LIMIT", reduce_only: false }

it("serves every metric of the catalogue in valid text, and sends one trace for each traced order", async () => {
  const database = await Database.serve()
  const { spans, url } = await collector()
  const traced = { VENUE_OTLP_URL: url, VENUE_TRACE_RATIO: "1" }
  const [runner, gateway] = [
    await VenueProcesses.launch(database.url, "runner-1", { ...traced, VENUE_CLUSTER_LOCK_SECONDS: "30" }),
    await VenueProcesses.launch(database.url, "gateway-1", { ...traced, VENUE_CLUSTER_LOCK_SECONDS: "30" })
  ]
  for (const node of [runner, gateway]) await VenueProcesses.ready(node)
  const variables = { VENUE_DATABASE_URL: database.url, VENUE_AUDITOR_HEALTH_PORT: "0" }
  const auditor = DevApp.launch(await DevApp.makeSite(), variables, ["apps/auditor/main.ts"])
  await DevApp.until("the auditor starts", () => auditor.output().includes("health http"), auditor.output)

  const [maker, taker] = await VenueProcesses.seed(database.url)
  const answers: Array<string> = []
  const errors: Array<string> = []
  const receive = ({ err, order_response: row }: TradeSocket.Frame) => {
    if (row !== undefined) answers.push(`${row.client_order_id} ${row.status}`)
    if (err !== undefined) errors.push(err.error_code)
  }
  const makers = await TradeSocket.open(gateway.tradeUrl, maker!, receive)
  const takers = await TradeSocket.open(gateway.tradeUrl, taker!, receive)
  for (const socket of [makers, takers]) await TradeSocket.subscribe(socket, ["order_responses", "fills"])
  const has = (answer: string) =>
    DevApp.until(
      answer,
      () => answers.some((each) => each.startsWith(answer)),
      () => answers.join()
    )
  const place = (socket: TradeSocket.TradeSocket, terms: object) =>
    socket.send("add_order", { ...order, price, order_time_in_force: "GTC", ...terms })
  place(makers, { side: "SELL", client_order_id: "resting" })
  await has("resting ACK")
  place(takers, { side: "BUY", client_order_id: "filled" })
  await has("filled FILLED")
  place(takers, { side: "BUY", client_order_id: "ended", order_time_in_force: "IOC", price: 198 })
  await has("ended IOC_CANCELLED")
  place(takers, { side: "BUY", client_order_id: "refused", quantity: 1e6 })
  await has("refused QUANTITY_GREATER_THAN_MAX_QUANTITY")
  place(takers, { side: "BUY", client_order_id: "unlisted", symbol: "NONE-USD" })
  await has("unlisted ")
  await fetch(`${gateway.healthUrl}/no-such-path`)
  await refusedSignIn(gateway.tradeUrl)

  const nodes = [
    ["runner", runner],
    ["gateway", gateway],
    ["auditor", auditor]
  ] as const
  for (const [kind, node] of nodes) {
    let lacking: ReadonlyArray<string> = []
    const isComplete = async () => (lacking = missing(await scrape(node), kind)).length === 0
    await DevApp.until(`the ${kind} serves every metric`, isComplete, () => lacking.join())
    expect(differing(await scrape(node))).toEqual([])
  }

  const ofRunner = await scrape(runner)
  expect(sum(ofRunner, "venue_orders_total", { symbol: "AAPL-USD" })).toBeGreaterThanOrEqual(2)
  expect(sum(ofRunner, "venue_fills_total", { symbol: "AAPL-USD" })).toBe(1)
  expect(sum(ofRunner, "venue_order_refusals_total", { symbol: "AAPL-USD" })).toBeGreaterThanOrEqual(1)
  expect(sum(ofRunner, "venue_desk_refusals_total", { reason: "BadSymbol" })).toBe(1)
  expect(sum(ofRunner, "venue_collector_faults_total")).toBe(0)
  const ofGateway = await scrape(gateway)
  expect(sum(ofGateway, "venue_order_seconds_count", { step: "answer" })).toBeGreaterThanOrEqual(4)
  expect(sum(ofGateway, "venue_http_request_seconds_count", { route: "none", status: "404" })).toBe(1)
  expect(sum(ofGateway, "venue_socket_closes_total", { listener: "trade", code: "1008" })).toBe(1)
  expect(sum(await scrape(auditor), "venue_collector_faults_total")).toBe(0)

  const traces = () =>
    [...Map.groupBy(spans, ({ traceId }) => traceId).values()].filter((all) =>
      ["gateway", "desk", "market", "journal"].every((step) => all.some(({ name }) => name === step))
    )
  await DevApp.until(
    "three orders are traced",
    () => traces().length >= 3,
    () => JSON.stringify(spans)
  )
  for (const trace of traces()) {
    const root = trace.find(({ name }) => name === "gateway")!
    const others = trace.filter((span) => span !== root)
    expect(others.map(({ parentSpanId }) => parentSpanId)).toEqual(others.map(() => root.spanId))
    expect(trace.map(({ service }) => service).toSorted()).toEqual(
      [...others.map(() => "venue-runner"), "venue-gateway"].toSorted()
    )
    for (const span of trace) expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true)
  }

  await Promise.all([makers.close(), takers.close()])
  await database.stop("SIGKILL")
  await DevApp.until("the auditor's figures are old", async () => {
    const families = await scrape(auditor)
    return sum(families, "venue_database_reachable") === 0 && !families.has("venue_database_bytes")
  })
  for (const [, node] of nodes) expect(sum(await scrape(node), "venue_ready")).toBe(0)
})

const refusedSignIn = (url: string) =>
  new Promise<void>((closed) => {
    const socket = new WebSocket(url)
    socket.on("open", () => {
      const unknown = { name: "", user_id: "", public_key: `svc_test_pub_${"0".repeat(32)}`, secret_key: "none" }
      socket.send(JSON.stringify({ type: "auth", params: { hmac: TradeSocket.signed(unknown) } }))
    })
    socket.on("close", () => closed())
  })
