import { isLoopback, isPublic } from "@venue/providers/webhooks/PublicAddress"
import { expect, it } from "vitest"

const networks: Readonly<Record<string, ReadonlyArray<string>>> = {
  unspecified: ["0.0.0.0", "0.255.255.255", "::"],
  private: ["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "192.168.255.255"],
  shared: ["100.64.0.1", "100.127.255.255"],
  loopback: ["127.0.0.1", "127.255.255.254", "::1"],
  "link-local": ["169.254.169.254", "fe80::1", "febf::1", "fe80::1%eth0"],
  "unique-local": ["fc00::1", "fd12:3456::1"],
  "site-local": ["fec0::1"],
  multicast: ["224.0.0.1", "239.255.255.255", "ff02::1"],
  reserved: [
    "240.0.0.1",
    "255.255.255.255",
    "192.0.0.8",
    "198.18.0.1",
    "198.19.255.255",
    "100::1",
    "5f00::1",
    "4000::1"
  ],
  documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
  "IPv4 within IPv6": [
    "::ffff:10.0.0.1",
    "::ffff:8.8.8.8",
    "::ffff:808:808",
    "::7f00:1",
    "::ffff:0:7f00:1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::1",
    "2001:0:7f00:1::1"
  ],
  "no address": ["", "localhost", "8.8.8", "8.8.8.8.8", "2000::/3"]
}

it.each(Object.entries(networks))("treats addresses of this kind as not public: %s", (_, addresses) => {
  expect(addresses.filter(isPublic)).toEqual([])
})

it("treats addresses just outside the reserved networks and elsewhere on the internet as public", () => {
  const publicOnes = `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1
    169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.1 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0
    223.255.255.255 2001:200::1 2001:4860:4860::8888 2606:4700::1111 2a00:1450::1 3ffe::1`
  expect(publicOnes.split(/\s+/).filter((address) => !isPublic(address))).toEqual([])
})

it("recognises only loopback addresses, in IPv4 and IPv6", () => {
  expect(["127.0.0.1", "127.8.8.8", "::1"].filter((address) => !isLoopback(address))).toEqual([])
  expect(["10.0.0.1", "128.0.0.1", "::", "::2", "localhost", "0.0.0.0"].filter(isLoopback)).toEqual([])
})
