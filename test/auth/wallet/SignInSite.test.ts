import { Result } from "effect"
import { objection, sitesOf } from "@venue/auth/wallet/SignInSite"
import { read } from "@venue/auth/wallet/WalletMessage"
import { assert, describe, it } from "@effect/vitest"
import { type MessageFields, signInMessage } from "./Wallets.ts"

describe("SignInSite", () => {
  it("accepts a message for a listed page with that page's domain", () => {
    assert.strictEqual(verdict({}), "accepted")
    assert.strictEqual(
      verdict({ domain: "desk.venue.example:8443", uri: "https://desk.venue.example:8443/" }),
      "accepted"
    )
    assert.strictEqual(verdict({ uri: "https://bare.venue.example", domain: "bare.venue.example" }), "accepted")
  })

  it("W7: rejects a message with a domain that only resembles a listed domain", () => {
    const domains = [
      "evil.test",
      "www.app.venue.example",
      "venue.example",
      "app.venue.example.evil.test",
      "app.venue.example.",
      "app.venue.example:8443",
      "app.venue.example:443",
      "app.venue.example:",
      "user@app.venue.example",
      "app.venue.example@evil.test",
      "APP.venue.example",
      "https://app.venue.example",
      "localhost",
      "localhost:5173",
      "[::1]",
      "xn--pp-7ka.venue.example",
      "аpp.venue.example",
      "app%2Evenue.example",
      "desk.venue.example:8443",
      ""
    ]
    for (const domain of domains) assert.notStrictEqual(verdict({ domain }), "accepted", domain)
  })

  it("W8: rejects a message for a page that only resembles a listed page", () => {
    const uris = [
      "https://evil.test/login",
      "http://app.venue.example/login",
      "ftp://app.venue.example/login",
      "javascript:alert(1)",
      "https://app.venue.example/",
      "https://app.venue.example",
      "https://app.venue.example/login2",
      "https://app.venue.example/login?next=/",
      "https://app.venue.example/login?",
      "https://app.venue.example/login#a",
      "https://app.venue.example/login#",
      "https://app.venue.example/login/",
      "https://app.venue.example//login",
      "https://app.venue.example/x/../login",
      "https://app.venue.example%2Flogin",
      "https://app.venue.example/%6Cogin",
      "https://user@app.venue.example/login",
      "https://app.venue.example:443/login",
      "https://app.venue.example:8443/login",
      "HTTPS://app.venue.example/login",
      "https://APP.venue.example/login",
      "https://app.venue.example./login",
      "//app.venue.example/login",
      "/login",
      ""
    ]
    for (const uri of uris) assert.notStrictEqual(verdict({ uri }), "accepted", uri)
  })

  it("W8: rejects a message from a listed site's page if the message names another listed site's domain", () => {
    assert.strictEqual(verdict({ domain: "desk.venue.example:8443" }), "domain")
    assert.strictEqual(verdict({ uri: "https://desk.venue.example:8443/" }), "domain")
    assert.strictEqual(verdict({ domain: "evil.test", uri: "https://evil.test/login" }), "uri")
  })

  it("accepts only https sites in the normalised form that browsers produce", () => {
    const odd = [
      "",
      "app.venue.example",
      "http://app.venue.example/",
      "javascript:alert(1)",
      "https://",
      "https:app.venue.example",
      "https://APP.venue.example/",
      "https://app.venue.example:443/",
      "https://user@app.venue.example/",
      "https://:secret@app.venue.example/",
      "https://@app.venue.example/",
      "https://app.venue.example/a/../b",
      "https://app.venue.example\\login",
      "https://app.venue.example/log in",
      " https://app.venue.example/",
      "https://app.venue.example/\n",
      "https://аpp.venue.example/",
      "https://app.venue.example?a"
    ]
    for (const uri of odd) {
      const refused = Result.flip(sitesOf(["https://app.venue.example/", uri], { allowLoopback: true }))
      assert.strictEqual(Result.getOrThrow(refused).uri, uri)
    }
  })

  it("W7: accepts a loopback site only if the settings allow it, and only with exactly the site's URI and domain", () => {
    const uri = "http://localhost:5173/login"
    assert.isTrue(Result.isFailure(sitesOf([uri], { allowLoopback: false })))
    assert.deepStrictEqual(
      Result.getOrThrow(sitesOf([uri, "http://127.0.0.1:4002/sign-in", "http://[::1]/"], { allowLoopback: true })),
      [
        { uri, domain: "localhost:5173" },
        { uri: "http://127.0.0.1:4002/sign-in", domain: "127.0.0.1:4002" },
        { uri: "http://[::1]/", domain: "[::1]" }
      ]
    )
    for (const other of ["http://localhost.evil.test/", "http://127.0.0.1.evil.test/", "http://venue.example/"]) {
      assert.isTrue(Result.isFailure(sitesOf([other], { allowLoopback: true })), other)
    }
    const local = Result.getOrThrow(sitesOf([uri], { allowLoopback: true }))
    assert.strictEqual(objection(local, { uri, domain: "evil.test" }), "domain")
    assert.strictEqual(objection(local, { uri: "http://localhost:5173/", domain: "localhost:5173" }), "uri")
  })
})

const sites = Result.getOrThrow(
  sitesOf(["https://app.venue.example/login", "https://desk.venue.example:8443/", "https://bare.venue.example"], {
    allowLoopback: false
  })
)

/** Returns the result of parsing a message with these fields, and then of the site check. */
const verdict = (fields: Partial<MessageFields>): string =>
  Result.match(read(signInMessage(fields)), {
    onFailure: ({ fault }) => `malformed ${fault}`,
    onSuccess: (message) => objection(sites, message) ?? "accepted"
  })
