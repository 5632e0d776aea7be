import * as ClientAddress from "@venue/gateway/http/ClientAddress"
import { Option } from "effect"
import { Headers } from "effect/http"
import type { IncomingMessage } from "node:http"
import { expect, it } from "vitest"

const addressOf = (trusted: ReadonlyArray<string>, peer: string, forwarded?: string): string =>
  ClientAddress.from(trusted)({
    remoteAddress: Option.some(peer),
    headers: Headers.fromInput(forwarded === undefined ? {} : { "x-forwarded-for": forwarded })
  })

it("W16: uses the forwarded address only if a trusted proxy sent it", () => {
  expect(addressOf([], "203.0.113.7", "198.51.100.1")).toBe("203.0.113.7")
  expect(addressOf(["10.0.0.0/8"], "203.0.113.7", "198.51.100.1")).toBe("203.0.113.7")
  expect(addressOf(["10.0.0.0/8"], "10.1.2.3", "198.51.100.1")).toBe("198.51.100.1")
  expect(addressOf(["10.0.0.0/8"], "::ffff:10.1.2.3", "198.51.100.1")).toBe("198.51.100.1")
  expect(addressOf(["2001:db8::/32"], "2001:db8::1", "2001:4860::1")).toBe("2001:4860::1")
})

it("uses the last forwarded address that is not a trusted proxy", () => {
  const trusted = ["10.0.0.0/8", "192.0.2.1"]
  expect(addressOf(trusted, "10.0.0.1", "1.1.1.1, 198.51.100.1, 192.0.2.1, 10.0.0.2")).toBe("198.51.100.1")
  expect(addressOf(trusted, "10.0.0.1", "10.0.0.3, 10.0.0.2")).toBe("10.0.0.3")
})

it("uses the proxy's own address if the proxy forwards none", () => {
  expect(addressOf(["10.0.0.0/8"], "10.0.0.1")).toBe("10.0.0.1")
})

it("treats an unreadable forwarded address as unknown and not as the proxy's address", () => {
  const trusted = ["10.0.0.0/8"]
  expect(addressOf(trusted, "10.0.0.1", "")).toBe("unknown")
  expect(addressOf(trusted, "10.0.0.1", "198.51.100.1, unknown")).toBe("unknown")
  expect(addressOf(trusted, "10.0.0.1", "198.51.100.1, unknown, 10.0.0.2")).toBe("unknown")
})

it("rejects a trusted-proxy setting that is neither an IP address nor a network", () => {
  const odd = ["10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/", "10.0.0.0/8/8", "10.0.0.0/08", "10.0.0", "fe80::1%eth0"]
  for (const proxy of ["", "proxy.example", ...odd]) {
    expect(() => ClientAddress.from([proxy])).toThrow(proxy)
  }
})

it("applies one limit to all addresses of an IPv6 /64 network, and a separate limit to each IPv4 address", () => {
  expect(ClientAddress.network("203.0.113.7")).toBe("203.0.113.7")
  expect(ClientAddress.network("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64")
  expect(ClientAddress.network("2001:DB8:1:2::9")).toBe("2001:db8:1:2::/64")
  expect(ClientAddress.network("2001:db8::9")).toBe("2001:db8:0:0::/64")
  expect(ClientAddress.network("fe80::1%eth0")).toBe("fe80:0:0:0::/64")
  expect(ClientAddress.network("::1")).toBe("0:0:0:0::/64")
  expect(ClientAddress.network("")).toBe("")
})

const countryOf = (trusted: ReadonlyArray<string>, peer: string, headers: Record<string, string>, header?: string) =>
  ClientAddress.countryFrom(trusted, header)({ remoteAddress: Option.some(peer), headers: Headers.fromInput(headers) })

it("reads the country only from the configured header of a trusted proxy", () => {
  const trusted = ["10.0.0.0/8"]
  const headers = { "CF-IPCountry": " de ", "x-forwarded-for": "198.51.100.1, 10.0.0.9" }
  expect(countryOf(trusted, "10.1.2.3", headers, "cf-ipcountry")).toBe("DE")
  expect(countryOf(trusted, "::ffff:10.1.2.3", headers, "CF-IPCountry")).toBe("DE")
  expect(countryOf(trusted, "10.1.2.3", headers, "x-country")).toBeUndefined()
  expect(countryOf(trusted, "10.1.2.3", headers)).toBeUndefined()
  expect(countryOf(trusted, "203.0.113.7", headers, "cf-ipcountry")).toBeUndefined()
  expect(
    countryOf(trusted, "203.0.113.7", { ...headers, "x-forwarded-for": "10.0.0.9" }, "cf-ipcountry")
  ).toBeUndefined()
  expect(countryOf([], "127.0.0.1", headers, "cf-ipcountry")).toBeUndefined()
})

it("determines a client's address for a socket upgrade in the same way as for a request", () => {
  const upgrade = (peer: string, headers: Record<string, string | Array<string>>) =>
    ({ headers, socket: { remoteAddress: peer } }) as unknown as IncomingMessage
  const headers = { "x-forwarded-for": "198.51.100.1", "x-country": "no", "set-cookie": ["a", "b"] }
  const address = ClientAddress.ofUpgrade(["10.0.0.0/8"])
  const country = ClientAddress.countryOfUpgrade(["10.0.0.0/8"], "X-Country")
  expect([address(upgrade("10.0.0.1", headers)), country(upgrade("10.0.0.1", headers))]).toEqual(["198.51.100.1", "NO"])
  expect([address(upgrade("10.0.0.1", {})), country(upgrade("10.0.0.1", {}))]).toEqual(["10.0.0.1", undefined])
  expect([address(upgrade("9.9.9.9", headers)), country(upgrade("9.9.9.9", headers))]).toEqual(["9.9.9.9", undefined])
})
