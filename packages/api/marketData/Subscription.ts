/** Decodes market-data subscriptions. */
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

/** Decoded request to subscribe or unsubscribe. The valid parts take effect even if other parts are declined. */
export interface Subscription {
  readonly _tag: "Subscribe" | "Unsubscribe"
  readonly channels: ReadonlyArray<Channel>
  /** Symbols as in the request, without duplicates; `*` stands for all symbols. */
  readonly symbols: ReadonlyArray<string>
  readonly markets: ReadonlyArray<MarketSymbol>
  /** Groupings for `level2`; empty without that channel. */
  readonly sigFigs: ReadonlyArray<SigFigs>
  /** Intervals for `candle`; empty without that channel. */
  readonly intervals: ReadonlyArray<Interval>
  readonly declined: ReadonlyArray<Declined>
}

/** Stream that a connection can subscribe to: a channel of a symbol. */
export interface Topic {
  readonly channel: Channel
  /** `everySymbol` is possible for `market_stats` only. */
  readonly symbol: MarketSymbol
  /** 0 for every channel but `level2`. */
  readonly sigFigs: SigFigs
  /** Present for `candle` only. */
  readonly interval?: Interval
}

/** Symbol of the `market_stats` frame with all markets. */
export const everySymbol = MarketSymbol.make("*")

/** Decodes a text frame; returns a refusal instead of throwing. */
export const decode = (text: string, known: ReadonlySet<MarketSymbol>): Subscription | Malformed => {
  const message = parse(text)
  return isFields(message) ? decodeFields(message, text, known) : notAnObject(text, message)
}

/** Decodes a parsed frame, or the market-data part of a trade-socket frame; `text` is the whole frame, for the echo. */
export const decodeFields = (
  message: Fields,
  text: string,
  known: ReadonlySet<MarketSymbol>
): Subscription | Malformed => {
  const decoded = read(message, known)
  return decoded._tag === "Malformed" ? echoing(decoded, text) : decoded
}

/** Returns a topic for every channel and symbol in a request. */
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

/** Returns the key of a topic; equal topics have equal keys. */
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
  // Drops `level2` without a valid grouping, and `candle` without a valid interval.
  const parts = [channels, symbols, sigFigs, intervals]
  const isComplete = (name: Channel) =>
    (name !== "level2" || sigFigs.read.length > 0) && (name !== "candle" || intervals.read.length > 0)
  return {
    _tag: type === "subscribe" ? "Subscribe" : "Unsubscribe",
    channels: channels.read.filter(isComplete),
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

/** A list's valid entries, and the reasons why its other entries are refused. */
interface Part<A> {
  readonly read: ReadonlyArray<A>
  readonly wrong: ReadonlyArray<string>
  readonly invalid: ReadonlyArray<string>
}

const nothing: Part<never> = { read: [], wrong: [], invalid: [] }

const isMalformed = (part: Part<unknown> | Malformed): part is Malformed => "_tag" in part

const readChannels = (names: unknown): Part<Channel> | Malformed => {
  if (!Array.isArray(names)) return wrong("channels", names, "an array of channel names")
  if (names.length === 0) return malformed("InvalidParameter", "invalid channels: expected at least one channel name")
  const given = new Set<unknown>(names)
  const unknown = [...given].filter((name) => !isOneOf(Channel.literals, name))
  return {
    read: [...given].filter((name) => isOneOf(Channel.literals, name)),
    wrong: wrongEntries("channels", unknown, `one or more of ${Channel.literals.join(", ")}`),
    invalid: []
  }
}

const readSymbols = (symbols: unknown, known: ReadonlySet<MarketSymbol>): Part<string> | Malformed => {
  if (!Array.isArray(symbols)) return wrong("symbols", symbols, 'an array of symbols such as "GOLD-USD", or ["*"]')
  if (symbols.length === 0)
    return malformed("InvalidParameter", 'invalid symbols: expected at least one symbol, or "*"')
  const given = new Set<unknown>(symbols)
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

const readSigFigs = (groupings: unknown): Part<SigFigs> | Malformed => {
  if (!Array.isArray(groupings)) return wrong("sig_figs", groupings, "an array with one or more of 0, 1 and 2")
  if (groupings.length === 0) return { ...nothing, read: none }
  const given = new Set<unknown>(groupings)
  const numbers = [...given].filter((figures) => typeof figures === "number")
  const others = numbers.filter((figures) => !isOneOf(SigFigs.literals, figures))
  return {
    read: numbers.filter((figures) => isOneOf(SigFigs.literals, figures)),
    wrong: wrongEntries(
      "sig_figs",
      [...given].filter((figures) => typeof figures !== "number"),
      "an array with one or more of 0, 1 and 2"
    ),
    invalid: others.length === 0 ? [] : [`invalid sig_figs: expected 0, 1 or 2, got ${listed(others.map(String))}`]
  }
}

/** Reads intervals; a missing list declines only `candle`, and the request's other channels take effect. */
const readIntervals = (intervals: unknown): Part<Interval> | Malformed => {
  const expected = `one or more of ${Interval.literals.join(", ")}`
  if (intervals !== undefined && !Array.isArray(intervals)) {
    return wrong("intervals", intervals, `an array with ${expected}`)
  }
  if (intervals === undefined || intervals.length === 0) {
    return { ...nothing, wrong: [`missing field intervals: expected ${expected} for the candle channel`] }
  }
  const given = new Set<unknown>(intervals)
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

/** Maximum length of an unknown symbol in a message, in characters. */
const shownLimit = 64
