import { Redacted, Result } from "effect"
import { type BuilderTerms, read, termsOf, write } from "@venue/auth/wallet/BuilderMessage"
import { signerOf } from "@venue/auth/wallet/WalletSignature"
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { createHash, createHmac } from "node:crypto"
import { SiweMessage } from "siwe"
import { hashMessage } from "viem/utils"
import { issuedAtMillis, signInMessage, wallet } from "./Wallets.ts"

describe("BuilderMessage", () => {
  it("writes the API contract's example message exactly, except for the proof in the nonce", () => {
    const text = issue().replace(/(?<=Nonce: [0-9a-f]{32})[0-9a-f]{32}/, "0123456789abcdef".repeat(2))
    assert.strictEqual(text, vector)
    assert.strictEqual(text.length, 580)
    const sha256 = createHash("sha256").update(text).digest("hex")
    assert.strictEqual(sha256, "7445742c92a6b9e16158bb95e393e3e7fd3a62db4beb0da8e576a8cd36980d09")
    assert.strictEqual(hashMessage(text), "0x11f6f1baf8bb5a897d1a40bfc3ab11de5bf3ed05914fabfc6772bd90c612c032")
    assert.strictEqual(wallet(0x11).sign(text), vectorSignature)
    assert.strictEqual(signerOf(text, vectorSignature), wallet(0x11).address.toLowerCase())
  })

  it("B1: writes messages for chain 1 that are valid for ten minutes and that another strict parser accepts", () => {
    for (const address of [owner.address, owner.address.toLowerCase(), `0x${owner.address.slice(2).toUpperCase()}`]) {
      const text = issue({ address })
      const parsed = new SiweMessage(text)
      assert.strictEqual(parsed.toMessage(), text)
      assert.deepInclude(parsed, {
        address: owner.address,
        domain: "app.venue.example",
        uri: "https://app.venue.example/builder",
        chainId: 1,
        issuedAt: "2026-03-01T12:00:00.000Z",
        expirationTime: "2026-03-01T12:10:00.000Z"
      })
      assert.match(parsed.nonce, /^[0-9a-f]{64}$/)
      assert.strictEqual(outcome(text), "accepted")
    }
  })

  it("B1: writes a different nonce if the random bytes, the address, the builder code or the time differ", () => {
    const nonces = [
      issue(),
      issue({ random16: new Uint8Array(16) }),
      issue({ address: wallet(2).address }),
      issue({ builderCode: otherCode }),
      issue({ nowMillis: issuedAtMillis + 1 })
    ].map((text) => new SiweMessage(text).nonce.slice(32))
    assert.strictEqual(new Set(nonces).size, nonces.length)
  })

  it("the nonce consists of sixteen random bytes and a proof of those bytes", () => {
    assert.strictEqual(new SiweMessage(issue()).nonce, nonceBy("1", agreementUrl))
  })

  it("returns the wallet address and the agreement URL that a message names", () => {
    const { addressLower, agreementUrl, message, nonce } = Result.getOrThrow(read(terms, issue(), code, issuedAtMillis))
    assert.strictEqual(addressLower, owner.address.toLowerCase())
    assert.strictEqual(agreementUrl, "https://venue.example/legal/client-agreement")
    assert.strictEqual(nonce, message.nonce)
  })

  it("B3: rejects a message for another builder's code as malformed", () => {
    assert.strictEqual(outcome(issue({ builderCode: otherCode })), "malformed statement")
    assert.strictEqual(outcome(issue().replace(code, otherCode)), "malformed statement")
    assert.strictEqual(outcome(issue().replace(code, code.toUpperCase())), "malformed statement")
  })

  it("B4: rejects visible changes to the text as malformed", () => {
    const text = issue()
    const altered = {
      "malformed statement": [
        text.replace(agreementUrl, "https://evil.test/terms"),
        text.replace(` (${agreementUrl})`, ""),
        text.replace(/, and I accept.*/, "."),
        text.replace("trading-only ", ""),
        text.replace("Cookie Policy.", "Cookie Policy. ")
      ],
      "malformed fields": [
        text.replace("Chain ID: 1", "Chain ID: 42161"),
        text.replace(/\nExpiration Time.*/, ""),
        `${text}\nNot Before: 2026-03-01T12:00:00.000Z`,
        `${text}\nRequest ID: 1`,
        `${text}\nResources:\n- https://app.venue.example/`
      ],
      "malformed grammar": [text.replace("Version: 1", "Version: 2"), `${text}\n`],
      "malformed address": [text.replace(owner.address, owner.address.toLowerCase())],
      "malformed length": [
        "x".repeat(63),
        "x".repeat(20_481),
        // I48: A text more than twice as long as the template is rejected before it is parsed, because parsing time
        // grows with the length.
        text.replace("https://app.venue.example/builder", (uri) => uri + "/".repeat(text.length + 1))
      ]
    }
    for (const [expected, texts] of Object.entries(altered)) {
      for (const altered of texts) assert.strictEqual(outcome(altered), expected, altered)
    }
  })

  it("B4: rejects changes that only the venue's proof can detect, even if the wallet signed the changed text", () => {
    const text = issue()
    const altered = {
      "untrusted site": [
        text.replace("app.venue.example wants", "evil.test wants"),
        text.replace("https://app.venue.example/builder", "https://app.venue.example/login")
      ],
      "untrusted changed": [
        text.replace("12:10:00.000Z", "12:10:00.001Z"),
        text.replace("12:10:00.000Z", "12:10:00Z"),
        text.replace("12:00:00.000Z", "12:00:00Z"),
        text.replace("12:00:00.000Z", "12:00:00.0000Z"),
        text.replace("12:00:00.000Z", "14:00:00.000+02:00"),
        text.replace("12:00:00.000Z", "12:01:00.000Z")
      ],
      "untrusted nonce": [
        text.replace(owner.address, wallet(2).address),
        text.replace("12:00:00.000Z", "12:01:00.000Z").replace("12:10:00.000Z", "12:11:00.000Z"),
        text.replace(/Nonce: .*/, "Nonce: k3J9sQ2mXv7TzB1c"),
        text.replace(/Nonce: .*/, `Nonce: ${"0".repeat(64)}`),
        text.replace(/Nonce: .*/, ([...nonce]) => `Nonce: ${nonce.slice(7).join("").toUpperCase()}`),
        text.replace(/(?<=Nonce: .*)\n/, "0\n"),
        vector
      ]
    }
    for (const [expected, texts] of Object.entries(altered)) {
      for (const altered of texts) {
        assert.notStrictEqual(altered, text)
        assert.strictEqual(outcome(altered), expected, altered)
      }
    }
  })

  it("X4: rejects a message after any run of its bytes has been replaced", () => {
    const text = issue()
    FastCheck.assert(
      FastCheck.property(
        FastCheck.nat(text.length),
        FastCheck.nat(3),
        FastCheck.string({ maxLength: 3 }),
        (at, length, piece) => {
          const edited = text.slice(0, at) + piece + text.slice(at + length)
          return edited === text || outcome(edited) !== "accepted"
        }
      ),
      { numRuns: 1_000 }
    )
  })

  it("B5: accepts a message from five seconds before its issue time until ten minutes after", () => {
    const seconds = [-5.001, -5, 0, 599.999, 600, 600.001, 86_400]
    assert.deepStrictEqual(
      seconds.map((after) => outcome(issue(), terms, issuedAtMillis + after * 1_000)),
      [
        "untrusted future",
        "accepted",
        "accepted",
        "accepted",
        "untrusted expired",
        "untrusted stale",
        "untrusted stale"
      ]
    )
  })

  it("B5: accepts a message on any node with the same settings", () => {
    const elsewhere = Result.getOrThrow(termsOf({ ...settings, macKey: Redacted.make("k".repeat(32)) }))
    assert.strictEqual(outcome(issue(), elsewhere), "accepted")
  })

  it("B9: rejects a sign-in message", () => {
    assert.strictEqual(outcome(signInMessage()), "malformed fields")
    const like = signInMessage({ chainId: "1", expirationTime: "2026-03-01T12:10:00.000Z" })
    assert.strictEqual(outcome(like), "malformed statement")
  })

  it("B11: rejects a message that another venue issued, or that was issued under another key", () => {
    const before = { uri: "https://pre.venue.example/builder", macKey: otherKey }
    assert.strictEqual(outcome(issue({}, { ...terms, ...before })), "untrusted site")
    assert.strictEqual(outcome(issue({}, { ...terms, macKey: otherKey })), "untrusted nonce")
  })

  it("accepts messages issued under a replaced key until they expire", () => {
    const untilMillis = issuedAtMillis + 300_000
    const rotated = { ...terms, macKey: otherKey, otherMacKey: { key: terms.macKey, untilMillis } }
    assert.strictEqual(outcome(issue(), rotated, untilMillis - 1), "accepted")
    assert.strictEqual(outcome(issue(), rotated, untilMillis), "untrusted nonce")
    assert.strictEqual(outcome(issue({}, rotated), rotated, untilMillis), "accepted")
  })

  it("B4: accepts messages with replaced terms until they expire", () => {
    const untilMillis = issuedAtMillis + 300_000
    const previous = {
      version: "0",
      statement: "Builder {builder_code} may trade for me at {service_name} as agreed ({agreement_url}).",
      serviceName: "Old Venue",
      agreementUrl: "https://venue.example/legal/old"
    }
    const changed = Result.getOrThrow(termsOf({ ...settings, otherTemplate: { ...previous, untilMillis } }))
    const oldMessage = (version: string) =>
      signInMessage({
        statement: `Builder ${code} may trade for me at Old Venue as agreed (${previous.agreementUrl}).`,
        uri: settings.uri,
        chainId: "1",
        nonce: nonceBy(version, previous.agreementUrl),
        expirationTime: "2026-03-01T12:10:00.000Z"
      })
    const old = oldMessage("0")
    const accepted = Result.getOrThrow(read(changed, old, code, untilMillis - 1))
    assert.strictEqual(accepted.agreementUrl, previous.agreementUrl)
    assert.strictEqual(outcome(old, changed, untilMillis), "untrusted changed")
    assert.strictEqual(outcome(oldMessage("1"), changed), "untrusted nonce")
    assert.strictEqual(outcome(old), "malformed statement")
  })

  it("fails at startup if the configured terms cannot be signed or name another site", () => {
    const faults = (changes: Partial<BuilderTerms>) => {
      const refused = Result.flip(termsOf({ ...settings, ...changes }))
      return Result.isSuccess(refused) ? refused.success.fault : undefined
    }
    const otherTemplate = { version: "0", serviceName: "Old", agreementUrl, untilMillis: 0 }
    assert.isUndefined(faults({}))
    assert.strictEqual(faults({ uri: "http://app.venue.example/builder" }), "uri")
    assert.strictEqual(faults({ uri: "https://app.venue.example:443/builder" }), "uri")
    assert.strictEqual(faults({ uri: "https://user@app.venue.example/builder" }), "uri")
    assert.strictEqual(faults({ agreementUrl: "http://venue.example/legal" }), "agreement_url")
    assert.strictEqual(faults({ agreementUrl: "legal" }), "agreement_url")
    assert.strictEqual(faults({ agreementUrl: "https://venue.example/a%20b" }), "statement")
    assert.strictEqual(faults({ serviceName: "Börse" }), "statement")
    assert.strictEqual(faults({ serviceName: "Example\nVenue" }), "statement")
    assert.strictEqual(faults({ serviceName: "{agreement_url}" }), "statement")
    for (const statement of [
      "I agree.",
      "{builder_code} {service_name}",
      "{builder_code} ({agreement_url}) for {service_name} é"
    ]) {
      assert.strictEqual(faults({ otherTemplate: { ...otherTemplate, statement } }), "statement")
    }
    assert.isUndefined(faults({ serviceName: "$& and $1" }))
  })
})

