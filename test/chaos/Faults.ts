/** Faults in a venue under test. Each fault starts, lasts for a time and is then reverted. */
import type { Direction, Proxy, Rule } from "./Proxy.ts"
import type { Random } from "./Random.ts"
import type { Venue } from "./Venue.ts"
import type { VenueNode } from "./VenueNode.ts"

export interface Fault {
  readonly fault: string
  readonly targets: ReadonlyArray<string>
  readonly seconds: number
  readonly begin: () => Promise<void>
  readonly end: () => Promise<void>
}

export interface Drawing {
  readonly venue: Venue
  readonly random: Random
  /** Multiplier for all durations. */
  readonly scale: number
  /** Nodes that already have another fault. */
  readonly taken: ReadonlySet<string>
}

/** Relative frequency of each kind of fault. */
const weights = {
  kill: 22,
  freeze: 16,
  restart: 6,
  drain: 4,
  join: 3,
  skew: 4,
  "postgres killed": 3,
  "postgres crashed": 3,
  "postgres stopped": 2,
  "postgres frozen": 3,
  "postgres read-only": 3,
  "postgres slow": 4,
  "connections ended": 7,
  "database hung": 6,
  "database cut": 4,
  cut: 10
} as const
export type Kind = keyof typeof weights
export const kinds = Object.keys(weights) as ReadonlyArray<Kind>

/** Draws a fault. Returns undefined if the drawn kind has no available target. */
export const draw = (drawing: Drawing, only: ReadonlyArray<string>): Fault | undefined => {
  const possible = kinds.filter((kind) => only.length === 0 || only.includes(kind))
  let left = drawing.random.next() * possible.reduce((sum, kind) => sum + weights[kind], 0)
  const kind = possible.find((one) => (left -= weights[one]) < 0) ?? possible.at(-1)!
  return makers[kind](drawing, kind)
}

export const of = (kind: Kind, drawing: Drawing): Fault | undefined => makers[kind](drawing, kind)

type Maker = (drawing: Drawing, kind: Kind) => Fault | undefined

const ignore = async (): Promise<void> => {}

const onNode =
  (
    make: (node: VenueNode, drawing: Drawing) => Omit<Fault, "fault" | "targets">,
    among: (venue: Venue) => ReadonlyArray<VenueNode> = ({ nodes }) => nodes
  ): Maker =>
  (drawing, fault) => {
    const free = among(drawing.venue).filter(({ name }) => !drawing.taken.has(name))
    if (free.length === 0) return undefined
    const node = drawing.random.pick(free)
    return { fault, targets: [node.name], ...make(node, drawing) }
  }

/** Creates a fault of the database server. At most one such fault is active at a time. */
const onServer =
  (make: (drawing: Drawing) => Omit<Fault, "fault" | "targets">): Maker =>
  (drawing, fault) =>
    drawing.taken.has("postgres") ? undefined : { fault, targets: ["postgres"], ...make(drawing) }

const proxyRule =
  (rule: (drawing: Drawing) => Rule, least: number, most: number): Maker =>
  (drawing, fault) =>
    onNode(({ name }, { random, scale, venue }) => {
      const proxy = venue.toDatabase.get(name)!
      return {
        seconds: random.between(least, most) * scale,
        begin: async () => proxy.rule("*", rule(drawing)),
        end: async () => proxy.heal("*")
      }
    })(drawing, fault)

/** Maximum duration of an orderly shutdown. */
const patienceMillis = 20_000

