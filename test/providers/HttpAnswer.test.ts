/** Tests that text from other servers is sanitised for logs. */
import { hiding, refusalOf } from "@venue/providers/HttpAnswer"
import { assert, it } from "@effect/vitest"

const url = "https://name:canary-password@canary-host.example/v2/canary-path?key=canary-query"

for (const [secret, text, expected] of [
  ["Bearer canary-key", "Invalid API key canary-key", "Invalid API key …"],
  ["Bearer canary-key", "Bearer canary-key is out of its plan", "… is out of its plan"],
  ["Bearer canary-key", "a Bearer token is missing", "a Bearer token is missing"],
  ["Token token=canary-key", "no such key: canary-key", "no such key: …"],
  ["canary-name:canary-word", "user canary-name has another password", "user … has another password"],
  [`Basic ${btoa("canary-name:canary-word")}`, "canary-word is not that of canary-name", "… is not that of …"],
  [`Basic ${btoa("canary-name:canary-word")}`, btoa("canary-name:canary-word"), "…"],
  ["", "no account at canary-host.example for canary-path and canary-query", "no account at … for … and …"]
] as const)
  it(`hides the parts of ${JSON.stringify(secret)} in ${JSON.stringify(text)}`, () => {
    assert.strictEqual(hiding(url, secret)(text), expected)
  })

it("replaces a run of control characters and line breaks by one space", () => {
  assert.strictEqual(
    hiding(url)("one\r\n2026 ERROR\u0000\u001b[31m two\u2028three\u202e"),
    "one 2026 ERROR [31m two three"
  )
})

it("replaces the half of a surrogate pair that remains where the text is cut", () => {
  assert.strictEqual(hiding(url)(`${"x".repeat(299)}\u{1f4a5}`), `${"x".repeat(299)}\ufffd`)
})

it("hides a secret before it cuts the text, so that no part of the secret remains", () => {
  const text = `${"x".repeat(290)}canary-key-with-many-characters`
  for (const hidden of [
    hiding(url, "canary-key-with-many-characters")(text),
    refusalOf(text, hiding(url, text.slice(290)))
  ])
    assert.strictEqual(hidden, `${"x".repeat(290)}…`)
})
