/** A frame of the market-data socket becomes what the client wants to hear, or what was wrong with it. */
import { type Fields, isFields, parse } from "../Incoming.ts"
import { echoing, type Malformed, malformed, notAnObject, wrong } from "../Malformed.ts"

export type Channel = (typeof channels)[number]

/** How many decimal places above the tick prices are grouped by. */
export type SigFigs = 0 | 1 | 2

export interface Subscription {
  readonly _tag: "Subscribe" | "Unsubscribe"
  readonly channels: ReadonlyArray<Channel>
  /** As the client wrote them, each once: names, or `*` for all. */
  readonly symbols: ReadonlyArray<string>
  /** The symbols meant. */
  readonly markets: ReadonlyArray<string>
  /** Of `level2` alone; empty when that is not among the channels. */
  readonly sigFigs: ReadonlyArray<SigFigs>
}

/** One stream: a channel of a symbol. */
export interface Topic {
  readonly channel: Channel
  readonly symbol: string
  /** 0 on every channel but `level2`. */
  readonly sigFigs: SigFigs
}

/** Nothing of a request takes effect unless all of it is right. Never throws, whatever the text. */
export const decode = (text: string, listed: ReadonlySet<string>): Subscription | Malformed => {
  const message = parse(text)
  if (!isFields(message)) return notAnObject(text, message)
  const decoded = read(message, listed)
  return decoded._tag === "Malformed" ? echoing(decoded, text) : decoded
}

/** Every channel of every symbol of a request. */
export const topics = ({ channels, markets, sigFigs }: Subscription): ReadonlyArray<Topic> =>
  channels.flatMap((channel) =>
    markets.flatMap((symbol) =>
      (channel === "level2" ? sigFigs : none).map((figures) => ({ channel, symbol, sigFigs: figures }))
    )
  )

/** The same for the same stream. */
export const keyOf = ({ channel, sigFigs, symbol }: Topic): string => `${channel}/${symbol}/${sigFigs}`

const channels = ["level2", "bbo", "trade", "mark_price"] as const

const later = ["candle", "underlier", "funding", "open_interest", "minmax_price", "market_stats"]

const none: ReadonlyArray<SigFigs> = [0]

const read = (message: Fields, listed: ReadonlySet<string>): Subscription | Malformed => {
  const type = message["type"]
  if (type !== "subscribe" && type !== "unsubscribe") return wrong("type", type, '"subscribe" or "unsubscribe"')
  const asked = readChannels(message["channels"])
  if ("_tag" in asked) return asked
  const symbols = readSymbols(message["symbols"], listed)
  if ("_tag" in symbols) return symbols
  const sigFigs = asked.includes("level2") ? readSigFigs(message["sig_figs"] ?? none) : []
  if ("_tag" in sigFigs) return sigFigs
  return {
    _tag: type === "subscribe" ? "Subscribe" : "Unsubscribe",
    channels: asked,
    symbols,
    markets: symbols.includes("*") ? [...listed] : symbols,
    sigFigs
  }
}

const readChannels = (asked: unknown): ReadonlyArray<Channel> | Malformed => {
  if (!Array.isArray(asked)) return wrong("channels", asked, "an array of channel names")
  if (asked.length === 0) return malformed("InvalidParameter", "invalid channels: expected at least one channel name")
  const read = new Set<Channel>()
  let refused: string | undefined
  for (const name of asked) {
    const channel = channels.find((known) => known === name)
    if (channel !== undefined) read.add(channel)
    else if (later.includes(name)) refused = name
    else return wrong("channels", name, `names among ${[...channels, ...later].join(", ")}`)
  }
  return refused === undefined ? [...read] : malformed("InvalidParameter", `channel ${refused} is not offered yet`)
}

const readSymbols = (asked: unknown, listed: ReadonlySet<string>): ReadonlyArray<string> | Malformed => {
  if (!Array.isArray(asked)) return wrong("symbols", asked, 'an array of symbols such as "GOLD-USD", or ["*"]')
  if (asked.length === 0) return malformed("InvalidParameter", 'invalid symbols: expected at least one symbol, or "*"')
  const read = new Set<string>()
  for (const symbol of asked) {
    if (typeof symbol !== "string") return wrong("symbols", symbol, 'strings such as "GOLD-USD"')
    if (symbol !== "*" && !listed.has(symbol)) {
      return malformed("InvalidParameter", `unknown symbol ${symbol.slice(0, shownLimit)}`)
    }
    read.add(symbol)
  }
  return [...read]
}

const readSigFigs = (asked: unknown): ReadonlyArray<SigFigs> | Malformed => {
  if (!Array.isArray(asked)) return wrong("sig_figs", asked, "an array of 0, 1 and 2")
  const read = new Set<SigFigs>()
  for (const figures of asked) {
    if (typeof figures !== "number") return wrong("sig_figs", figures, "an array of 0, 1 and 2")
    if (figures !== 0 && figures !== 1 && figures !== 2) {
      return malformed("InvalidParameter", `invalid sig_figs: expected 0, 1 or 2, got ${figures}`)
    }
    read.add(figures)
  }
  return read.size === 0 ? none : [...read]
}

/** Characters of an unknown symbol that a message shows. */
const shownLimit = 64
