/** State of a venue as its interfaces and its journal show it, for a comparison before and after a disaster. */
import * as Dump from "../chaos/Dump.ts"
import type { User } from "../nodes/DevApp.ts"
import * as Truth from "../nodes/Truth.ts"
import { until } from "../nodes/Until.ts"
import type { DrillServer } from "./DrillServer.ts"
import type { Nodes } from "./Nodes.ts"

export interface Books {
  /** Balance and positions of each user as text, by name. Funding and unrealised profit change without a trade. */
  readonly balances: ReadonlyMap<string, string>
  /** Open orders of all users as text, by order id. */
  readonly open: ReadonlyMap<string, string>
  /** Parts of `GET /proof` that change only with the ledger. */
  readonly proof: string
}

export interface Proof {
  readonly balanced: boolean
  readonly assets: unknown
  readonly positions: unknown
  readonly reserve_funds: unknown
  readonly uncovered: unknown
}

/** Reads the books of a venue without orders in flight, after its query tables have reached the end of the journal. */
export const read = async (nodes: Nodes, server: DrillServer, users: ReadonlyArray<User>): Promise<Books> => {
  await projected(server)
  const truths = await Promise.all(users.map((user) => Truth.read(nodes.tradeUrl, user)))
  return {
    balances: new Map(truths.map((truth, index) => [users[index]!.name, balanceOf(truth)])),
    open: new Map(truths.flatMap(({ open }) => open.map((order) => [order.order_id, JSON.stringify(order)] as const))),
    proof: proofOf(await proof(nodes))
  }
}

/** Returns how `found` differs from `expected`. */
export const differences = (
  expected: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>
): ReadonlyArray<string> =>
  [...new Set([...expected.keys(), ...found.keys()])].flatMap((name) =>
    expected.get(name) === found.get(name) ? [] : [`${name}: ${expected.get(name)} is ${found.get(name)}`]
  )

/** Waits until the query tables have all rows that the journal has now. */
export const projected = async (server: DrillServer): Promise<void> => {
  const heads = await Dump.heads(server)
  await until("the query tables reach the journal's end", async () => {
    const positions = await Dump.positions(server)
    return [...heads].every(([name, head]) => (positions.get(name) ?? 0) >= head)
  })
}

export const proof = async (nodes: Nodes): Promise<Proof> => {
  let answer = await nodes.admin<Proof>("GET", "/proof")
  await until("the gateway proves the books", async () => {
    answer = await nodes.admin<Proof>("GET", "/proof")
    return answer.status === 200
  })
  return answer.body
}

export const proofOf = ({ assets, balanced, positions, reserve_funds, uncovered }: Proof): string =>
  JSON.stringify({ balanced, assets, positions, reserve_funds, uncovered })

interface VenueMode {
  readonly trading: string
  readonly withdrawals: string
  readonly audited_at: string | null
  readonly fault: string | null
}

/** Waits for an audit that ended after this call. Returns its fault, or "no fault". */
export const audited = async (nodes: Nodes): Promise<string> => {
  const read = async () => (await nodes.admin<VenueMode>("GET", "/venue-mode")).body
  const before = (await read())?.audited_at ?? null
  let mode = await read()
  await until(
    "the auditor has audited",
    async () => {
      if (!nodes.auditor.runs()) throw new Error(`the auditor ended: ${nodes.auditor.lastWords()}`)
      mode = await read()
      return mode?.audited_at !== undefined && mode.audited_at !== null && mode.audited_at !== before
    },
    nodes.auditor.lastWords
  )
  return mode.fault ?? "no fault"
}

export const modeOf = async (nodes: Nodes): Promise<string> => {
  const { body } = await nodes.admin<VenueMode>("GET", "/venue-mode")
  return `${body.trading} and ${body.withdrawals}`
}

/** Returns whether the venue is halted; false if the gateway does not answer. */
export const isHalted = async (nodes: Nodes): Promise<boolean> =>
  (await nodes.admin<VenueMode | undefined>("GET", "/venue-mode")).body?.trading === "HALTED"

/** Returns the newest row of each stream of the journal. */
export const heads = async ({ query }: DrillServer): Promise<ReadonlyMap<string, number>> => {
  const rows = await query<{ stream: string; seq: string }>(
    "select stream, max(seq)::text as seq from journal group by stream"
  )
  return new Map(rows.map(({ seq, stream }) => [stream, Number(seq)]))
}

const balanceOf = ({ balance, positions, trades }: Truth.Truth): string =>
  JSON.stringify({
    deposit: balance.deposit,
    fees: balance.fees,
    realised: balance.realised_pnl,
    positions: positions
      .filter(({ position }) => position !== 0)
      .map(({ position, symbol }) => `${symbol} ${position}`)
      .toSorted(),
    trades: trades.length
  })
