/** A run: traders under load, faults in episodes, and checks of the venue after each episode. */
import * as Access from "./Access.ts"
import * as Dump from "./Dump.ts"
import * as Faults from "./Faults.ts"
import { type History, now } from "./History.ts"
import type { Line, Read } from "./HistoryLine.ts"
import * as Marks from "./Marks.ts"
import type { Options } from "./Options.ts"
import * as Random from "./Random.ts"
import * as Reads from "./Reads.ts"
import * as Signing from "./Signing.ts"
import * as Trader from "./Trader.ts"
import type { Venue } from "./Venue.ts"
import type { VenueNode } from "./VenueNode.ts"

/** Base quantity by traded symbol. An order has one to four times this quantity. */
const quantities: Readonly<Record<string, number>> = { "AAPL-USD": 0.1, "GOLD-USD": 0.01, "EUR-USD": 20 }

export interface Run {
  readonly options: Options
  readonly venue: Venue
  readonly history: History
  readonly say: (text: string) => void
  readonly isOver: () => boolean
}

export const go = async (run: Run): Promise<void> => {
  const { history, options, say, venue } = run
  const { seed } = options
  const random = Random.make(seed, "faults")
  const everybody = venue.users.filter(({ name }) => name.startsWith("trader-"))
  const [owner, ...traders] = everybody
  const builder = venue.users.find(({ builder_code }) => builder_code !== undefined)!
  await started(run)
  const markets = await listed(run)
  history.write({
    kind: "began",
    at: now(),
    seed,
    patience: options.patience,
    accounts: everybody.map(({ user_id }) => user_id),
    symbols: markets.map(({ lot, symbol, tick }) => ({ lot, symbol, tick }))
  })
  const places = venue.gateways.map(({ name, urls }) => ({ name, ...urls! }))
  const marks = Marks.listen(
    places.map(({ marketData }) => marketData),
    markets.map(({ symbol }) => symbol)
  )
  const tag = `r${history.lines.filter(({ kind }) => kind === "began").length}`
  const working = traders.map((user, index) =>
    Trader.begin(
      user,
      { isArmed: index % 3 === 0, hasStops: index % 4 === 2, hasTwaps: index % 5 === 1 },
      { history, places, markets, marks, tag, everyMillis: 250, random: Random.make(seed, user.name) }
    )
  )
  const loops = [
    Access.nonces(venue, history, Random.make(seed, "nonces"), traders),
    Access.keys(venue, history, Random.make(seed, "keys"), builder, owner!)
  ]
  const accounts = traders.map(({ user_id, ...key }) => ({ account: user_id, key }))
  const until = performance.now() + options.minutes * 60_000
  for (let episode = 1; !isDone(run, until); episode++) {
    say(`episode ${episode}`)
    const length = Math.min(60_000 * Math.max(options.scale, 0.2), Math.max(5_000, until - performance.now()))
    await faulty(run, random, performance.now() + length)
    await quiet(run, working)
    await judge(run, episode)
    if (episode % 3 === 1) await replayed(run, accounts, [random.pick(venue.runners)], episode)
    for (const trader of working) trader.resume()
  }
  await quiet(run, working)
  await Promise.all([...working.map((one) => one.stop()), ...loops.map((loop) => loop.stop())])
  marks.stop()
  if (run.isOver()) return
  // After this time, every in-flight command has a response or has timed out.
  await pause(8_000)
  say("everything is killed at once, and read back")
  await replayed(run, accounts, venue.nodes, 0)
  await readAll(run, accounts)
}

/** Reads the listed symbols with their price and quantity increments from the public interface. */
async function listed({ isOver, venue }: Run): Promise<ReadonlyArray<Trader.Market>> {
  const { rest } = venue.gateways[0]!.urls!
  let answer = await Signing.ask(`${rest}/refdata`, {})
  while (answer.status !== 200 && !isOver()) {
    await pause(200)
    answer = await Signing.ask(`${rest}/refdata`, {})
  }
  const { data } = answer.body as {
    readonly data: ReadonlyArray<{ readonly symbol: string; readonly tick_size: string; readonly lot_size: string }>
  }
  return data.flatMap(({ lot_size, symbol, tick_size }) => {
    const quantity = quantities[symbol]
    return quantity === undefined ? [] : [{ symbol, quantity, tick: Number(tick_size), lot: Number(lot_size) }]
  })
}

