import * as ClientAddress from "@venue/gateway/http/ClientAddress"
import { nobody } from "@venue/gateway/http/Forwarded"
import { Option } from "effect"
import * as FastCheck from "fast-check"
import { expect, it } from "vitest"

const trusted = ["10.0.0.0/8", "2001:db8:ffff::/48"]
const addressOf = ClientAddress.from(trusted)
const caller = (headers: Record<string, string | ReadonlyArray<string>>, peer = "10.0.0.1"): string =>
  addressOf({ remoteAddress: Option.some(peer), headers })

/** Values of `for` as proxies write them, each with the address that the venue reads. */
const nodes: ReadonlyArray<readonly [text: string, address: string]> = [
  ["198.51.100.1", "198.51.100.1"],
  ["198.51.100.1:4711", "198.51.100.1"],
  ["198.51.100.1:_gate", "198.51.100.1"],
  ["2001:4860::1", "2001:4860::1"],
  ["2001:4860:0:0:0:0:0:1", "2001:4860::1"],
  ["2001:4860:0:0:A::1", "2001:4860::a:0:0:1"],
  ["[2001:4860::1]", "2001:4860::1"],
  ["[2001:4860::1]:443", "2001:4860::1"],
  ["[2001:4860::1]:_x1", "2001:4860::1"],
  ["::ffff:198.51.100.1", "198.51.100.1"],
  ["::FFFF:198.51.100.1", "198.51.100.1"],
  ["::ffff:c633:6401", "198.51.100.1"],
  ["0:0:0:0:0:ffff:c633:6401", "198.51.100.1"],
  ["[::ffff:198.51.100.1]", "198.51.100.1"],
  ["[::ffff:198.51.100.1]:4711", "198.51.100.1"],
  ["unknown", nobody],
  ["Unknown", nobody],
  ["unknown:80", nobody],
  ["_hidden", nobody],
  ["_SEVKISEK:80", nobody],
  ["", nobody],
  ["proxy.example", nobody],
  ["198.51.100", nobody],
  ["198.51.100.256", nobody],
  ["198.51.100.01", nobody],
  ["198.51.100.1:", nobody],
  ["198.51.100.1:123456", nobody],
  ["198.51.100.1:80:80", nobody],
  ["198.51.100.1/24", nobody],
  ["[198.51.100.1]", nobody],
  ["[2001:4860::1", nobody],
  ["2001:4860::1]", nobody],
  ["[2001:4860::1]443", nobody],
  ["[]", nobody],
  ["[2001:4860::1]:", nobody],
  ["2001:4860::1::2", nobody]
]

it.each(nodes)("reads the X-Forwarded-For header %j as the address %s", (text, address) => {
  expect(caller({ "x-forwarded-for": text })).toBe(address)
  expect(caller({ "x-forwarded-for": `"${text}"` })).toBe(address)
  expect(caller({ "x-forwarded-for": ` \t${text}\t ` })).toBe(address)
  expect(caller({ "x-forwarded-for": `203.0.113.66, ${text}, 10.0.0.2` })).toBe(address)
  expect(caller({ "x-forwarded-for": ["203.0.113.66", text] })).toBe(address)
})

it.each(nodes)("reads the Forwarded header for=%j as the address %s", (text, address) => {
  expect(caller({ forwarded: `for="${text}"` })).toBe(address)
  expect(caller({ forwarded: `for=${text}` })).toBe(address)
  expect(caller({ forwarded: `by=203.0.113.43;FOR="${text}";proto=https;host="a,b;c"` })).toBe(address)
  expect(caller({ forwarded: `for=203.0.113.66, For="${text}" ; by="_x", for="10.0.0.2:80"` })).toBe(address)
  expect(caller({ forwarded: ["for=203.0.113.66", `for="${text}"`] })).toBe(address)
})

