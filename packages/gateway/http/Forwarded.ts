/** Parser of the headers `Forwarded` (RFC 7239) and `X-Forwarded-For`. */
import { isIP, SocketAddress } from "node:net"

/** Stands for an unreadable address; it is in no list of addresses and in no network. */
export const nobody = "unknown"

/** One address per hop, the original client first; `nobody` for an entry that is not an address. */
export type Hops = ReadonlyArray<string>

/** Reads all `X-Forwarded-For` headers of a request, joined by commas. */
export const ofList = (text: string): Hops => text.split(",").map((hop) => addressIn(unquoted(hop.trim())))

/** Reads all `Forwarded` headers of a request, joined by commas. Text with a syntax error is one `nobody` hop. */
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

/** Reads an RFC 7239 node: an address with an optional port; IPv6 without a port may omit the brackets. */
const addressIn = (node: string): string => {
  const [, bracketed, before] = /^(?:\[([^[\]]*)\]|([^:[\]]*))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node) ?? []
  if (bracketed !== undefined) return isIP(bracketed) === 6 ? canonical(bracketed) : nobody
  return canonical(before ?? node)
}

const unquoted = (text: string): string =>
  text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, "$1") : text

/**
 * One `name=value`, or nothing, with its delimiter. RFC 7239 allows no space around `=`; since a value may be empty, optional
 * space on both sides would match in quadratic time. Many proxies write `[`, `]` and `:` in values without quotes.
 */
const pair = /[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=("(?:[^"\\]|\\.)*"|[\w!#$%&'*+.^`|~:[\]/-]*)[ \t]*)?([;,]|$)/y
