import { faultOf, isRegistered, withParameters } from "@venue/auth/oauth/RedirectUri"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

describe("RedirectUri", () => {
  it("accepts an https URL in the normalised form that browsers produce", () => {
    for (const uri of [
      "https://rp.example/",
      "https://rp.example/cb",
      "https://rp.example:8443/cb?tenant=7&x=%2F",
      "https://xn--bcher-kva.example/cb",
      "https://127.0.0.1/cb",
      "https://rp.example/%7Euser/cb"
    ]) {
      assert.isUndefined(faultOf(uri, { loopback: false }), uri)
    }
  })

  for (const [uri, fault] of [
    ["", "characters"],
    ["/cb", "form"],
    ["rp.example/cb", "form"],
    ["//rp.example/cb", "form"],
    ["http://rp.example/cb", "scheme"],
    ["http://localhost:57423/callback", "scheme"],
    ["javascript:alert(1)", "scheme"],
    ["data:text/html,x", "scheme"],
    ["myapp://callback", "scheme"],
    ["https://rp.example/cb#", "fragment"],
    ["https://rp.example/cb#x", "fragment"],
    ["https://user@rp.example/cb", "userinfo"],
    ["https://user:secret@rp.example/cb", "userinfo"],
    ["https://@rp.example/cb", "form"],
    ["https://*.rp.example/cb", "wildcard"],
    ["https://rp.example/*", "wildcard"],
    ["https://rp.example\\cb", "characters"],
    ["https://rp.example/cb?x=\\", "characters"],
    ["https://rp.example/c b", "characters"],
    ["https://rp.example/cb\n", "characters"],
    [" https://rp.example/cb", "characters"],
    ["https://rp.example/\u0000", "characters"],
    ["https://bücher.example/cb", "characters"],
    ["https://rp.example/%zz", "characters"],
    ["https://rp.example/cb?x=%2", "characters"],
    ["https://rp.example/a/../cb", "form"],
    ["https://rp.example/./cb", "form"],
    ["https://rp.example/a/%2e%2E/cb", "form"],
    ["https://RP.example/cb", "form"],
    ["HTTPS://rp.example/cb", "form"],
    ["https://rp.example:443/cb", "form"],
    ["https:/rp.example/cb", "form"],
    ["https:///rp.example/cb", "form"],
    ["https://rp.example", "form"],
    ["https://rp.example:99999/cb", "form"],
    ["https://0x7f.1/cb", "form"],
    ["https://rp.example/cb?state=1", "reserved_parameter"],
    ["https://rp.example/cb?x=1&iss=2", "reserved_parameter"],
    [`https://rp.example/${"x".repeat(2_000)}`, "length"]
  ] as const) {
    it(`rejects ${JSON.stringify(uri.slice(0, 60))}: ${fault}`, () => {
      assert.strictEqual(faultOf(uri, { loopback: false }), fault)
    })
  }

  it("accepts loopback URLs with a port if the operator allows them", () => {
    const fault = (uri: string) => faultOf(uri, { loopback: true })
    assert.isUndefined(fault("http://localhost:57423/callback"))
    assert.isUndefined(fault("http://127.0.0.1:57423/callback"))
    assert.isUndefined(fault("http://[::1]:57423/callback"))
    assert.strictEqual(fault("http://localhost/callback"), "loopback_port")
    assert.strictEqual(fault("http://localhost:80/callback"), "form")
    assert.strictEqual(fault("http://127.0.0.2:57423/callback"), "scheme")
    assert.strictEqual(fault("http://localhost.rp.example:57423/callback"), "scheme")
    assert.strictEqual(fault("ws://localhost:57423/callback"), "scheme")
    assert.strictEqual(fault("http://user@localhost:57423/callback"), "userinfo")
  })

  it("A3: appends parameters that decode to the same bytes, and keeps an existing query", () => {
    const text = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) })
    fc.assert(
      fc.property(fc.constantFrom("https://rp.example/cb", "https://rp.example/cb?x=%2F"), text, (uri, state) => {
        const url = withParameters(uri, { error: "access_denied", missing: undefined, state })
        assert.isTrue(url.startsWith(uri))
        assert.match(url, /^[\x21-\x7e]+$/)
        const { searchParams } = new URL(url)
        assert.strictEqual(searchParams.get("state"), state)
        assert.strictEqual(searchParams.get("error"), "access_denied")
        assert.isFalse(searchParams.has("missing"))
        assert.strictEqual(searchParams.size, uri.includes("?") ? 3 : 2)
      })
    )
  })

  it("A3: matches a registered loopback URL with any port, but requires every other part to be identical", () => {
    const four = "http://127.0.0.1:57423/callback"
    const six = "http://[::1]:57423/callback?x=1"
    for (const port of [":1", ":8080", ":65535", ""]) {
      assert.isTrue(isRegistered([four], `http://127.0.0.1${port}/callback`), port)
      assert.isTrue(isRegistered([four, six], `http://[::1]${port}/callback?x=1`), port)
    }
    const strange = [
      "http://127.0.0.1:0/callback",
      "http://127.0.0.1:65536/callback",
      "http://127.0.0.1:080/callback",
      "http://127.0.0.1:/callback",
      "http://127.0.0.1:8080",
      "http://127.0.0.1:8080/callback/",
      "http://127.0.0.1:8080/Callback",
      "http://127.0.0.1:8080/callback?x=1",
      "http://127.0.0.1:8080/callback#x",
      "http://127.0.0.1:80@evil.test/callback",
      "http://127.0.0.2:57423/callback",
      "http://localhost:57423/callback",
      "http://[::1]:57423/callback",
      "https://127.0.0.1:57423/callback",
      "HTTP://127.0.0.1:57423/callback"
    ]
    for (const uri of strange) assert.isFalse(isRegistered([four], uri), uri)
    const named = "http://localhost:57423/callback"
    assert.isTrue(isRegistered([named], named))
    assert.isFalse(isRegistered([named], "http://localhost:57424/callback"))
    assert.isFalse(isRegistered(["https://rp.example:8443/cb"], "https://rp.example:8444/cb"))
  })
})
