/** A TCP proxy that forwards bytes, delays them, or drops them in one or both directions. */
import { createServer, type Socket, connect } from "node:net"

/** `toServer` means bytes from the side that opened the connection. */
export type Direction = "toServer" | "toClient"

export interface Rule {
  /** Directions whose bytes are held until the rule is removed, as on a network that loses packets. */
  readonly held?: ReadonlyArray<Direction>
  /** True to close connections and refuse new ones. */
  readonly isRefused?: boolean
  /** Delay of all bytes. */
  readonly delayMillis?: number
}

export interface Proxy {
  readonly port: number
  /** Sets the rule for connections from this IP address, or for all addresses. Replaces the previous rule. */
  readonly rule: (from: string | "*", rule: Rule) => void
  readonly heal: (from: string | "*") => void
  /** Stops forwarding on open connections. New connections still work. */
  readonly freeze: () => void
  readonly close: () => void
}

interface Pair {
  readonly from: string
  readonly client: Socket
  readonly server: Socket
  readonly waiting: { readonly [Key in Direction]: Array<Buffer | "end"> }
}

export type Target = { readonly host: string; readonly port: number } | { readonly path: string }

export const open = async (port: number, target: Target): Promise<Proxy> => {
  const rules = new Map<string, Rule>()
  const pairs = new Set<Pair>()
  const frozen = new WeakSet<Pair>()
  const ruleOf = (from: string): Rule => rules.get(from) ?? rules.get("*") ?? {}

  const flush = (pair: Pair, direction: Direction): void => {
    if (frozen.has(pair) || ruleOf(pair.from).held?.includes(direction) === true) return
    const to = direction === "toServer" ? pair.server : pair.client
    for (const one of pair.waiting[direction].splice(0)) {
      if (one === "end") to.end()
      else to.write(one)
    }
  }
  const pass = (pair: Pair, direction: Direction, one: Buffer | "end"): void => {
    pair.waiting[direction].push(one)
    const { delayMillis } = ruleOf(pair.from)
    if (delayMillis === undefined) flush(pair, direction)
    else setTimeout(() => flush(pair, direction), delayMillis)
  }
  const listener = createServer((client) => {
    const from = client.remoteAddress ?? ""
    if (ruleOf(from).isRefused === true) return void client.destroy()
    const server = connect(target)
    const pair: Pair = { from, client, server, waiting: { toServer: [], toClient: [] } }
    pairs.add(pair)
    const over = () => {
      pairs.delete(pair)
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on("error", () => {})
    }
    client.on("data", (bytes) => pass(pair, "toServer", bytes))
    server.on("data", (bytes) => pass(pair, "toClient", bytes))
    client.on("end", () => pass(pair, "toServer", "end"))
    server.on("end", () => pass(pair, "toClient", "end"))
    // Closes the other side only if the simulated network is currently forwarding bytes.
    const lost = () => {
      if (ruleOf(from).held === undefined) over()
      else setTimeout(lost, lookMillis)
    }
    client.on("close", lost)
    server.on("close", lost)
  })
  await new Promise<void>((tell, refuse) => {
    listener.once("error", refuse)
    listener.listen({ host: "127.0.0.1", port }, tell)
  })
  const affected = (from: string): ReadonlyArray<Pair> =>
    [...pairs].filter((pair) => from === "*" || pair.from === from)
  return {
    port,
    rule: (from, rule) => {
      rules.set(from, rule)
      if (rule.isRefused !== true) return
      for (const { client, server } of affected(from)) {
        client.destroy()
        server.destroy()
      }
    },
    heal: (from) => {
      rules.delete(from)
      for (const pair of affected(from)) {
        flush(pair, "toServer")
        flush(pair, "toClient")
      }
    },
    freeze: () => pairs.forEach((pair) => frozen.add(pair)),
    close: () => {
      listener.close()
      for (const { client, server } of pairs) {
        client.destroy()
        server.destroy()
      }
    }
  }
}

const lookMillis = 100
