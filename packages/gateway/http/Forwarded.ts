/** Parser for the `Forwarded` (RFC 7239) and `X-Forwarded-For` headers. */
import { isIP, SocketAddress } from "node:net"

/** Placeholder for an unreadable address; address lists and networks never match it. */
export const nobody = "unknown"

/** One address per hop, starting with the original client. An entry that is not an address becomes `nobody`. */
export type Hops = ReadonlyArray<string>

/** Reads a request's `X-Forwarded-For` headers, joined by commas. */
export const ofList = (text: string): Hops => text.split(",").map((hop) => addressIn(unquoted(hop.trim())))

/** Reads a request's `Forwarded` headers, joined by commas. Text with a syntax error becomes one `nobody` hop. */
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

/** Returns an address's canonical text: IPv6 shortened and without its zone, IPv4-mapped IPv6 as IPv4. */
export const canonical = (address: string): string => {
  const family = isIP(address)
  if (family === 0) return nobody
  if (family === 4) return address
  return new SocketAddress({ address, family: "ipv6" }).address.replace(/^::ffff:(?=\d+\.)/, "")
}

/** Reads an RFC 7239 node: an address with an optional port. IPv6 without a port needs no brackets. */
const addressIn = (node: string): string => {
  const [, bracketed, before] = /^(?:\[([^[\]]*)\]|([^:[\]]*))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node) ?? []
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? canonical(bracketed) : nobody
  return canonical(before ?? node)
}

const unquoted = (text: string): string =>
  text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, "$1") : text

/**
 * Matches one `name=value` pair, or nothing, and the following delimiter. RFC 7239 allows no space around `=`. A
 * value can be empty, so optional spaces on both sides would match in quadratic time. Many proxies write `[`, `]` and
 * `:` in unquoted values.
 */
const pair = /[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=("(?:[^"\\]|\\.)*"|[\w!#$%&'*+.^`|~:[\]/-]*)[ \t]*)?([;,]|$)/y
