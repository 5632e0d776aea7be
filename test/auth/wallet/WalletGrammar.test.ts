import { Result, Struct } from "effect"
import { glance, read, type WalletMessage } from "@venue/auth/wallet/WalletMessage"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { SiweMessage } from "siwe"
import { type MessageFields, signInMessage, wallet } from "./Wallets.ts"

describe("the grammar of WalletMessage", () => {
  it("X5: rejects an example of each documented exception, although the reference grammar accepts the example", () => {
    for (const [name, { example, holds }] of Object.entries(differences)) {
      const text = signInMessage(example)
      assert.isDefined(grammatical(text), name)
      assert.isTrue(holds(text), name)
      assert.isFalse(isRead(text), name)
      const others = Object.entries(differences).filter(([other, { holds }]) => other !== name && holds(text))
      assert.deepStrictEqual(others, [], name)
    }
  })

  it("the quick scan extracts the same claims as the full parse from every valid message", () => {
    FastCheck.assert(
      FastCheck.property(anyMessage, (text) => {
        const message = Result.getOrUndefined(read(text))
        if (message === undefined) return
        const claims = glance(text)
        assert.deepStrictEqual(Struct.pick(message, Object.keys(claims ?? {}) as Array<keyof typeof message>), claims)
      }),
      { numRuns: 1_000 }
    )
  })

  it("X5: parses every text that the reference grammar accepts into the same fields, except for documented exceptions", () => {
    const seen = { read: 0, refused: 0, different: 0 }
    FastCheck.assert(
      FastCheck.property(anyMessage, (text) => {
        const ours = Result.getOrUndefined(read(text))
        const theirs = grammatical(text)
        const isDifferent = Object.values(differences).some(({ holds }) => holds(text))
        seen[theirs === undefined ? "refused" : isDifferent ? "different" : "read"]++
        assert.strictEqual(ours !== undefined, theirs !== undefined && !isDifferent, text)
        if (ours === undefined || theirs === undefined) return
        assert.deepStrictEqual(fieldsOf(ours), fieldsOf(theirs))
        const { notBefore } = theirs
        assert.strictEqual(ours.notBeforeMillis, notBefore === undefined ? undefined : Date.parse(notBefore))
      }),
      { numRuns: 1_000 }
    )
    // Every kind of outcome must occur often; otherwise the run would prove nothing.
    for (const count of Object.values(seen)) assert.isAbove(count, 50, JSON.stringify(seen))
  })
})

it("X5: accepts a resource if and only if the reference grammar accepts it", () => {
  const letter = FastCheck.constantFrom(..."ab1v:/?#[]@!%2f.-+ ~", "//", "::", "[::", "1.2.3.4", "é", '"')
  const uri = FastCheck.tuple(
    FastCheck.constantFrom("a:", "a://", "a://u@", "a://[", "a+-.1:", ""),
    FastCheck.array(letter, { maxLength: 5 }),
    FastCheck.constantFrom("", "]", "]:1", "]/a")
  ).map(([start, letters, end]) => start + letters.join("") + end)
  const seen = { read: 0, refused: 0 }
  FastCheck.assert(
    FastCheck.property(uri, (resource) => {
      const text = signInMessage({ resources: ["urn:before", resource] })
      const theirs = grammatical(text)
      seen[theirs === undefined ? "refused" : "read"]++
      assert.strictEqual(isRead(text), theirs !== undefined, resource)
    }),
    { numRuns: 2_000 }
  )
  for (const count of Object.values(seen)) assert.isAbove(count, 100, JSON.stringify(seen))
})

const isRead = (text: string): boolean => Result.isSuccess(read(text))

const grammatical = (text: string): SiweMessage | undefined =>
  Result.getOrUndefined(Result.try(() => new SiweMessage(text)))

const fieldsOf = (message: WalletMessage | SiweMessage) => {
  const {
    address,
    chainId,
    domain,
    expirationTime,
    issuedAt,
    nonce,
    requestId,
    resources = [],
    statement,
    uri
  } = message
  return {
    address,
    chainId: `${chainId}`,
    domain,
    expirationTime,
    issuedAt,
    nonce,
    requestId,
    resources,
    statement,
    uri
  }
}

