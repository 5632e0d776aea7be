/** Part `witness`: the venue starts on the restored copy with its witness, and is led back to trading. */
import { cpSync } from "node:fs"
import { join } from "node:path"
import { until } from "../nodes/Until.ts"
import type { User } from "../nodes/DevApp.ts"
import * as TradeSocket from "../nodes/TradeSocket.ts"
import * as Truth from "../nodes/Truth.ts"
import * as BackedUp from "./BackedUp.ts"
import * as Books from "./Books.ts"
import type { Drilled } from "./Drilled.ts"
import * as DrillServer from "./DrillServer.ts"
import type { Nodes } from "./Nodes.ts"
import { listed } from "./Report.ts"

interface Recovery {
  readonly state: string
  readonly data: ReadonlyArray<{
    readonly stream: string
    readonly database_row: number
    readonly witnessed_row: number
  }>
}

export const run = async (drilled: Drilled, backedUp: BackedUp.BackedUp): Promise<void> => {
  const { report, users } = drilled
  const { last } = backedUp
  const copy = await BackedUp.restored(drilled, backedUp, "behind", BackedUp.toName)
  const restored = await Books.heads(copy)
  // The nodes write to their witness, and `--keep` keeps the one of the first venue.
  const witness = join(drilled.folder, "witness-of-copy")
  cpSync(drilled.witness, witness, { recursive: true })
  const nodes = await drilled.nodesOf("behind-witness", { database: DrillServer.urlOf([copy]), witness })
  nodes.runner.start()
  nodes.gateway.start()
  const recovery = async () => (await nodes.admin<Recovery>("GET", "/recovery?limit=1000")).body
  await until(
    "the gateway lists the missing rows",
    async () => (await recovery())?.state === "OPEN",
    nodes.gateway.lastWords
  )
  const missing = [...last].filter(([stream, seq]) => seq > (restored.get(stream) ?? 0))
  await until("both witnesses are compared", async () => (await recovery()).data.length >= missing.length)

  report.check("the start behind the witness", "HALTED and BLOCKED", await Books.modeOf(nodes))
  const shown = await recovery()
  report.check(
    "the missing rows of `GET /recovery`",
    textOf(missing.map(([stream, seq]) => `${stream} ${restored.get(stream) ?? 0} to ${seq}`)),
    textOf(shown.data.map(({ database_row, stream, witnessed_row }) => `${stream} ${database_row} to ${witnessed_row}`))
  )
  const written = BackedUp.outside(await Books.heads(copy), restored, restored)
  report.check("rows written before the decision", "none", listed(written))
  report.check(
    "a step to trade before the decision",
    "status 409",
    `status ${(await step(nodes, "CANCEL_ONLY")).status}`
  )

  await accept(drilled, nodes, copy, backedUp.treasurer)
  await until("the recovery is done", async () => (await recovery())?.state === "NONE", nodes.gateway.lastWords)
  await nodes.ready()
  const after = await Books.heads(copy)
  const short = missing.filter(([stream, seq]) => (after.get(stream) ?? 0) < seq).map(([stream]) => stream)
  report.check("streams that end before a lost number", "none", listed(short))
  const truths = await Promise.all(users.map((user) => Truth.read(nodes.tradeUrl, user)))
  report.check("open orders after the acceptance", "0", String(truths.flatMap(({ open }) => open).length))

  nodes.auditor.start()
  report.check("the auditor after the acceptance", "no fault", await Books.audited(nodes))
  for (const to of ["CANCEL_ONLY", "TRADING"])
    await until(`the venue is ${to}`, async () => (await step(nodes, to)).status === 200, nodes.auditor.lastWords)
  report.check("the mode after the steps", "TRADING and BLOCKED", await Books.modeOf(nodes))
  const statuses = await trade(nodes, users)
  report.check("a trade between two users", "ACK, FILLED", statuses.join(", "))
  await Books.projected(copy)
  const reused = await reusedBy(copy, missing, restored)
  report.check("lost numbers that were used again", "none", listed(reused))
  report.check("the auditor after the trade", "no fault", await Books.audited(nodes))
  await nodes.stop()
  await copy.stop()
}

/** Lets two operators accept the loss. */
const accept = async (
  { report }: Drilled,
  { admin }: Nodes,
  copy: DrillServer.DrillServer,
  treasurer: string
): Promise<void> => {
  // Requests that are dated within five minutes of the finding are refused. Instead of a wait, the finding moves into
  // the past, and so do the operators, who must be older than the finding.
  await copy.query("update recovery set found_at = found_at - interval '10 minutes'")
  await copy.query("update operator set created_at = created_at - interval '20 minutes'")
  const decision = { decision: "accept_loss", reason: "drill" }
  const answers = [
    await admin<{ readonly is_decided: boolean }>("POST", "/recovery", decision),
    await admin<{ readonly is_decided: boolean }>("POST", "/recovery", decision, treasurer)
  ]
  const decided = answers.map(({ body, status }) => `${status} ${body?.is_decided}`)
  report.check("the decision of two operators", "200 false, 200 true", decided.join(", "))
}

const step = (nodes: Nodes, to: string) => nodes.admin("POST", "/venue-mode", { to, reason: "drill" })

/** Returns the statuses of a resting order and of an order that matches it. */
const trade = async (nodes: Nodes, [maker, taker]: ReadonlyArray<User>): Promise<ReadonlyArray<string>> => {
  const order = async (user: User, side: "BUY" | "SELL", status: string): Promise<string> => {
    const socket = await TradeSocket.open(nodes.tradeUrl, user)
    await TradeSocket.subscribe(socket, ["order_responses"])
    const terms = { symbol: "AAPL-USD", side, price: 200, quantity: 0.1, order_type: "LIMIT", reduce_only: false }
    const params = { ...terms, order_time_in_force: "GTC", client_order_id: `drill-${side}-${performance.now()}` }
    const row = await TradeSocket.insist(
      socket,
      "add_order",
      () => params,
      ({ order_response }) =>
        order_response?.status === status || order_response?.order_id === "" ? order_response : undefined
    )
    await socket.close()
    return row.status
  }
  let first = ""
  // Runners read the mode twice a second, so the first order might still be refused.
  await until("an order is accepted", () =>
    order(maker!, "BUY", "ACK").then(
      (status) => {
        first = status
        return status === "ACK"
      },
      (error: Error) => {
        if (error.message.includes("VenueCancelOnly")) return false
        throw error
      }
    )
  )
  return [first, await order(taker!, "SELL", "FILLED")]
}

/** Returns the streams that have an event under a lost number. */
const reusedBy = async (
  copy: DrillServer.DrillServer,
  missing: ReadonlyArray<readonly [string, number]>,
  restored: ReadonlyMap<string, number>
): Promise<ReadonlyArray<string>> => {
  const rows = await copy.query<{ stream: string; seq: string }>(
    "select stream, seq::text from journal where octet_length(events) > 0"
  )
  const until = new Map(missing)
  return rows.flatMap(({ seq, stream }) =>
    Number(seq) > (restored.get(stream) ?? 0) && Number(seq) <= (until.get(stream) ?? 0) ? [`${stream} ${seq}`] : []
  )
}

const textOf = (streams: ReadonlyArray<string>): string => streams.toSorted().join(", ")
