/**
 * Recognises public internet addresses, according to the registries of special-purpose addresses (RFC 6890 and
 * later).
 */
import { BlockList, isIP } from "node:net"

export const isPublic = (address: string): boolean => {
  if (address.includes("%")) return false
  const family = isIP(address)
  if (family === 4) return !special.check(address, "ipv4")
  return family === 6 && global.check(address, "ipv6") && !special.check(address, "ipv6")
}

export const isLoopback = (address: string): boolean => {
  const family = isIP(address)
  return family !== 0 && loopback.check(address, family === 4 ? "ipv4" : "ipv6")
}

const listOf = (networks: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const network of networks) {
    const [address = "", bits] = network.split("/")
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? "ipv4" : "ipv6")
  }
  return list
}

const loopback = listOf(["127.0.0.0/8", "::1/128"])

/** All other IPv6 ranges are private, link-local, multicast, mapped IPv4, or unassigned. */
const global = listOf(["2000::/3"])

const special = listOf([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  // In this order: protocol assignments such as Teredo, documentation, 6to4 (which embeds IPv4), a second range for documentation.
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20"
])
