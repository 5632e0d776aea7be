/** Tests of the error texts of refused sign-ins, which name the fault and the expected value. */
import { expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { AuthService, layer } from "./AuthService.ts"
import { type MessageFields, wallet } from "./Wallet.ts"

it.layer(layer(), { excludeTestServices: true, timeout: "60 seconds" })("texts of refused sign-ins", (it) => {
  const words = Effect.fnUntraced(function* (body: unknown) {
    const { token } = yield* AuthService
    const { body: answer, status } = yield* token("web3", body)
    expect(answer.msg).toBe(answer.error_description)
    return [status, answer.error_code, answer.msg]
  })

  it.effect("returns the checksummed form for an address without an EIP-55 checksum", () =>
    Effect.gen(function* () {
      const own = wallet()
      const { message } = yield* own.proof()
      const lower = message.replace(own.address, own.address.toLowerCase())
      const proof = { chain: "ethereum", message: lower, signature: yield* own.sign(lower) }
      expect(yield* words(proof)).toEqual([
        400,
        "validation_failed",
        `The address must have its EIP-55 checksum: ${own.address}`
      ])
    })
  )

  it.effect("an error names the faulty line of a text that is not an EIP-4361 message", () =>
    Effect.gen(function* () {
      const { message, ...proof } = yield* wallet().proof()
      const textFor = (text: string) => Effect.map(words({ ...proof, message: text }), (answer) => answer[2])
      expect(yield* textFor("Hello".padEnd(64, "."))).toContain("not an EIP-4361 message")
      expect(yield* textFor(message.replace("Version: 1", "Version: 2"))).toContain("Version: 1")
      expect(yield* textFor(message.replace(/Nonce: .*/, "Nonce: short"))).toContain("8 to 128 letters and digits")
      expect(yield* textFor(message.replace(/Chain ID: .*/, "Chain ID: 0x1"))).toContain("a whole number above 0")
      expect(yield* textFor(message.replace(/\n0x.*/, "\n0x1"))).toContain("0x and 40 hex digits")
      expect(yield* textFor("short")).toBe("The message must be 64 to 20480 ASCII characters")
      expect((yield* words({ ...proof, message, signature: "0x" }))[2]).toBe(
        "The signature must be 0x and 130 hex digits"
      )
    })
  )

  it.effect("an error about a sign-in message names the expected statement, page, domain or time", () =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const textFor = (change: Partial<MessageFields>) =>
        Effect.flatMap(wallet().proof(change), (proof) => Effect.map(words(proof), (answer) => String(answer[2])))
      expect(yield* textFor({ statement: "no" })).toMatch(/^The statement must be: Sign in to /)
      expect(yield* textFor({ uri: "https://evil.test/" })).toMatch(/wallets can sign in: https:\/\//)
      expect(yield* textFor({ domain: "evil.test" })).toMatch(/^The domain must match the URI: \S+$/)
      expect(yield* textFor({ issuedAtMillis: now - 601_000 })).toMatch(
        /more than ten minutes ago.*the venue's time is 20/
      )
      expect(yield* textFor({ issuedAtMillis: now + 90_000 })).toMatch(/more than 60 s ahead/)
    })
  )

  it.effect("names all missing members in one error, and names a missing CAPTCHA by the operator's member name", () =>
    Effect.gen(function* () {
      const { other } = yield* AuthService
      expect(yield* words({ chain: "ethereum" })).toEqual([
        400,
        "validation_failed",
        "message is required: a string; signature is required: a string"
      ])
      const { token } = yield* other({ captcha: "always" })
      for (const security of [{}, { acme_meta_security: {} }]) {
        const { body } = yield* token("web3", { ...(yield* wallet().proof()), ...security })
        expect([body.error_code, body.msg]).toEqual(["captcha_failed", "acme_meta_security.captcha_token is required"])
      }
    })
  )
})
