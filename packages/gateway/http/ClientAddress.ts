/** Where a request comes from: its socket, or what a proxy of ours says of it. */
import * as AllowList from "@venue/auth/access/AllowList"
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { IncomingMessage } from "node:http"
import { isIP } from "node:net"

export interface Request extends Pick<HttpServerRequest.HttpServerRequest, "remoteAddress"> {
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

export type ClientAddress = (request: Request) => string

/** Undefined when no proxy of ours says. */
export type ClientCountry = (request: Request) => string | undefined

/**
 * `trustedProxies` are addresses and networks such as `10.0.0.0/8`; anything else ends the start. Of the addresses in
 * `X-Forwarded-For` the last that is no proxy of ours counts: everything before it was written by strangers.
 */
export const from = (trustedProxies: ReadonlyArray<string>): ClientAddress => {
  const isProxy = AllowList.of(trustedProxies)
  return (request) => {
    let address = peerOf(request)
    const forwarded = String(request.headers["x-forwarded-for"] ?? "").split(",")
    while (isProxy(address)) {
      const next = plain(forwarded.pop()?.trim() ?? "")
      if (isIP(next) === 0) break
      address = next
    }
    return address
  }
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

/** An older address that came through a socket of the newer kind is the older address. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "")

/** Who is at the other end of the connection. */
export const peerOf = ({ remoteAddress }: Request): string => plain(Option.getOrElse(remoteAddress, () => ""))

const requestOf = ({ headers, socket }: IncomingMessage): Request => ({
  headers,
  remoteAddress: Option.fromUndefinedOr(socket.remoteAddress)
})
