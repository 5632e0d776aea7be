/** Pages for which wallets are allowed to sign in. */
import { Result, Schema } from "effect"
import type { WalletMessage } from "./WalletMessage.ts"

export interface SignInSite {
  readonly uri: string
  /** Authority of the URI: the host, and the port unless it is the default. */
  readonly domain: string
}

export class InvalidSite extends Schema.TaggedError<InvalidSite>()("InvalidSite", { uri: Schema.String }) {}

/** Returns the sites of these URIs: `https`, or with `allowLoopback` (never in production) `http` on loopback. */
export const sitesOf = (
  uris: ReadonlyArray<string>,
  { allowLoopback }: { readonly allowLoopback: boolean }
): Result.Result<ReadonlyArray<SignInSite>, InvalidSite> =>
  Result.all(
    uris.map((uri) => {
      const domain =
        authorityOf(uri, "https:") ?? (allowLoopback && loopback.test(uri) ? authorityOf(uri, "http:") : undefined)
      return domain === undefined ? Result.fail(new InvalidSite({ uri })) : Result.succeed({ uri, domain })
    })
  )

/** Returns the message field that matches no site, or undefined if all match. Texts are compared exactly. */
export const objection = (
  sites: ReadonlyArray<SignInSite>,
  { domain, uri }: Pick<WalletMessage, "domain" | "uri">
): "uri" | "domain" | undefined => {
  const site = sites.find((site) => site.uri === uri)
  if (site === undefined) return "uri"
  return site.domain === domain ? undefined : "domain"
}

/**
 * Returns the authority of a URI with this scheme, as a message shows it. Returns undefined if a browser would spell
 * the URI differently, or if the URI contains a user name, because it could then resemble another site.
 */
export const authorityOf = (uri: string, protocol: "https:" | "http:"): string | undefined => {
  const url = URL.parse(uri)
  if (url === null || url.protocol !== protocol || url.username !== "" || url.password !== "") return undefined
  return uri === url.href || `${uri}/` === url.href ? url.host : undefined
}

const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/
