/** The addresses that proxies write into `Forwarded` (RFC 7239) and `X-Forwarded-For`. */
import { isIP, SocketAddress } from "node:net"

/** Stands for an address that cannot be read: it is on no list of addresses and in no network. */
export const nobody = "unknown"

/** One address for each proxy passed, the sender's first; `nobody` where a proxy wrote something else than an address. */
export type Hops = ReadonlyArray<string>

/** Reads all `X-Forwarded-For` headers of a request, joined by commas. */
export const ofList = (text: string): Hops => text.split(",").map((hop) => addressIn(unquoted(hop.trim())))

/** Reads all `Forwarded` headers of a request, joined by commas. Text that breaks the grammar has no readable hop. */
export const ofForwarded = (text: string): Hops => {
  const hops: Array<string> = []
  let element = new Map<string, string>()
  let isRepeated = false
  pair.lastIndex = 0
  for (;;) {
    const [, name = "", value = "", delimiter] = pair.exec(text) ?? []
    if (delimiter === undefined) return [nobody]
    // RFC 7239 section 4: each parameter occurs at most once per element, in any letter case.
    isRepeated ||= element.has(name.toLowerCase()) && name !== ""
    element.set(name.toLowerCase(), value)
    if (delimiter === ";") continue
    hops.push(isRepeated ? nobody : addressIn(unquoted(element.get("for") ?? "")))
    if (delimiter === "") return hops
    element = new Map()
    isRepeated = false
  }
}

/** Returns the canonical text of an address: IPv6 shortened and without a zone, IPv4 mapped into IPv6 as IPv4. */
export const canonical = (address: string): string => {
  const family = isIP(address)
  if (family === 0) return nobody
  if (family === 4) return address
  return new SocketAddress({ address, family: "ipv6" }).address.replace(/^::ffff:(?=\d+\.)/, "")
}

/** Reads an RFC 7239 node: an address with or without a port; IPv6 may stand without brackets where it has no port. */
const addressIn = (node: string): string => {
  const [, bracketed, before] = /^(?:\[([^[\]]*)\]|([^:[\]]*))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node) ?? []
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? canonical(bracketed) : nobody
  return canonical(before ?? node)
}

const unquoted = (text: string): string =>
  text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, "$1") : text

/**
 * One `name=value`, or nothing, with its delimiter. RFC 7239 has no space around `=`; a value may be empty, so that space on both
 * sides of it would be matched in quadratic time. Many proxies write `[`, `]` and `:` in values without quotes.
 */
const pair = /[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=("(?:[^"\\]|\\.)*"|[\w!#$%&'*+.^`|~:[\]/-]*)[ \t]*)?([;,]|$)/y