function isDone({ history, isOver, options }: Run, until: number): boolean {
  if (isOver()) return true
  const count = (name: string) =>
    history.lines.filter((line) => line.kind === "fault" && line.phase === "begin" && line.fault === name).length
  return performance.now() >= until && count("kill") >= options.kills && count("freeze") >= options.freezes
}

/** Runs faults one after another until the given time. Two faults often overlap. */
async function faulty(run: Run, random: Random.Random, until: number): Promise<void> {
  const { options, venue } = run
  while (performance.now() < until && !run.isOver()) {
    await pause(random.between(1_000, 4_000) * Math.max(options.scale, 0.3))
    const taken = new Set<string>()
    const drawn: Array<Faults.Fault> = []
    for (let count = random.chance(0.35) ? 2 : 1; count > 0; count--) {
      const fault = Faults.draw({ venue, random, scale: options.scale, taken }, missing(run) ?? options.only)
      if (fault === undefined) continue
      for (const name of fault.targets) taken.add(name)
      drawn.push(fault)
    }
    await Promise.all(drawn.map((fault) => suffer(run, fault)))
  }
}

/** Returns the kinds of fault that the run still needs: every run includes a kill and a freeze. */
function missing({ history, options: { only } }: Run): ReadonlyArray<string> | undefined {
  const done = new Set(history.lines.flatMap((line) => (line.kind === "fault" ? [line.fault] : [])))
  const kind = ["kill", "freeze"].find((one) => !done.has(one) && (only.length === 0 || only.includes(one)))
  return kind === undefined ? undefined : [kind]
}

async function suffer(run: Run, { begin, end, fault, seconds, targets }: Faults.Fault): Promise<void> {
  const { history, say, venue } = run
  const number = history.lines.filter((line) => line.kind === "fault" && line.phase === "begin").length + 1
  say(`  ${fault} ${targets.join(" and ")}${seconds < 1 ? "" : `, ${seconds.toFixed(1)} s`}`)
  history.write({ kind: "fault", at: now(), phase: "begin", number, fault, targets })
  try {
    await begin()
    for (let left = seconds * 1_000; left > 0 && !run.isOver(); left -= 200) await pause(Math.min(left, 200))
  } finally {
    await end()
  }
  const isOfAll = targets.includes("postgres")
  await ready(run, isOfAll ? venue.nodes : venue.nodes.filter(({ name }) => targets.includes(name)))
  history.write({ kind: "fault", at: now(), phase: "end", number, fault, targets })
}

/** Fails with a node's last output line if the node exits, or is not ready, before the first fault. */
async function started({ isOver, options, venue }: Run): Promise<void> {
  const limit = performance.now() + readyMillis * options.patience
  for (const node of venue.nodes) {
    while (!isOver() && !(await node.isReady())) {
      if (!node.runs()) throw new Error(`${node.name} could not start: ${node.lastWords()}`)
      if (performance.now() > limit) throw new Error(`${node.name} was not ready in time: ${node.lastWords()}`)
      await pause(200)
    }
  }
}

/**
 * Restarts and reports a node that exited unexpectedly. A node that is not ready in time is recorded as a violation.
 */
async function ready({ history, isOver, options, say }: Run, nodes: ReadonlyArray<VenueNode>): Promise<void> {
  const limit = performance.now() + readyMillis * options.patience
  for (const node of nodes) {
    while (!isOver() && !(await node.isReady())) {
      if (node.isWanted() && !node.runs()) {
        say(`  ${node.name} had ended by itself`)
        node.start()
      }
      if (performance.now() > limit) {
        const what = `${node.name} was not ready ${readyMillis} ms after a fault was over`
        say(`  ${what}`)
        return history.write({ kind: "trouble", at: now(), what })
      }
      await pause(200)
    }
  }
}

const readyMillis = 60_000

/** Waits until every command has a response or has timed out. */
async function quiet(run: Run, working: ReadonlyArray<Trader.Trader>): Promise<void> {
  await ready(run, run.venue.nodes)
  for (const trader of working) trader.pause()
  const until = performance.now() + 15_000
  while (performance.now() < until && !run.isOver() && !working.every((one) => one.isIdle())) await pause(100)
}

/**
 * Records the operator interface's proof that the books balance, and whether the query tables have reached the
 * journal heads that were read earlier.
 */
