/**
 * Tests that every published example satisfies its schema, and that the schema requires each of the example's
 * members.
 */
import { Command } from "@venue/api/marketData/CommandSchema"
import { Frame } from "@venue/api/marketData/FrameSchema"
import * as Subscription from "@venue/api/marketData/Subscription"
import { ContractsResponseBody, OrderBookResponseBody } from "@venue/api/rest/Aggregator"
import { CandlesResponseBody } from "@venue/api/rest/Candles"
import { FundingHistoricResponseBody } from "@venue/api/rest/FundingRates"
import { SettlementCalendarEntry, SettlementPricesResponseBody } from "@venue/api/rest/Futures"
import { SymbolLongShortHistoricResponseBody } from "@venue/api/rest/LongShort"
import { OpenInterestHistoricResponseBody } from "@venue/api/rest/OpenInterest"
import { RefdataResponse } from "@venue/api/rest/Refdata"
import { SymbolMetricsResponseBody } from "@venue/api/rest/SymbolMetrics"
import { TakerVolumeHistoricResponseBody } from "@venue/api/rest/TakerVolume"
import { UnderlierHistoricResponseBody } from "@venue/api/rest/Underlier"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Schema } from "effect"
import { expect, it } from "vitest"
import { bodies, commands, frames } from "./Examples.ts"

const schemas: Readonly<Record<keyof typeof bodies, Schema.Codec<unknown, unknown>>> = {
  RefdataResponse,
  CandlesResponseBody,
  FundingHistoricResponseBody,
  OpenInterestHistoricResponseBody,
  SymbolLongShortHistoricResponseBody,
  TakerVolumeHistoricResponseBody,
  UnderlierHistoricResponseBody,
  SettlementCalendarEntry,
  SettlementPricesResponseBody,
  SymbolMetricsResponseBody,
  ContractsResponseBody,
  OrderBookResponseBody
}

const accepts = (schema: Schema.Codec<unknown, unknown>, value: unknown) =>
  Schema.is(Schema.toEncoded(schema))(value) &&
  Schema.decodeUnknownExit(schema, { onExcessProperty: "error" })(value)._tag === "Success"

type Fields = Readonly<Record<string, unknown>>

/** Returns copies of the value. Each copy lacks one member, either at the top level or in the first row of a list. */
const lacking = (value: Fields): ReadonlyArray<Fields> =>
  Object.entries(value).flatMap(([key, member]) => {
    const { [key]: _, ...others } = value
    const rows = Array.isArray(member) && typeof member[0] === "object" && !Array.isArray(member[0])
    return [others, ...(rows ? lacking(member[0] as Fields).map((row) => ({ ...value, [key]: [row] })) : [])]
  })

it("decodes every example command without errors", () => {
  const known = new Set(["GOLD-USD", "NVDA-USD"].map((symbol) => MarketSymbol.make(symbol)))
  for (const text of commands) {
    expect([text, accepts(Command, JSON.parse(text))]).toEqual([text, true])
    expect(Subscription.decode(text, known)).toMatchObject({ declined: [] })
  }
})

it("accepts every example frame, and refuses it with an additional or missing member", () => {
  for (const text of frames) {
    const frame = JSON.parse(text)
    expect([text, accepts(Frame, frame)]).toEqual([text, true])
    expect([text, accepts(Frame, { ...frame, more: 1 })]).toEqual([text, false])
    // Skips confirmations, because their members depend on the channels.
    if (frame.sequence === undefined) continue
    for (const less of lacking(frame)) expect([less, accepts(Frame, less)]).toEqual([less, false])
  }
})

it("accepts every example body, and refuses it with an additional or missing member", () => {
  for (const [name, schema] of Object.entries(schemas)) {
    const body = JSON.parse(bodies[name as keyof typeof bodies])
    expect([name, accepts(schema, body)]).toEqual([name, true])
    expect([name, accepts(schema, { ...body, more: 1 })]).toEqual([name, false])
    for (const less of lacking(body)) expect([name, less, accepts(schema, less)]).toEqual([name, less, false])
  }
})
