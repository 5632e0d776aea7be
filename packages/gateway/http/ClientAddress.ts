/** The caller's address and country: those of the socket, or those that a trusted proxy forwards. */
import * as AllowList from "@venue/auth/access/AllowList"
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"
import { isIP } from "node:net"
import * as Forwarded from "./Forwarded.ts"
import { nobody } from "./Forwarded.ts"

export interface Request extends Pick<HttpServerRequest.HttpServerRequest, "remoteAddress"> {
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

export type ClientAddress = (request: Request) => string

/** Undefined when no proxy of ours says. */
export type ClientCountry = (request: Request) => string | undefined

/**
 * Finds the caller's address. `trustedProxies` are addresses and networks such as `10.0.0.0/8`; other text throws. The
 * last forwarded address that is no trusted proxy counts: strangers wrote everything before it. A forwarded address that
 * cannot be read is `nobody`, never the proxy that sent it.
 */
export const from = (trustedProxies: ReadonlyArray<string>): ClientAddress => {
  const isProxy = AllowList.of(trustedProxies)
  return (request) => {
    const peer = peerOf(request)
    if (!isProxy(peer)) return peer
    const named = hopsOf(request).map((hops) => lastStranger(peer, hops, isProxy))
    const [address = peer] = named
    // Most proxies write one of the two headers and pass the other on as a stranger sent it.
    return named.every((other) => other === address) ? address : nobody
  }
}

const lastStranger = (peer: string, hops: Forwarded.Hops, isProxy: (address: string) => boolean): string =>
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

/** The proxy that speaks to us writes the country into this header, whatever was there before. */
export const countryFrom = (trustedProxies: ReadonlyArray<string>, header: string | undefined): ClientCountry => {
  if (header === undefined) return () => undefined
  const isProxy = AllowList.of(trustedProxies)
  const name = header.toLowerCase()
  return (request) => {
    const country = request.headers[name]
    return country !== undefined && isProxy(peerOf(request)) ? String(country).trim().toUpperCase() : undefined
  }
}

/** The same of a request that becomes a socket. */
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

/** Whose limits an address shares: one home or server has a whole /64 of the newer addresses. */
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

/** The other end of the connection; `nobody` once it is closed. */
export const peerOf = ({ remoteAddress }: Request): string =>
  Option.match(remoteAddress, { onNone: () => nobody, onSome: Forwarded.canonical })

const requestOf = ({ headers, socket }: IncomingMessage): Request => ({
  headers,
  remoteAddress: Option.fromUndefinedOr(socket.remoteAddress)
})
