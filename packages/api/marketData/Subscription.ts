/** A frame of the market-data socket becomes what the client wants to hear, or what was wrong with it. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { type Fields, isFields, parse } from "../Incoming.ts"
import {
  type Declined,
  declined,
  echoing,
  listed,
  type Malformed,
  malformed,
  notAnObject,
  wrong,
  wrongEntries
} from "../Malformed.ts"
import { Channel, Interval, SigFigs } from "./CommandSchema.ts"

export type { Channel, Interval, SigFigs } from "./CommandSchema.ts"

export interface Subscription {
  readonly _tag: "Subscribe" | "Unsubscribe"
  readonly channels: ReadonlyArray<Channel>
  /** As the client wrote them, each once: names, or `*` for all. */
  readonly symbols: ReadonlyArray<string>
  /** The symbols meant. */
  readonly markets: ReadonlyArray<MarketSymbol>
  /** Of `level2` alone; empty when that is not among the channels. */
  readonly sigFigs: ReadonlyArray<SigFigs>
  /** Of `candle` alone; empty when that is not among the channels. */
  readonly intervals: ReadonlyArray<Interval>
  /** What else was asked for; what of a request is right takes effect all the same. */
  readonly declined: ReadonlyArray<Declined>
}

/** One stream: a channel of a symbol. */
export interface Topic {
  readonly channel: Channel
  /** Of `market_stats` it may be `everySymbol`. */
  readonly symbol: MarketSymbol
  /** 0 on every channel but `level2`. */
  readonly sigFigs: SigFigs
  /** Of `candle` alone. */
  readonly interval?: Interval
}

/** All symbols in one message. */
export const everySymbol = MarketSymbol.make("*")

/** Never throws, whatever the text. */
export const decode = (text: string, known: ReadonlySet<MarketSymbol>): Subscription | Malformed => {
  const message = parse(text)
  return isFields(message) ? decodeFields(message, text, known) : notAnObject(text, message)
}

/** The same of a frame that was taken apart already, or of what part of it is about market data. */
export const decodeFields = (
  message: Fields,
  text: string,
  known: ReadonlySet<MarketSymbol>
): Subscription | Malformed => {
  const decoded = read(message, known)
  return decoded._tag === "Malformed" ? echoing(decoded, text) : decoded
}

/** Every channel of every symbol of a request. */
export const topics = ({ channels, intervals, markets, sigFigs, symbols }: Subscription): ReadonlyArray<Topic> =>
  channels.flatMap((channel): ReadonlyArray<Topic> => {
    switch (channel) {
      case "level2":
        return markets.flatMap((symbol) => sigFigs.map((figures) => ({ channel, symbol, sigFigs: figures })))
      case "candle":
        return markets.flatMap((symbol) => intervals.map((interval) => ({ channel, symbol, sigFigs: 0, interval })))
      case "market_stats":
        return symbols.map((name) => ({ channel, symbol: MarketSymbol.make(name), sigFigs: 0 }))
      default:
        return markets.map((symbol) => ({ channel, symbol, sigFigs: 0 }))
    }
  })

/** The same for the same stream. */
export const keyOf = ({ channel, interval, sigFigs, symbol }: Topic): string =>
  `${channel}/${symbol}/${interval ?? sigFigs}`

const none: ReadonlyArray<SigFigs> = [0]

const read = (message: Fields, known: ReadonlySet<MarketSymbol>): Subscription | Malformed => {
  const type = message["type"]
  if (type !== "subscribe" && type !== "unsubscribe") return wrong("type", type, '"subscribe" or "unsubscribe"')
  const channels = readChannels(message["channels"])
  if (isMalformed(channels)) return channels
  const symbols = readSymbols(message["symbols"], known)
  if (isMalformed(symbols)) return symbols
  const grouped = channels.read.includes("level2")
  const sigFigs = grouped ? readSigFigs(message["sig_figs"] ?? none) : nothing
  if (isMalformed(sigFigs)) return sigFigs
  const intervals = channels.read.includes("candle") ? readIntervals(message["intervals"] ?? undefined) : nothing
  if (isMalformed(intervals)) return intervals
  // A book in none of the groupings asked for is no book, and a candle of no window no candle.
  const parts = [channels, symbols, sigFigs, intervals]
  const isHeard = (name: Channel) =>
    (name !== "level2" || sigFigs.read.length > 0) && (name !== "candle" || intervals.read.length > 0)
  return {
    _tag: type === "subscribe" ? "Subscribe" : "Unsubscribe",
    channels: channels.read.filter(isHeard),
    symbols: symbols.read,
    markets: symbols.read.includes("*") ? [...known] : symbols.read.map((name) => MarketSymbol.make(name)),
    sigFigs: sigFigs.read,
    intervals: intervals.read,
    declined: declined({
      InvalidJSONFormat: parts.flatMap(({ wrong }) => wrong),
      InvalidParameter: parts.flatMap(({ invalid }) => invalid)
    })
  }
}

