/** Tests of the faults reported for a request. */
import { faultsOf } from "@venue/api/Fault"
import { Optional, WholeNumber } from "@venue/api/Parameter"
import { CreateApiKeyRequestBody } from "@venue/api/rest/ApiKeys"
import { CreateBuilderCodeRequestBody } from "@venue/api/rest/BuilderCode"
import { BuilderWalletBody } from "@venue/api/rest/BuilderWallet"
import { SetUserLeverageRequestBody } from "@venue/api/rest/Leverage"
import { holdsSecret, secret } from "@venue/api/Secret"
import { assert, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"

const faults = (schema: Schema.Codec<unknown, unknown>, sent: unknown) =>
  Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty: "error" })(sent).pipe(
    Effect.flip,
    Effect.map(({ issue }) => faultsOf(issue, "body", sent)),
    Effect.runSync
  )
const codec = (schema: Schema.Top) => schema as unknown as Schema.Codec<unknown, unknown>

it("reports the location, the expected value and the sent value of each fault", () => {
  expect(
    faults(codec(CreateApiKeyRequestBody), { label: " x", permissions: ["trade", 5], scope: "all_accounts" })
  ).toEqual([
    { location: "body.label", message: expect.stringContaining("without surrounding spaces"), value: " x" },
    { location: "body.permissions.0", message: expect.stringContaining("Expected"), value: "trade" },
    { location: "body.permissions.1", message: expect.stringContaining("Expected"), value: 5 }
  ])
  expect(faults(codec(SetUserLeverageRequestBody), { leverage: 3 })).toEqual([
    { location: "body.symbol", message: "symbol is required: a string" }
  ])
})

it.each([
  [{ svc_fee_share_bps: 4_000, builder_fee_share_bps: 0 }, 4_000, "4000; the nearest is 5000"],
  [{ svc_fee_share_bps: 5_000, builder_fee_share_bps: "6000" }, "6000", "6000; the nearest is 5000"],
  [{ svc_fee_share_bps: 5_000.6, builder_fee_share_bps: 0 }, 5_000.6, "5000.6; the nearest is 5001"]
] as const)("an error about an invalid number states the nearest valid number (request %j)", (sent, value, ending) => {
  const [fault, ...others] = faults(codec(CreateBuilderCodeRequestBody), sent)
  expect([fault?.value, others]).toEqual([value, []])
  expect(fault?.message?.endsWith(`, got ${ending}`)).toBe(true)
})

it("suggests the nearest valid number even if two numbers are invalid only in combination", () => {
  expect(faults(codec(SetUserLeverageRequestBody), { leverage: 0, symbol: "X" })).toEqual([
    { location: "body.leverage", message: "Expected a value greater than 0, got 0", value: 0 }
  ])
  const together = { svc_fee_share_bps: 9_000, builder_fee_share_bps: 5_000 }
  expect(faults(codec(CreateBuilderCodeRequestBody), together)).toEqual([
    {
      location: "body",
      message:
        "Expected shares that add up to at most 10000 basis points, got 14000; the nearest builder_fee_share_bps is 1000",
      value: together
    }
  ])
})

it("an error about a number in a query shows the number as the text that was sent", () => {
  const query = codec(Schema.Struct({ limit: Optional(WholeNumber({ minimum: 1, maximum: 1_000 })) }))
  expect(faults(query, { limit: "5000" })).toEqual([
    {
      location: "body.limit",
      message: "Expected a value between 1 and 1000, got 5000; the nearest is 1000",
      value: "5000"
    }
  ])
})

it("an error shows a number too large for a double as the text Infinity", () => {
  const sent = JSON.parse('{"leverage":1e999,"symbol":[1e999]}')
  expect(faults(codec(SetUserLeverageRequestBody), sent).map(({ value }) => value)).toEqual(["Infinity", [null]])
})

it("an error shows at most 200 characters of a sent value, and does not read all of a long or deep value", () => {
  const body = codec(Schema.Struct({ name: Schema.Number, list: Schema.Number }))
  const long = { name: "n".repeat(60_000), list: Array.from({ length: 20_000 }, (_, at) => at) }
  for (const { value } of faults(body, long)) expect(String(value)).toHaveLength(200)
  const deep = JSON.parse(`${"[".repeat(10_000)}${"]".repeat(10_000)}`)
  expect(faults(body, { name: 1, list: deep })[0]?.value).toBe("[".repeat(200))
  const small = { a: [1, null, "x"], b: { c: true } }
  expect(faults(body, { name: 1, list: small })[0]?.value).toEqual(small)
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key ${at} ${"k".repeat(300)}`, 1]))
  const reported = faults(body, many)
  expect([reported.length, Math.max(...reported.map(({ location = "" }) => location.length))]).toEqual([100, 205])
})

it("an error shows neither secrets nor the values of unknown members", () => {
  const unsafe = "0xdeadbeef-signature"
  const bodies = [
    { message: unsafe, signature: unsafe },
    { message: { signature: unsafe }, signature: [unsafe] },
    { message: "m".repeat(64), signature: `0x${"0".repeat(130)}`, secret_key: unsafe },
    unsafe,
    [unsafe]
  ]
  for (const body of bodies) {
    const reported = faults(codec(BuilderWalletBody), body)
    expect(reported.length).toBeGreaterThan(0)
    expect(JSON.stringify(reported)).not.toContain("deadbeef")
    for (const fault of reported) expect(fault).not.toHaveProperty("value")
  }
  const unknown = faults(codec(SetUserLeverageRequestBody), { leverage: 1, symbol: "X", token: unsafe })
  expect(unknown).toEqual([{ location: "body.token", message: "token is not a member of this body" }])
})

it("recognises a secret member inside checks, optional members, lists and nested schemas", () => {
  const marked = secret(Schema.String.check(Schema.isMinLength(5)))
  interface Nested {
    readonly inner: Nested | null
  }
  const nested: Schema.Codec<Nested> = Schema.Struct({
    inner: Schema.NullOr(Schema.suspend((): Schema.Codec<Nested> => nested))
  })
  const holding = [
    marked.check(Schema.isMaxLength(9)),
    Schema.optionalKey(marked),
    Schema.NullOr(marked),
    Schema.Array(marked),
    Schema.Struct({ a: Schema.Struct({ b: marked }) }),
    Schema.Record(Schema.String, marked),
    marked.pipe(Schema.decodeTo(Schema.String))
  ]
  for (const schema of holding) assert.isTrue(holdsSecret(schema.ast))
  for (const schema of [Schema.String, Schema.Struct({ a: Schema.Array(Schema.Number) }), nested]) {
    assert.isFalse(holdsSecret(schema.ast))
  }
})
