/** Part `failover`: the primary is killed under load, and its synchronous standby is promoted. */
import * as Audit from "../nodes/Audit.ts"
import * as Truth from "../nodes/Truth.ts"
import { until } from "../nodes/Until.ts"
import * as Books from "./Books.ts"
import type { Drilled } from "./Drilled.ts"
import * as DrillServer from "./DrillServer.ts"
import type { Nodes } from "./Nodes.ts"
import { listed, median } from "./Report.ts"
import { type Silence, silenceOf } from "./Silence.ts"
import * as Traffic from "./Traffic.ts"

interface Pair {
  readonly primary: DrillServer.DrillServer
  readonly standby: DrillServer.DrillServer
}

export const run = async (drilled: Drilled): Promise<void> => {
  const { options, report, server } = drilled
  const other = await drilled.serverOf("db_2")
  const nodes = await drilled.nodesOf("failover", {
    database: `${DrillServer.urlOf([server, other])}?target_session_attrs=read-write`
  })
  await DrillServer.follow(other, server)
  await nodes.start()
  nodes.auditor.start()
  // A process ends if it loses the database during its start, so the auditor must have started before the first failover.
  report.check("the auditor before the failovers", "no fault", await Books.audited(nodes))
  const silences: Array<Silence> = []
  let pair: Pair = { primary: server, standby: other }
  for (let round = 1; round <= options.rounds; round++) {
    silences.push(await killed(drilled, nodes, pair, round))
    const promoted = pair.standby
    // The killed server returns as the standby of the promoted one, with a new copy.
    pair = { primary: promoted, standby: pair.primary }
    if (round < options.rounds) await DrillServer.follow(pair.standby, promoted)
  }
  report.check("the auditor after the failovers", "no fault", await Books.audited(nodes))
  const proof = await Books.proof(nodes)
  report.check("the proof after the failovers", "balanced", proof.balanced ? "balanced" : Books.proofOf(proof))
  report.figure("seconds without an acknowledgement, whole venue", figures(silences.map(({ ofVenue }) => ofVenue)))
  report.figure("seconds without an acknowledgement, slowest market", figures(silences.map(({ ofMarket }) => ofMarket)))
  await nodes.stop()
  await pair.primary.stop()
}

const killed = async (drilled: Drilled, nodes: Nodes, { primary, standby }: Pair, round: number) => {
  const { options, records, report } = drilled
  const name = (what: string) => `failover ${round}, ${what}`
  const traffic = await Traffic.begin(nodes.tradeUrl, records, `failover-${round}`)
  await traffic.lasts(options.seconds, performance.now())
  const killedAt = performance.now()
  await primary.kill()
  await DrillServer.promote(standby)
  await until("the standby accepts writes", () => DrillServer.isWritable(standby))
  const promotedAt = performance.now()
  const watch = watchMode(nodes)
  await traffic.lasts(options.seconds, promotedAt, watch.isHalted)
  watch.stop()
  await traffic.stop()
  const silence = silenceOf(traffic.acknowledgements, killedAt)
  const orders = new Set(traffic.acknowledgements.map(({ orderId }) => orderId))
  const before = traffic.acknowledgements.filter(({ at }) => at <= promotedAt).length
  await Books.projected(standby)
  const accounts = await Promise.all(
    records.map(async (record) => ({ record, truth: await Truth.read(nodes.tradeUrl, record.user) }))
  )
  const known = await knownOrders(standby)
  for (const { truth } of accounts) for (const { order_id } of truth.open) known.add(order_id)
  const lost = [...orders].filter((orderId) => !known.has(orderId))
  report.check(
    name("acknowledged orders that are lost"),
    `none of ${orders.size}`,
    lost.length === 0 ? `none of ${orders.size}` : `${lost.length}: ${listed(lost)}`
  )
  report.check(name("answers that the venue contradicts"), "none", listed(Audit.faults(accounts)))
  for (const account of accounts) Audit.accept(account)
  const ended = [nodes.runner, nodes.gateway, nodes.auditor].filter((node) => !node.runs())
  report.check(name("processes that ended"), "none", listed(ended.map((node) => `${node.name}: ${node.lastWords()}`)))
  report.figure(
    name("time without an acknowledgement"),
    `${seconds(silence.ofVenue)} s, slowest market ${seconds(silence.ofMarket)} s; the standby accepted writes after ` +
      `${seconds(promotedAt - killedAt)} s; ${before} acknowledgements before, ${traffic.errors().length} errors`
  )
  return silence
}

/** After a lossy failover the auditor halts the venue, and the drill then judges without further orders. */
const watchMode = (nodes: Nodes) => {
  let isHalted = false
  const timer = setInterval(() => {
    void Books.isHalted(nodes).then(
      (halted) => (isHalted ||= halted),
      () => {}
    )
  }, 1_000)
  return { isHalted: () => isHalted, stop: () => clearInterval(timer) }
}

/** Returns the orders that have a trade or have ended. */
const knownOrders = async (server: DrillServer.DrillServer): Promise<Set<string>> => {
  const rows = await server.query<{ order_id: string }>(
    "select order_id from trade union select order_id from ended_order"
  )
  return new Set(rows.map(({ order_id }) => order_id))
}

const seconds = (millis: number): string => (millis / 1_000).toFixed(2)

const figures = (values: ReadonlyArray<number>): string =>
  `${values.map(seconds).join(", ")}; median ${seconds(median(values))}, worst ${seconds(Math.max(...values))}`