/** What of one list is right, and why the others of it are not. */
interface Part<A> {
  readonly read: ReadonlyArray<A>
  readonly wrong: ReadonlyArray<string>
  readonly invalid: ReadonlyArray<string>
}

const nothing: Part<never> = { read: [], wrong: [], invalid: [] }

const isMalformed = (part: Part<unknown> | Malformed): part is Malformed => "_tag" in part

const readChannels = (asked: unknown): Part<Channel> | Malformed => {
  if (!Array.isArray(asked)) return wrong("channels", asked, "an array of channel names")
  if (asked.length === 0) return malformed("InvalidParameter", "invalid channels: expected at least one channel name")
  const given = new Set<unknown>(asked)
  const unknown = [...given].filter((name) => !isOneOf(Channel.literals, name))
  return {
    read: [...given].filter((name) => isOneOf(Channel.literals, name)),
    wrong: wrongEntries("channels", unknown, `names among ${Channel.literals.join(", ")}`),
    invalid: []
  }
}

const readSymbols = (asked: unknown, known: ReadonlySet<MarketSymbol>): Part<string> | Malformed => {
  if (!Array.isArray(asked)) return wrong("symbols", asked, 'an array of symbols such as "GOLD-USD", or ["*"]')
  if (asked.length === 0) return malformed("InvalidParameter", 'invalid symbols: expected at least one symbol, or "*"')
  const given = new Set<unknown>(asked)
  const names = [...given].filter((name) => typeof name === "string")
  const read = names.filter((name) => name === "*" || known.has(MarketSymbol.make(name)))
  const unknown = names.filter((name) => !read.includes(name)).map((name) => name.slice(0, shownLimit))
  return {
    read,
    wrong: wrongEntries(
      "symbols",
      [...given].filter((name) => typeof name !== "string"),
      'strings such as "GOLD-USD"'
    ),
    invalid: unknown.length === 0 ? [] : [`unknown symbol ${listed(unknown)}`]
  }
}

const readSigFigs = (asked: unknown): Part<SigFigs> | Malformed => {
  if (!Array.isArray(asked)) return wrong("sig_figs", asked, "an array of 0, 1 and 2")
  if (asked.length === 0) return { ...nothing, read: none }
  const given = new Set<unknown>(asked)
  const numbers = [...given].filter((figures) => typeof figures === "number")
  const others = numbers.filter((figures) => !isOneOf(SigFigs.literals, figures))
  return {
    read: numbers.filter((figures) => isOneOf(SigFigs.literals, figures)),
    wrong: wrongEntries(
      "sig_figs",
      [...given].filter((figures) => typeof figures !== "number"),
      "an array of 0, 1 and 2"
    ),
    invalid: others.length === 0 ? [] : [`invalid sig_figs: expected 0, 1 or 2, got ${listed(others.map(String))}`]
  }
}

/** Where there is none, the other channels of the request are heard all the same. */
const readIntervals = (asked: unknown): Part<Interval> | Malformed => {
  const expected = `names among ${Interval.literals.join(", ")}`
  if (asked !== undefined && !Array.isArray(asked)) return wrong("intervals", asked, `an array of ${expected}`)
  if (asked === undefined || asked.length === 0) {
    return { ...nothing, wrong: [`missing field intervals: expected ${expected}, for candle`] }
  }
  const given = new Set<unknown>(asked)
  return {
    read: [...given].filter((name) => isOneOf(Interval.literals, name)),
    wrong: wrongEntries(
      "intervals",
      [...given].filter((name) => !isOneOf(Interval.literals, name)),
      expected
    ),
    invalid: []
  }
}

const isOneOf = <const Word>(words: ReadonlyArray<Word>, value: unknown): value is Word =>
  (words as ReadonlyArray<unknown>).includes(value)

/** Characters of an unknown symbol that a message shows. */
const shownLimit = 64
