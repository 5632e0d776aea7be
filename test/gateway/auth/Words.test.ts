/** The words of refused sign-ins: what is wrong, and the value that would be right. */
import { expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { AuthService, layer } from "./AuthService.ts"
import { type Said, wallet } from "./Wallet.ts"

it.layer(layer(), { excludeTestServices: true, timeout: "60 seconds" })("the words of a refused sign-in", (it) => {
  const words = Effect.fnUntraced(function* (body: unknown) {
    const { token } = yield* AuthService
    const { body: answer, status } = yield* token("web3", body)
    expect(answer.msg).toBe(answer.error_description)
    return [status, answer.error_code, answer.msg]
  })

  it.effect("an address without its EIP-55 checksum is answered with the checksummed one", () =>
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

  it.effect("text that is no EIP-4361 message, and a line without its right form, are named", () =>
    Effect.gen(function* () {
      const { message, ...proof } = yield* wallet().proof()
      const said = (text: string) => Effect.map(words({ ...proof, message: text }), (answer) => answer[2])
      expect(yield* said("Hello".padEnd(64, "."))).toContain("not an EIP-4361 message")
      expect(yield* said(message.replace("Version: 1", "Version: 2"))).toContain("Version: 1")
      expect(yield* said(message.replace(/Nonce: .*/, "Nonce: short"))).toContain("8 to 128 letters and digits")
      expect(yield* said(message.replace(/Chain ID: .*/, "Chain ID: 0x1"))).toContain("a whole number above 0")
      expect(yield* said(message.replace(/\n0x.*/, "\n0x1"))).toContain("0x and 40 hex digits")
      expect(yield* said("short")).toBe("The message has to be 64 to 20480 ASCII characters")
      expect((yield* words({ ...proof, message, signature: "0x" }))[2]).toBe(
        "The signature has to be 0x and 130 hex digits"
      )
    })
  )

  it.effect("another statement, page, domain or time is answered with what would be right", () =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const said = (change: Partial<Said>) =>
        Effect.flatMap(wallet().proof(change), (proof) => Effect.map(words(proof), (answer) => String(answer[2])))
      expect(yield* said({ statement: "no" })).toMatch(/^The statement has to be: Sign in to /)
      expect(yield* said({ uri: "https://evil.test/" })).toMatch(/may sign in for here: https:\/\//)
      expect(yield* said({ domain: "evil.test" })).toMatch(/^The domain has to be that of the URI: \S+$/)
      expect(yield* said({ issuedAtMillis: now - 601_000 })).toMatch(/more than ten minutes ago.*the time here is 20/)
      expect(yield* said({ issuedAtMillis: now + 90_000 })).toMatch(/more than 60 s ahead/)
    })
  )

  it.effect("missing members are named together, and a missing captcha by the operator's member", () =>
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