const owner = wallet(0x11)
const code = "7d3f0a52-9c1e-4b7a-8a55-0f2f6f0c9b11"
const otherCode = "7d3f0a52-9c1e-4b7a-8a55-0f2f6f0c9b12"
const agreementUrl = "https://venue.example/legal/client-agreement"
const otherKey = Redacted.make("another key, known to another venue")

const settings: BuilderTerms = {
  serviceName: "Example Venue",
  uri: "https://app.venue.example/builder",
  agreementUrl,
  macKey: Redacted.make("k".repeat(32))
}
const terms = Result.getOrThrow(termsOf(settings))

const random16 = Uint8Array.from({ length: 16 }, (_, n) => n * 0x11)

/** Computes the nonce as the contract defines it. */
const nonceBy = (version: string, agreementUrl: string): string => {
  const address = owner.address.toLowerCase()
  const parts = ["builder-msg", version, "app.venue.example", settings.uri, agreementUrl, address, code]
  const bytes = Buffer.concat([Buffer.from(`${parts.join("\0")}\0${"2026-03-01T12:00:00.000Z"}\0`), random16])
  const proof = createHmac("sha256", "k".repeat(32)).update(bytes).digest("hex")
  return Buffer.from(random16).toString("hex") + proof.slice(0, 32)
}

const issue = (changes: Partial<Parameters<typeof write>[1]> = {}, under: BuilderTerms = terms): string =>
  write(under, {
    address: owner.address,
    builderCode: code,
    nowMillis: issuedAtMillis,
    random16,
    ...changes
  })

const outcome = (text: string, under: BuilderTerms = terms, nowMillis = issuedAtMillis): string =>
  Result.match(read(under, text, code, nowMillis), {
    onFailure: ({ fault, side }) => `${side} ${fault}`,
    onSuccess: () => "accepted"
  })

const vector = signInMessage({
  statement:
    `I authorize builder code ${code} to obtain a trading-only API key for my main account at Example Venue, ` +
    `and I accept the Client Agreement (${agreementUrl}), the Privacy Policy and the Cookie Policy.`,
  uri: "https://app.venue.example/builder",
  chainId: "1",
  nonce: "00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef",
  expirationTime: "2026-03-01T12:10:00.000Z"
})

const vectorSignature =
  "0x9380a9bbe77ee64acff76705647bdfc4317aed64bb0667d6b1ff1274185b2e27" +
  "10d76c061cdf00320d931e3c1453783957208cadb7b09495c9e96b1490eaa01b1b"