/** Returns the value of the field with this name. The statement can contain the name too. */
const valueOf = (text: string, name: string): string | undefined =>
  text
    .split("\n")
    .slice(4)
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2)

const times = (text: string): ReadonlyArray<string> =>
  ["Issued At", "Expiration Time", "Not Before"].flatMap((name) => valueOf(text, name) ?? [])

interface Difference {
  readonly example: Partial<MessageFields>
  readonly holds: (text: string) => boolean
}

/** Texts that the grammar allows and the contract forbids. */
const differences: Record<string, Difference> = {
  "too short or too long": {
    example: { resources: [`urn:${"x".repeat(20_480)}`] },
    holds: (text) => text.length < 64 || text.length > 20_480
  },
  "a scheme before the domain": {
    example: { domain: "https://app.venue.example" },
    holds: (text) => /^[^\n]*:\/\//.test(text)
  },
  "a user before the domain": {
    example: { domain: "user@app.venue.example" },
    holds: (text) => /^[^\n]*@/.test(text)
  },
  "a domain in upper case": {
    example: { domain: "App.venue.example" },
    holds: (text) => /^(?:[^ \n]*:\/\/)?[^ \n]*[A-Z]/.test(text)
  },
  "the zero address": {
    example: { address: `0x${"0".repeat(40)}` },
    holds: (text) => /^.*\n0x0{40}\n/.test(text)
  },
  "no statement": {
    example: { statement: undefined },
    holds: (text) => /^.*\n.*\n\n\n/.test(text)
  },
  "a user in the URI": {
    example: { uri: "https://user@app.venue.example/login" },
    holds: (text) => /^[^/?#]*\/\/[^/?#]*@/.test(valueOf(text, "URI") ?? "")
  },
  "a chain id of zero, with a leading zero or past 2^53 - 1": {
    example: { chainId: "01" },
    holds: (text) => {
      const chainId = valueOf(text, "Chain ID") ?? "1"
      return !/^[1-9][0-9]{0,15}$/.test(chainId) || BigInt(chainId) >= 2n ** 53n
    }
  },
  "a nonce of more than 128 characters": {
    example: { nonce: "a".repeat(129) },
    holds: (text) => (valueOf(text, "Nonce") ?? "").length > 128
  },
  "a lower-case T or Z in a time": {
    example: { issuedAt: "2026-03-01t12:00:00.000z" },
    holds: (text) => times(text).some((time) => /[tz]/.test(time))
  },
  "a leap second": {
    example: { issuedAt: "2026-03-01T12:00:60Z" },
    holds: (text) => times(text).some((time) => /:60(?:\.|[^:]*$)/.test(time))
  },
  "more than nine digits of a second": {
    example: { issuedAt: "2026-03-01T12:00:00.0000000000Z" },
    holds: (text) => times(text).some((time) => /\.\d{10}/.test(time))
  },
  "an end that is not after the beginning": {
    example: { expirationTime: "2026-03-01T12:00:00.000Z" },
    holds: (text) => Date.parse(valueOf(text, "Expiration Time") ?? "") <= Date.parse(valueOf(text, "Issued At") ?? "")
  },
  "an empty request id, or one of more than 256 characters": {
    example: { requestId: "" },
    holds: (text) => {
      const requestId = valueOf(text, "Request ID") ?? "1"
      return requestId.length === 0 || requestId.length > 256
    }
  },
  "more than eight resources": {
    example: { resources: Array.from({ length: 9 }, (_, n) => `urn:${n}`) },
    holds: (text) => /\nResources:(?:\n- .*){9}/.test(text)
  }
}

/** Generates mostly valid values, and sometimes arbitrary ones. */
const value = (good: ReadonlyArray<string | undefined>, odd: ReadonlyArray<string | undefined>) =>
  FastCheck.oneof(
    { arbitrary: FastCheck.constantFrom(...good), weight: 24 },
    { arbitrary: FastCheck.constantFrom(...odd), weight: 1 }
  )

const oddTimes = [
  "",
  "2026-02-30T12:00:00Z",
  "2026-03-01T12:00:60Z",
  "2026-03-01t12:00:00Z",
  "2026-03-01T12:00:00.1234567890Z",
  "2026-03-01",
  "2026-03-01T12:00:00"
]

const anyFields: FastCheck.Arbitrary<Partial<MessageFields>> = FastCheck.record({
  domain: value(
    ["app.venue.example", "localhost:5173", "1.2.3.4", "[::1]:80", "a_b~c"],
    ["", "A.example", "u@a.example", "https://a.example", "a b", "a/b", "a.example:x", "é.example", "a%2Eb", ":1"]
  ) as FastCheck.Arbitrary<string>,
  address: value(
    [wallet(1).address, wallet(2).address],
    [wallet(1).address.toLowerCase(), `0x${"0".repeat(40)}`, "0x1", wallet(1).address.replace("0x", "0X")]
  ) as FastCheck.Arbitrary<string>,
  statement: value(
    ["Sign in", "a", "URI: https://b.example", "[a] #1 $&'*+,;=~", " "],
    [undefined, "", "é", "a\nb", '"', "%"]
  ),
  uri: value(
    [
      "https://app.venue.example/login",
      "urn:a",
      "a:",
      "http://[::1]/",
      "mailto:a@b.example",
      "x:?a@b#//c@d",
      "a://b/@"
    ],
    ["", "a", "https://u@a.example", "https://u:p@a.example/", "a b", "//a", "a://b?é", "https://a/%zz", "a:<"]
  ),
  version: value(["1"], ["2", "01", "", undefined]),
  chainId: value(
    ["1", "42161", "9007199254740991"],
    ["0", "01", "9007199254740992", "1".repeat(30), "-1", "", undefined]
  ),
  nonce: value(["a1B2c3D4", "x".repeat(128)], ["x".repeat(129), "1234567", "aaaa-aaaa", "", undefined]),
  issuedAt: value(["2026-03-01T12:00:00Z", "2026-03-01T12:00:00.123456789+02:00"], [...oddTimes, undefined]),
  expirationTime: value([undefined, "2026-03-02T12:00:00Z"], [...oddTimes, "2026-03-01T09:59:59Z"]),
  notBefore: value([undefined, "2026-03-01T12:00:00Z", "2020-01-01T00:00:00-00:00"], oddTimes),
  requestId: value([undefined, "a", "a:@%20!", "x".repeat(256)], ["", "x".repeat(257), "a b", "é", "%2"]),
  resources: FastCheck.option(
    FastCheck.array(
      value(
        [
          "urn:a",
          "https://a.example/b?c=d#e",
          "ipfs://u@b/c",
          "a:",
          "a://u:p@[::1]:8/",
          "a://[v1.a:b]",
          "a:/b//c%20?/?#?"
        ],
        ["", "a", "a b", "a://[::1", "a://[1:2]", "a://[v.a]", "a://b:c", "a://u@v@w", "a:#b#c", "a:%2", "a:[b]"]
      ) as FastCheck.Arbitrary<string>,
      {
        maxLength: 10
      }
    ),
    { nil: undefined }
  )
})

const edit = (text: string) =>
  FastCheck.tuple(
    FastCheck.nat(text.length),
    FastCheck.nat(2),
    FastCheck.oneof(
      FastCheck.constantFrom("", "\n", "\r", "\t", " ", ":", "@", "-", "0", "A", "z"),
      FastCheck.string({ maxLength: 2 })
    )
  ).map(([at, length, piece]) => text.slice(0, at) + piece + text.slice(at + length))

/** Generates messages, some with unusual fields, a line repeated, removed or moved, or some letters changed. */
const anyMessage = anyFields.map(signInMessage).chain((text) => {
  const lines = text.split("\n")
  const line = FastCheck.nat(lines.length - 1)
  return FastCheck.oneof(
    { arbitrary: FastCheck.constant(text), weight: 5 },
    { arbitrary: edit(text), weight: 3 },
    line.map((at) => lines.toSpliced(at, 1).join("\n")),
    FastCheck.tuple(line, line).map(([from, to]) => lines.toSpliced(to, 0, lines[from]!).join("\n"))
  )
})
