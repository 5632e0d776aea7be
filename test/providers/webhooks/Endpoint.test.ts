import { endpointOf, hostOf } from "@venue/providers/webhooks/Endpoint"
import { Result } from "effect"
import { expect, it } from "vitest"

const refusal = (url: string, allowsLoopback = false): string | undefined =>
  Result.match(endpointOf(url, allowsLoopback), { onFailure: ({ expected }) => expected, onSuccess: () => undefined })

it.each([
  "https://example.com",
  "https://example.com:443/venue",
  "https://Hooks.example.com:8443/venue?of=me",
  "https://xn--bcher-kva.example/",
  "https://8.8.8.8/",
  "https://[2606:4700::1111]/"
])("accepts %s as a webhook URL", (url) => {
  expect(refusal(url)).toBeUndefined()
})

const hosts = `localhost localhost. a.localhost printer printer.local a.internal a.lan a.test router.home.arpa a.onion
  1.0.0.127.in-addr.arpa a.invalid wiki.intranet 127.0.0.1 2130706433 0x7f.1 017700000001 127.1 10.0.0.1 169.254.169.254
  [::1] [::ffff:127.0.0.1] [fd00::1] [fe80::1] 0.0.0.0 100.64.1.1 224.0.0.1 １２７.0.0.1`.split(/\s+/)

const refused: ReadonlyArray<readonly [expected: RegExp, urls: ReadonlyArray<string>]> = [
  [/absolute URL/, ["", "example.com/venue", "/venue", "https://", `https://example.com/${"a".repeat(2_048)}`]],
  [/begins with https:/, ["http://example.com", "ftp://example.com", "file:///etc/passwd", "javascript:alert(1)"]],
  [/user name or password/, ["https://user@example.com", "https://user:pass@example.com", "https://:p@example.com"]],
  [/fragment/, ["https://example.com/#", "https://example.com/#a"]],
  [/443 or 8443/, ["https://example.com:22", "https://example.com:80", "https://example.com:8444"]],
  [/public host/, hosts.map((host) => `https://${host}/`)]
]

it.each(refused.flatMap(([expected, urls]) => urls.map((url) => [url, expected] as const)))(
  "rejects %s as a webhook URL: %s",
  (url, expected) => {
    expect(refusal(url)).toMatch(expected)
  }
)

it("loopback mode also accepts URLs of this machine, over http and on any port", () => {
  for (const url of ["http://localhost:3000/a", "http://127.0.0.1:3000", "https://[::1]:9000", "https://localhost"]) {
    expect(refusal(url, true)).toBeUndefined()
  }
  expect(refusal("http://example.com", true)).toMatch(/begins with https:/)
  expect(refusal("ftp://localhost", true)).toMatch(/begins with https:/)
  expect(refusal("http://user@localhost", true)).toMatch(/user name or password/)
  expect(refusal("https://10.0.0.1", true)).toMatch(/public host/)
  expect(refusal("https://example.com:3000", true)).toMatch(/443 or 8443/)
})

it("returns an IPv6 host without its brackets", () => {
  expect(hostOf(new URL("https://[2606:4700::1111]/"))).toBe("2606:4700::1111")
  expect(hostOf(new URL("https://Example.com/"))).toBe("example.com")
})
