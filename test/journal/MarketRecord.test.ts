import { AccountId } from "@venue/domain/AccountId"
import { parse } from "@venue/domain/Id"
import type { MarketEvent } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import { parseOrderId } from "@venue/domain/OrderId"
import { UserId } from "@venue/domain/UserId"
import { tags } from "@venue/journal/MarketCode"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { readdirSync, readFileSync } from "node:fs"
import { marketEvents } from "./AnyMarketEvent.ts"
import * as by from "./EventsByHand.ts"

const fixture = (name: string) => new URL(`./fixtures/${name}`, import.meta.url)

/** Files with the records that each release wrote, in hex, beside the events as JSON. */
const kept = readdirSync(fixture(""), { recursive: true, encoding: "utf8" })
  .filter((file) => /\/market[^/]*\.hex$/.test(file))
  .map((file) => file.replace(/\.hex$/, ""))
  .toSorted()

const eventsOf = (name: string): ReadonlyArray<MarketEvent> => JSON.parse(readFileSync(fixture(`${name}.json`), "utf8"))

describe("MarketRecord", () => {
  it("decodes what it encodes", () => {
    fc.assert(
      fc.property(marketEvents, (events) => {
        assert.deepStrictEqual(MarketRecord.decode(MarketRecord.encode(events)), [...events])
      }),
      { numRuns: 1500 }
    )
  })

  it("encodes a batch larger than the current buffer", () => {
    const events = Array.from({ length: 5_000 }, (_, n) => accepted({ clientOrderId: `${n}-${"é".repeat(n % 90)}` }))
    assert.deepStrictEqual(MarketRecord.decode(MarketRecord.encode(events)), events)
  })

  it("encodes only the new time if an order is filled again without another change", () => {
    const fills = (stepMillis: number) => {
      const traded = [1, 2, 3].map((number) =>
        by.traded("again", number, { atMillis: 1_790_503_244_118 + number * stepMillis })
      )
      return traded.map(({ maker, ...rest }) => {
        const order = { ...maker.order, updatedAtMillis: rest.atMillis }
        return { ...rest, maker: { ...maker, order } }
      })
    }
    const [together, apart] = [fills(0), fills(1)].map((events) => {
      const bytes = MarketRecord.encode(events)
      assert.deepStrictEqual(MarketRecord.decode(bytes), events)
      return bytes.length
    })
    // Each later event adds seven bytes for its time.
    assert.strictEqual(apart! - together!, 2 * 7)
  })

  it("decodes a record that lies inside a larger buffer", () => {
    const bytes = MarketRecord.encode([accepted({})])
    const larger = new Uint8Array(bytes.length + 20)
    larger.set(bytes, 7)
    assert.deepStrictEqual(MarketRecord.decode(larger.subarray(7, 7 + bytes.length)), [accepted({})])
  })

  // A release that adds a kind or shape of event adds a folder for its version; existing files never change.
  it.each(kept)("I6: decodes %s", (name) => {
    const bytes = Buffer.from(readFileSync(fixture(`${name}.hex`), "utf8").replaceAll(/\s/g, ""), "hex")
    assert.deepStrictEqual(JSON.parse(JSON.stringify(MarketRecord.decode(bytes))), eventsOf(name))
  })

  it("the fixtures contain every kind of event", () => {
    const kinds = new Set(kept.flatMap(eventsOf).map(({ _tag }) => _tag))
    assert.deepStrictEqual([...kinds].toSorted(), Object.keys(tags).toSorted())
  })

  it("distinguishes users and accounts whose ids differ in a single digit", () => {
    const digits = "0123456789abcdef"
    const ids = Array.from({ length: 32 }, (_, n) =>
      "00000000-0000-0000-0000-000000000000".replaceAll(/0/g, (_0, at: number) =>
        at === n + 4 ? digits[(n % 15) + 1]! : "0"
      )
    )
    const events = ids.flatMap((userId) =>
      ids
        .slice(0, 3)
        .map((accountId) => accepted({ userId: UserId.make(userId), accountId: AccountId.make(accountId) }))
    )
    assert.deepStrictEqual(MarketRecord.decode(MarketRecord.encode(events)), events)
  })

  it("rejects an unknown version, an unknown tag, a truncated record and trailing bytes", () => {
    const bytes = MarketRecord.encode([accepted({})])
    assert.throws(() => MarketRecord.decode(Uint8Array.of(9, ...bytes.subarray(1))), /unknown version 9/)
    assert.throws(() => MarketRecord.decode(Uint8Array.of(1, 1, 30)), /unknown tag 14/)
    assert.throws(() => MarketRecord.decode(Uint8Array.of(1, 1, 31, 15)), /unknown tag 15/)
    assert.throws(() => MarketRecord.decode(Uint8Array.of(1, 1, 31, 255)), /unknown tag 255/)
    assert.throws(() => MarketRecord.decode(Uint8Array.of(1, 0, 0)), /bytes after its last event/)
    for (let length = 0; length < bytes.length; length++) {
      assert.throws(() => MarketRecord.decode(bytes.subarray(0, length)))
    }
  })

  it("rejects arbitrary bytes, or decodes them to events that can be encoded again", () => {
    fc.assert(
      fc.property(fc.oneof(anyBytes, spoilt), (record) => {
        const decoded = Result.try(() => MarketRecord.decode(record))
        if (Result.isFailure(decoded)) return assert.instanceOf(decoded.failure, Error)
        assert.deepStrictEqual(MarketRecord.decode(MarketRecord.encode(decoded.success)), decoded.success)
      }),
      { numRuns: 1500 }
    )
  })
})

const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Uint8Array.of(1, ...bytes))

/** Encoded record with one byte after its version changed. */
const spoilt = fc.tuple(marketEvents, fc.nat(), fc.integer({ min: 1, max: 255 })).map(([events, at, by]) => {
  const record = MarketRecord.encode(events).slice()
  record[1 + (at % (record.length - 1))]! ^= by
  return record
})

const accepted = (order: Partial<Order>): MarketEvent => ({
  _tag: "Accepted",
  commandId: parse("e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77")!,
  expiresAtMillis: 1_790_503_254_118,
  order: {
    orderId: parseOrderId("e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77")!,
    userId: UserId.make("3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"),
    accountId: AccountId.make("3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"),
    side: "BUY",
    type: "LIMIT",
    timeInForce: "GTC",
    priceTicks: 34_112,
    quantityLots: 2_500,
    remainingLots: 2_500,
    reduceOnly: false,
    clientOrderId: "mm-7-000182",
    origin: "USER",
    builderCode: "",
    modified: false,
    updatedAtMillis: 1_790_503_244_118,
    ...order
  },
  makerRate: 10_000,
  leverage: 20,
  atMillis: 1_790_503_244_118
})