const makers: { readonly [K in Kind]: Maker } = {
  kill: onNode((node, { random, scale }) => ({
    seconds: random.between(0, 3) * scale,
    begin: node.kill,
    end: async () => node.start()
  })),
  freeze: onNode((node, { random, scale }) => ({
    // Prefers short durations, but covers the whole range.
    seconds: 1 + 59 * random.next() ** 2 * scale,
    begin: async () => node.freeze(),
    end: async () => node.thaw()
  })),
  restart: onNode((node) => ({
    seconds: 0,
    begin: async () => void (await node.end(patienceMillis)),
    end: async () => node.start()
  })),
  drain: onNode(
    (node, { venue }) => ({
      seconds: 0,
      begin: async () => {
        await venue.database.query("update node set wanted = 'draining' where name = $1", [node.name])
        const until = performance.now() + patienceMillis
        while (node.runs() && performance.now() < until) await new Promise((again) => setTimeout(again, 100))
        await node.end(0)
      },
      end: async () => node.start()
    }),
    ({ runners }) => runners
  ),
  join: (drawing, fault) => {
    const { joiner } = drawing.venue
    if (drawing.taken.has(joiner.name)) return undefined
    return {
      fault,
      targets: [joiner.name],
      seconds: drawing.random.between(5, 20) * drawing.scale,
      begin: async () => joiner.start(),
      end: async () => void (await joiner.end(patienceMillis))
    }
  },
  skew: onNode((node, { random, scale }) => {
    const VENUE_CLOCK_SHIFT_MILLIS = String(Math.round(random.between(-30_000, 30_000)))
    return {
      seconds: random.between(5, 30) * scale,
      begin: async () => {
        await node.end(patienceMillis)
        node.start({ VENUE_CLOCK_SHIFT_MILLIS })
      },
      end: async () => {
        await node.end(patienceMillis)
        node.start()
      }
    }
  }),
  "postgres killed": onServer(({ venue }) => ({ seconds: 1, begin: async () => venue.database.kill(), end: ignore })),
  "postgres crashed": onServer(({ venue }) => ({ seconds: 1, begin: async () => venue.database.crash(), end: ignore })),
  "postgres stopped": onServer(({ random, scale, venue }) => ({
    seconds: random.between(1, 20) * scale,
    begin: venue.database.stop,
    end: venue.database.start
  })),
  "postgres frozen": onServer(({ random, scale, venue }) => ({
    seconds: random.between(1, 20) * scale,
    begin: async () => venue.database.freeze(),
    end: async () => venue.database.thaw()
  })),
  "postgres read-only": onServer(({ random, scale, venue }) => {
    const set = async (value: "on" | "off") => {
      await venue.database.query(`alter system set default_transaction_read_only = ${value}`)
      await venue.database.query("select pg_reload_conf()")
    }
    return { seconds: random.between(1, 10) * scale, begin: () => set("on"), end: () => set("off") }
  }),
  "postgres slow": onServer(({ random, scale, venue }) => {
    const delayMillis = Math.round(random.between(5, 150))
    return {
      seconds: random.between(3, 20) * scale,
      begin: async () => venue.toDatabase.forEach((proxy) => proxy.rule("*", { delayMillis })),
      end: async () => venue.toDatabase.forEach((proxy) => proxy.heal("*"))
    }
  }),
  "connections ended": onNode(({ name }, { random, venue }) => ({
    seconds: 0,
    begin: async () => {
      const rows = await venue.database.query<{ pool: string }>(
        "select distinct application_name as pool from pg_stat_activity where application_name like $1 order by 1",
        [`${name}/%`]
      )
      if (rows.length === 0) return
      const { pool } = random.pick(rows)
      await venue.database.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [
        pool
      ])
    },
    end: ignore
  })),
  "database hung": proxyRule(
    ({ random }) => ({ held: random.pick([["toServer"], ["toClient"], ["toServer", "toClient"]] as const) }),
    1,
    20
  ),
  "database cut": proxyRule(() => ({ isRefused: true }), 1, 15),
  cut: ({ random, scale, taken, venue }) => {
    const to = venue.runners.filter(({ name }) => !taken.has(name))
    if (to.length === 0) return undefined
    const one = random.pick(to)
    const from = venue.nodes.filter(({ name }) => !taken.has(name) && name !== one.name)
    if (from.length === 0) return undefined
    const other = random.pick(from)
    const how = random.pick(["refused", "held", "one way", "the other way"] as const)
    const rules = rulesBetween(venue, one.name, other.name, how)
    return {
      fault: how === "refused" || how === "held" ? `cut ${how}` : "cut one way",
      targets: [one.name, other.name],
      seconds: random.between(1, 20) * scale,
      begin: async () => rules.forEach(({ from: dialler, proxy, rule }) => proxy.rule(dialler, rule)),
      end: async () => rules.forEach(({ from: dialler, proxy }) => proxy.heal(dialler))
    }
  }
}

interface Between {
  readonly proxy: Proxy
  readonly from: string
  readonly rule: Rule
}

/**
 * Returns the proxy rules between two runners, which connect to each other. No node connects to a gateway. `one way`
 * drops bytes from the first node to the second.
 */
function rulesBetween(
  { addressOf, toRunner }: Venue,
  one: string,
  other: string,
  how: "refused" | "held" | "one way" | "the other way"
): ReadonlyArray<Between> {
  const lost = (dialler: string): ReadonlyArray<Direction> => {
    if (how === "held") return ["toServer", "toClient"]
    const isSpeaker = how === "one way" ? dialler === one : dialler !== one
    return isSpeaker ? ["toServer"] : ["toClient"]
  }
  const pairs = [
    [one, other],
    [other, one]
  ] as const
  return pairs.flatMap(([dialled, dialler]) => {
    const proxy = toRunner.get(dialled)
    if (proxy === undefined) return []
    return [
      { proxy, from: addressOf(dialler), rule: how === "refused" ? { isRefused: true } : { held: lost(dialler) } }
    ]
  })
}