async function judge({ history, isOver, options, venue }: Run, episode: number): Promise<void> {
  if (isOver()) return
  const until = performance.now() + 30_000 * options.patience
  const heads = await Dump.heads(venue.database)
  const late = async (): Promise<ReadonlyArray<string>> => {
    const positions = await Dump.positions(venue.database)
    return [...heads].flatMap(([name, head]) => ((positions.get(name) ?? 0) < head ? [name] : []))
  }
  let behind = await late()
  while (behind.length > 0 && performance.now() < until && !isOver()) {
    await pause(300)
    behind = await late()
  }
  let answer = await venue.operator("/proof")
  while (answer.status !== 200 && performance.now() < until && !isOver()) {
    await pause(300)
    answer = await venue.operator("/proof")
  }
  const isBalanced = answer.status === 200 && (answer.body as { balanced?: boolean }).balanced === true
  const detail = isBalanced ? "" : `${answer.status} ${JSON.stringify(answer.body)}`
  history.write({ kind: "proof", at: now(), episode, isBalanced, detail, behind })
}

type Accounts = ReadonlyArray<{ readonly account: string; readonly key: { public_key: string; secret_key: string } }>

/**
 * Compares the state before and after these nodes are killed and replay their logs. Repeats the comparison if the
 * state changed for another reason.
 */
async function replayed(run: Run, accounts: Accounts, nodes: ReadonlyArray<VenueNode>, pair: number): Promise<void> {
  const number = run.history.lines.filter((line) => line.kind === "state").length + 1
  const states = await atRest(run, 3, async () => {
    const before = await state(run, accounts)
    const at = now()
    await Promise.all(nodes.map((node) => node.kill()))
    for (const node of nodes) node.start()
    await ready(run, nodes)
    const after = await state(run, accounts)
    await judge(run, pair)
    return [
      { kind: "state", at, pair: number, phase: "before", sums: before },
      { kind: "state", at: now(), pair: number, phase: "after", sums: after }
    ]
  })
  for (const line of states) run.history.write(line)
}

/**
 * Returns the lines of the first attempt during which no trade, order end or TWAP was recorded. `read` waits until the
 * read tables are current. Without such an attempt, prints so and returns no lines.
 */
async function atRest(
  { isOver, say, venue }: Run,
  attempts: number,
  read: () => Promise<ReadonlyArray<Line>>
): Promise<ReadonlyArray<Line>> {
  for (let attempt = 1; attempt <= attempts && !isOver(); attempt++) {
    const active = await Dump.activity(venue.database)
    const lines = await read()
    if ((await Dump.activity(venue.database)) === active) return lines
  }
  say("  something always moved, so nothing was compared")
  return []
}

/** Reads the state through one gateway. The other gateways are read at the end of the run. */
async function state(run: Run, accounts: Accounts): Promise<Record<string, string>> {
  const sums: Record<string, string> = {}
  const [{ name, urls }] = run.venue.gateways as [VenueNode]
  for (const { account, key } of accounts) {
    const shown = await Reads.read({ name, trade: urls!.trade }, account, key)
    sums[account] = lasting(shown)
  }
  const { body } = await run.venue.operator("/proof")
  const { positions, reserve_funds } = body as Readonly<Record<string, unknown>>
  sums["operator"] = JSON.stringify([positions, reserve_funds])
  return sums
}

/** Returns the part of a read that does not depend on prices. */
const lasting = ({ balance, open, positions, trades }: Read): string =>
  JSON.stringify([
    open
      .map(({ order_id, price, quantity, quantity_remaining }) => [order_id, price, quantity, quantity_remaining])
      .toSorted(),
    positions.map(({ position, realised_pnl, symbol }) => [symbol, position, realised_pnl]).toSorted(),
    balance,
    trades.length
  ])

/** Records what each gateway shows of each account, then the tables. */
async function readAll(run: Run, accounts: Accounts): Promise<void> {
  const { history, isOver, venue } = run
  const lines = await atRest(run, 20, async () => {
    const reads: Array<Line> = []
    for (const { name, urls } of venue.gateways) {
      for (const { account, key } of accounts) {
        if (isOver()) return []
        reads.push(await Reads.read({ name, trade: urls!.trade }, account, key))
      }
    }
    await judge(run, 0)
    return [...reads, ...(await Dump.tables(venue.database)), await Dump.streams(venue.database)]
  })
  for (const line of lines) history.write(line)
}

const pause = (millis: number): Promise<void> => new Promise((over) => setTimeout(over, millis))
