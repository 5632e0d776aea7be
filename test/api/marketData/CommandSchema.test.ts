/** Tests that the market-data socket's hand-written decoder accepts exactly the frames that the Schema accepts. */
import { Command } from "@venue/api/marketData/CommandSchema"
import { decode } from "@venue/api/marketData/Subscription"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { faultOf } from "../../SocketFrames.ts"

const symbols = ["AAPL-USD", "GOLD-USD"] as const

/** Accepts only listed symbols, as the decoder does. The Schema of the command accepts any symbol. */
const Listed = Schema.Struct({
  ...Command.members[0].fields,
  type: Schema.Literals(["subscribe", "unsubscribe"]),
  symbols: Schema.NonEmptyArray(Schema.Literals([...symbols, "*"]))
}).check(
  Schema.makeFilter(({ channels, intervals }) => !channels.includes("candle") || (intervals ?? []).length > 0, {
    message: "a candle has an interval"
  })
)

const read = (message: unknown) =>
  decode(JSON.stringify(message), new Set(symbols.map((name) => MarketSymbol.make(name))))

const meaning = ({ channels, intervals, sig_figs, symbols: named, type }: typeof Listed.Type) => ({
  _tag: type === "subscribe" ? "Subscribe" : "Unsubscribe",
  channels: [...new Set(channels)],
  symbols: [...new Set(named)],
  markets: named.includes("*") ? [...symbols] : [...new Set(named)],
  sigFigs: !channels.includes("level2") ? [] : sig_figs?.length ? [...new Set(sig_figs)] : [0],
  intervals: channels.includes("candle") ? [...new Set(intervals)] : [],
  declined: []
})

it.prop("decodes every message that the Schema accepts to the command with the same meaning", [Listed], ([message]) => {
  expect(read(message)).toEqual(meaning(message))
  expect(faultOf("market_data", message.type, message)).toBeUndefined()
})

it.prop("decodes or refuses a randomly altered message exactly as the Schema does", [Listed], ([message]) => {
  fc.assert(
    fc.property(fc.constantFrom("type", "channels", "symbols", "sig_figs", "intervals"), values, (name, value) => {
      const other = { ...message, [name]: value }
      // The decoder reads sig_figs only for level2, and intervals only for candle.
      if (name === "sig_figs" && !message.channels.includes("level2")) return
      if (name === "intervals" && !message.channels.includes("candle")) return
      const command = read(other)
      const known = Schema.decodeUnknownResult(Listed)(other)
      const isRefused = command._tag === "Malformed" || command.declined.length > 0
      expect([isRefused, other]).toEqual([known._tag === "Failure", other])
      if (known._tag === "Success") expect(command).toEqual(meaning(known.success))
    }),
    { numRuns: 20 }
  )
})

const values = fc.oneof(
  fc.constantFrom<unknown>(
    "subscribe",
    "unsubscribe",
    "ping",
    null,
    "*",
    1,
    [],
    {},
    ["*"],
    ["GOLD-USD"],
    ["SILVER-USD"]
  ),
  fc.constantFrom<unknown>(
    ["bbo"],
    ["level2", "trade"],
    ["candle"],
    ["1MIN"],
    ["1DAY", "2MINS"],
    ["books"],
    [0],
    [0, 2],
    [3],
    ["1"],
    [null]
  ),
  fc.jsonValue({ maxDepth: 1 })
)
