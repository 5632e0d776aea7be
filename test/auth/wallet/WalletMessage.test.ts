import { Result } from "effect"
import { read, untimely } from "@venue/auth/wallet/WalletMessage"
import { assert, describe, it } from "@effect/vitest"
import { hashMessage } from "viem/utils"
import { issuedAtMillis, type MessageFields, signInMessage, wallet } from "./Wallets.ts"

describe("WalletMessage", () => {
  it("parses the API contract's example message, whose digest and signature match the contract", () => {
    const text = signInMessage()
    assert.strictEqual(text.length, 260)
    assert.strictEqual(hashMessage(text), "0xa8853f2aba8f72858de9d30570c17e1700c527bffa374bdc518809990a0994ce")
    assert.strictEqual(wallet(0x11).sign(text), vectorSignature)
    assert.deepStrictEqual(Result.getOrThrow(read(text)), {
      domain: "app.venue.example",
      address: "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A",
      statement: "Sign in to Example Venue",
      uri: "https://app.venue.example/login",
      chainId: "42161",
      nonce: "k3J9sQ2mXv7TzB1c",
      issuedAt: "2026-03-01T12:00:00.000Z",
      issuedAtMillis,
      expirationTime: undefined,
      expiresAtMillis: undefined,
      notBeforeMillis: undefined,
      requestId: undefined,
      resources: []
    })
  })

  it("parses every optional field of a sign-in message", () => {
    const message = Result.getOrThrow(read(signInMessage(everyField)))
    assert.deepInclude(message, {
      expirationTime: "2026-03-01T12:05:00Z",
      expiresAtMillis: issuedAtMillis + 300_000,
      notBeforeMillis: issuedAtMillis - 1,
      requestId: "a1",
      resources: ["https://app.venue.example/terms", "urn:x"]
    })
  })

  it("W6: returns an address unchanged, whether it is checksummed or, where allowed, in lower case", () => {
    const digits = "19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"
    const lower = `0x${digits.toLowerCase()}`
    assert.strictEqual(fault({ address: lower }), "address")
    const options = { acceptLowercaseAddress: true }
    assert.strictEqual(Result.getOrThrow(read(signInMessage({ address: lower }), options)).address, lower)
    const odd = [
      `0x${digits.toUpperCase()}`,
      `0x${digits.replace("E7E3", "e7E3")}`,
      `0X${digits}`,
      `0x${digits.slice(1)}`,
      `0x${digits}0`,
      digits,
      `0x${"0".repeat(40)}`,
      ""
    ]
    for (const address of odd) {
      assert.strictEqual(fault({ address }), "address", address)
      assert.isTrue(Result.isFailure(read(signInMessage({ address, domain: lower }), options)), address)
    }
  })

  it("W9: requires a one-line statement in the characters that the grammar allows", () => {
    const odd = [
      undefined,
      "",
      "two\nlines",
      "Sign in\r",
      "Zürich",
      "tab\there",
      "a\0b",
      "\u200fa",
      'quo"te',
      "100%",
      "<b>",
      "a\\b"
    ]
    for (const statement of odd) assert.isDefined(fault({ statement }), JSON.stringify(statement))
    for (const statement of ["Sign in to Example Venue ", "Resources:", "URI: https://evil.test/"]) {
      assert.strictEqual(Result.getOrThrow(read(signInMessage({ statement }))).statement, statement)
    }
  })

  it("W10: requires each line of the message once and in order, without text before, after or between the lines", () => {
    const lines = signInMessage(everyField).split("\n")
    assert.isTrue(Result.isSuccess(read(lines.join("\n"))))
    const needed = lines.slice(0, 10)
    for (const [at, line] of needed.entries()) {
      assert.isTrue(isRefused(needed.toSpliced(at, 1)), `without ${line}`)
      // Only a statement is allowed to begin with a space.
      assert.strictEqual(isRefused(needed.with(at, ` ${line}`)), at !== 3, `space before ${line}`)
      assert.isTrue(isRefused(needed.with(at, line.replace(": ", ":\t"))) || !line.includes(": "), `tab in ${line}`)
    }
    for (const [at, line] of lines.entries()) {
      // A resource is allowed to occur twice.
      if (!line.startsWith("- ")) assert.isTrue(isRefused(lines.toSpliced(at, 0, line)), `twice ${line}`)
      assert.isTrue(isRefused(lines.toSpliced(at, 0, "")), `empty line before ${line}`)
      assert.isTrue(isRefused(lines.toSpliced(at, 0, "Colour: red")), `unknown field before ${line}`)
      for (const [other, next] of lines.entries()) {
        const swapped = lines.with(at, next).with(other, line)
        const isSame = line === next || (line.startsWith("- ") && next.startsWith("- "))
        assert.strictEqual(isRefused(swapped), !isSame, `${line} for ${next}`)
      }
    }
    for (const text of [lines.join("\r\n"), lines.join("\r"), `${lines.join("\n")}\n`, `\n${lines.join("\n")}`]) {
      assert.isTrue(Result.isFailure(read(text)))
    }
  })

  it("W10: accepts version, chain id and nonce only in their canonical notation", () => {
    for (const version of ["2", "1x", "01", "1.0", "", "0"]) assert.isDefined(fault({ version }), version)
    for (const chainId of ["1", "9007199254740991"]) assert.isUndefined(fault({ chainId }), chainId)
    for (const chainId of [
      "0",
      "01",
      "0x1",
      "-1",
      "+1",
      "1e3",
      "",
      "9007199254740992",
      "9007199254740994",
      "1".repeat(30)
    ]) {
      assert.isDefined(fault({ chainId }), chainId)
    }
    for (const nonce of ["a".repeat(8), "a".repeat(128)]) assert.isUndefined(fault({ nonce }), nonce)
    for (const nonce of ["", "a".repeat(7), "a".repeat(129), "aaaa-aaaa", "aaaa aaaa", "aaaaaaaé"]) {
      assert.isDefined(fault({ nonce }), nonce)
    }
  })

  it("W11: accepts only complete date-times with an offset, on days and at seconds that exist", () => {
    for (const issuedAt of [
      "2026-03-01T12:00:00Z",
      "2026-03-01T12:00:00.000000001Z",
      "2026-03-01T14:00:00+02:00",
      "2026-03-01T06:30:00-05:30",
      "2026-03-02T11:59:00.000+23:59"
    ]) {
      assert.strictEqual(Result.getOrThrow(read(signInMessage({ issuedAt }))).issuedAtMillis, issuedAtMillis, issuedAt)
    }
    for (const time of [
      "",
      "garbage",
      "2026-03-01",
      "2026-03-01T12:00:00",
      "2026-03-01T12:00Z",
      "2026-03-01 12:00:00Z",
      "2026-03-01t12:00:00Z",
      "2026-03-01T12:00:00z",
      "2026-02-30T12:00:00Z",
      "2027-02-29T12:00:00Z",
      "2026-04-31T12:00:00Z",
      "2026-13-01T12:00:00Z",
      "2026-00-01T12:00:00Z",
      "2026-03-00T12:00:00Z",
      "2026-03-01T24:00:00Z",
      "2026-03-01T12:60:00Z",
      "2026-03-01T12:00:60Z",
      "2026-03-01T12:00:00.Z",
      "2026-03-01T12:00:00,5Z",
      "2026-03-01T12:00:00.0000000001Z",
      "2026-03-01T12:00:00+24:00",
      "2026-03-01T12:00:00+02:60",
      "2026-03-01T12:00:00+0200",
      "2026-03-01T12:00:00+02",
      "+002026-03-01T12:00:00Z",
      "26-03-01T12:00:00Z",
      "1772366400"
    ]) {
      assert.isDefined(fault({ issuedAt: time }), time)
      assert.isDefined(fault({ expirationTime: time.replace("2026", "2028") }), time)
      assert.isDefined(fault({ notBefore: time }), time)
    }
  })

  it("rejects a message that expires at or before its issue time as malformed", () => {
    for (const expirationTime of ["2026-03-01T12:00:00Z", "2026-03-01T13:00:00+01:00", "2020-01-01T00:00:00Z"]) {
      assert.strictEqual(fault({ expirationTime }), "expiration")
    }
    assert.isUndefined(fault({ expirationTime: "2026-03-01T12:00:00.001Z" }))
  })

  it("W12: accepts messages of 64 to 20480 characters", () => {
    const filler = (length: number) => signInMessage({ resources: [`urn:${"x".repeat(length)}`] })
    const most = 20_480 - filler(0).length
    assert.isTrue(Result.isSuccess(read(filler(most))))
    assert.strictEqual(faultOf(filler(most + 1)), "length")
    assert.strictEqual(faultOf("x".repeat(63)), "length")
    assert.notStrictEqual(faultOf("x".repeat(64)), "length")
  })

  it("I48: reads the longest message about as fast as a short one", () => {
    const room = 20_480 - signInMessage({ resources: Array.from({ length: 8 }, () => "a:") }).length
    for (const filler of ["/", "1.", "//1.", "%41"]) {
      const uri = `a:${filler.repeat(Math.floor(room / 8 / filler.length))}`
      const text = signInMessage({ resources: Array.from({ length: 8 }, () => uri) })
      const took = [1, 2, 3].map(() => {
        const start = performance.now()
        read(text)
        return performance.now() - start
      })
      // A reader with quadratic cost would take seconds.
      assert.isBelow(Math.min(...took), 600, filler)
    }
  })

  it("W11: accepts a message from 60 seconds before its issue time until 600 seconds after", () => {
    const at = (seconds: number, leeway?: number) => untimely(message({}), issuedAtMillis + seconds * 1_000, leeway)
    assert.deepStrictEqual(
      [-61, -60.001, -60, 0, 599, 600, 600.001, 601].map((seconds) => at(seconds)),
      ["future", "future", undefined, undefined, undefined, undefined, "stale", "stale"]
    )
    assert.deepStrictEqual(
      [-6, -5].map((seconds) => at(seconds, 5)),
      ["future", undefined]
    )
  })

  it("W11: a message is valid from its Not Before time, if present, until its expiry time", () => {
    const expiring = message({ expirationTime: "2026-03-01T12:05:00Z" })
    assert.isUndefined(untimely(expiring, issuedAtMillis + 299_999, 60))
    assert.strictEqual(untimely(expiring, issuedAtMillis + 300_000, 60), "expired")
    const waiting = message({ notBefore: "2026-03-01T12:01:00Z" })
    assert.strictEqual(untimely(waiting, issuedAtMillis + 59_999, 60), "not_yet")
    assert.isUndefined(untimely(waiting, issuedAtMillis + 60_000, 60))
  })
})

const vectorSignature =
  "0x0ab5f755539e166738e13fc8876ecd7f179e4ab907c209f669b144ba8255d8ee" +
  "74a00ff1071c824540e650b65cd5e486e438108f9cff3cf145d6e2d3a54381041c"

const everyField: Partial<MessageFields> = {
  expirationTime: "2026-03-01T12:05:00Z",
  notBefore: "2026-03-01T11:59:59.999Z",
  requestId: "a1",
  resources: ["https://app.venue.example/terms", "urn:x"]
}

const message = (fields: Partial<MessageFields>) => Result.getOrThrow(read(signInMessage(fields)))

const faultOf = (text: string): string | undefined =>
  Result.match(read(text), { onFailure: ({ fault }) => fault, onSuccess: () => undefined })

const fault = (fields: Partial<MessageFields>) => faultOf(signInMessage(fields))

const isRefused = (lines: ReadonlyArray<string>): boolean => Result.isFailure(read(lines.join("\n")))