it.each([
  ["an unclosed quote", `for="198.51.100.1`],
  ["text behind a quoted value", `for="198.51.100.1"x`],
  ["a value without a name", `198.51.100.1`],
  ["a name without a value", `for`],
  ["spaces around the equals sign", `for = 198.51.100.1`],
  ["no parameter", ``],
  ["spaces alone", ` `],
  ["an element without for", `for=198.51.100.1, proto=https;by=10.0.0.9`],
  ["for twice in an element", `for=198.51.100.1;For=198.51.100.2`],
  ["an empty last element", `for=198.51.100.1,`],
  ["a quote opened by a stranger around the proxy's element", `for=198.51.100.1;x=", for="[2001:4860::1]"`]
])("reads a Forwarded header with %s as an unknown address", (_, forwarded) => {
  expect(caller({ forwarded })).toBe(nobody)
})

it("unescapes characters in a quoted value", () => {
  expect(caller({ forwarded: String.raw`for="198.51.100\.1"` })).toBe("198.51.100.1")
})

it("treats an empty list and an empty last entry as an unknown address", () => {
  for (const list of ["", " ", "198.51.100.1,", "198.51.100.1, ,10.0.0.2"]) {
    expect(caller({ "x-forwarded-for": list })).toBe(nobody)
  }
})

it("treats two forwarding headers with different addresses as an unknown address", () => {
  const list = { "x-forwarded-for": "198.51.100.1:80" }
  expect(caller({ ...list, forwarded: "for=198.51.100.1" })).toBe("198.51.100.1")
  expect(caller({ ...list, forwarded: "for=203.0.113.7" })).toBe(nobody)
  expect(caller({ ...list, forwarded: "for=_hidden" })).toBe(nobody)
  expect(caller({ ...list, forwarded: "for=10.0.0.5" })).toBe(nobody)
})

it("ignores the forwarding headers of untrusted peers", () => {
  for (const [text] of nodes) {
    expect(caller({ "x-forwarded-for": text, forwarded: `for="${text}"` }, "203.0.113.7")).toBe("203.0.113.7")
  }
})

it("applies one limit to all unreadable addresses together, separate from the proxy's limit", () => {
  expect(ClientAddress.network(caller({ "x-forwarded-for": "_a" }))).toBe(nobody)
  expect(ClientAddress.network(caller({ "x-forwarded-for": "_b" }))).toBe(nobody)
  expect(ClientAddress.network(nobody)).not.toBe(ClientAddress.network("10.0.0.1"))
})

const anyNode = FastCheck.oneof(
  FastCheck.ipV4(),
  FastCheck.ipV6(),
  FastCheck.ipV6().map((address) => `[${address}]:443`),
  FastCheck.string({ maxLength: 20 }),
  FastCheck.constantFrom("unknown", "_x", '"', ",", ";for=", "\\")
)
const anyHeader = FastCheck.array(anyNode, { maxLength: 4 }).map((hops) => hops.join(","))
const anyForwarded = FastCheck.array(
  anyNode.map((node) => `for="${node}"`),
  { maxLength: 4 }
).map((elements) => elements.join(","))

it("reads the proxy's address or an unknown address, despite any text that a client sends before it", () => {
  const appended = FastCheck.ipV4().filter((address) => !address.startsWith("10."))
  FastCheck.assert(
    FastCheck.property(anyHeader, anyForwarded, appended, (list, forwarded, v4) => {
      expect(caller({ "x-forwarded-for": `${list}, ${v4}:5000` })).toBe(v4)
      expect([v4, nobody]).toContain(caller({ forwarded: `${forwarded}, for="${v4}"` }))
      expect([v4, nobody]).toContain(caller({ "x-forwarded-for": v4, forwarded }))
      expect([v4, nobody]).toContain(caller({ "x-forwarded-for": list, forwarded: `for=${v4}` }))
    }),
    { numRuns: 500 }
  )
})

it("never treats the proxy as the caller if the forwarded text is unreadable", () => {
  const unreadable = FastCheck.string({ maxLength: 30 }).filter((text) => !/[\d:]/.test(text))
  FastCheck.assert(
    FastCheck.property(unreadable, (text) => {
      expect(caller({ "x-forwarded-for": text })).toBe(nobody)
      expect(caller({ forwarded: text })).toBe(nobody)
      expect(caller({ forwarded: `for=${text}` })).toBe(nobody)
    }),
    { numRuns: 500 }
  )
})
