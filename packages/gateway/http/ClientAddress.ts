/** A caller's address and country, from the connection or from a trusted proxy's headers. */
import * as AllowList from "@venue/auth/access/AllowList"
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"
import { isIP } from "node:net"
import * as Forwarded from "./Forwarded.ts"
import { nobody } from "./Forwarded.ts"

export interface Request extends Pick<HttpServerRequest.HttpServerRequest, "remoteAddress"> {
  /** Headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

export type ClientAddress = (request: Request) => string

/** Returns a request's country, or undefined if no trusted proxy sends one. */
export type ClientCountry = (request: Request) => string | undefined

/**
 * Returns a function that determines a caller's address. `trustedProxies` are addresses and networks such as
 * `10.0.0.0/8`; any other text throws. The result is the last forwarded address that is not a trusted proxy, because
 * untrusted clients can write the addresses before it. An unreadable forwarded address becomes `nobody`, never the
 * address of the proxy that sent it.
 */
export const from = (trustedProxies: ReadonlyArray<string>): ClientAddress => {
  const isProxy = AllowList.of(trustedProxies)
  return (request) => {
    const peer = peerOf(request)
    if (!isProxy(peer)) return peer
    const candidates = hopsOf(request).map((hops) => lastUntrusted(peer, hops, isProxy))
    const [address = peer] = candidates
    // Most proxies set one of the two headers and pass through the client's value of the other, so both must agree.
    return candidates.every((other) => other === address) ? address : nobody
  }
}

const lastUntrusted = (peer: string, hops: Forwarded.Hops, isProxy: (address: string) => boolean): string =>
  hops.findLast((hop) => !isProxy(hop)) ?? hops[0] ?? peer

const hopsOf = ({ headers }: Request): ReadonlyArray<Forwarded.Hops> => {
  const text = (name: string) => headers[name]?.toString()
  const list = text("x-forwarded-for")
  const forwarded = text("forwarded")
  return [
    ...(list === undefined ? [] : [Forwarded.ofList(list)]),
    ...(forwarded === undefined ? [] : [Forwarded.ofForwarded(forwarded)])
  ]
}

/** Returns a function that reads the country from a header set by the nearest trusted proxy. */
export const countryFrom = (trustedProxies: ReadonlyArray<string>, header: string | undefined): ClientCountry => {
  if (header === undefined) return () => undefined
  const isProxy = AllowList.of(trustedProxies)
  const name = header.toLowerCase()
  return (request) => {
    const country = request.headers[name]
    return country !== undefined && isProxy(peerOf(request)) ? String(country).trim().toUpperCase() : undefined
  }
}

/** Returns the function that determines the client address of a WebSocket upgrade. */
export const ofUpgrade = (trustedProxies: ReadonlyArray<string>): ((request: IncomingMessage) => string) => {
  const addressOf = from(trustedProxies)
  return (request) => addressOf(requestOf(request))
}

export const countryOfUpgrade = (
  trustedProxies: ReadonlyArray<string>,
  header: string | undefined
): ((request: IncomingMessage) => string | undefined) => {
  const countryOf = countryFrom(trustedProxies, header)
  return (request) => countryOf(requestOf(request))
}

/**
 * Returns the key that identifies an address in rate limits: the address itself for IPv4, and its /64 network for
 * IPv6, because one host controls a whole /64.
 */
export const network = (address: string): string => {
  if (isIP(address) !== 6) return address
  const [head = "", tail] = address.toLowerCase().split("%")[0]!.split("::")
  const left = head === "" ? [] : head.split(":")
  const right = tail === undefined || tail === "" ? [] : tail.split(":")
  const groups = [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0"), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`
}

/** Returns the connection's peer address, or `nobody` once the connection is closed. */
export const peerOf = ({ remoteAddress }: Request): string =>
  Option.match(remoteAddress, { onNone: () => nobody, onSome: Forwarded.canonical })

const requestOf = ({ headers, socket }: IncomingMessage): Request => ({
  headers,
  remoteAddress: Option.fromUndefinedOr(socket.remoteAddress)
})
