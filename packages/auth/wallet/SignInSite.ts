/** The pages that wallets may sign in for. */
import { Result, Schema } from "effect"
import type { WalletMessage } from "./WalletMessage.ts"

export interface SignInSite {
  readonly uri: string
  /** The authority of the URI: its host, and its port when that is not the usual one. */
  readonly domain: string
}

export class InvalidSite extends Schema.TaggedError<InvalidSite>()("InvalidSite", { uri: Schema.String }) {}

/** The sites of these URIs: `https`, or `http` on this machine where loopback is allowed, which is not in production. */
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

/** What of the message names none of the sites. Texts are compared as they are: nothing is folded, decoded or cut. */
export const objection = (
  sites: ReadonlyArray<SignInSite>,
  { domain, uri }: Pick<WalletMessage, "domain" | "uri">
): "uri" | "domain" | undefined => {
  const site = sites.find((site) => site.uri === uri)
  if (site === undefined) return "uri"
  return site.domain === domain ? undefined : "domain"
}

/**
 * The authority of a URI of this scheme, as it reads in a message. Undefined when the URI is not written the way a
 * browser shows it, or names a user: it would look like another site than it is.
 */
export const authorityOf = (uri: string, protocol: "https:" | "http:"): string | undefined => {
  const url = URL.parse(uri)
  if (url === null || url.protocol !== protocol || url.username !== "" || url.password !== "") return undefined
  return uri === url.href || `${uri}/` === url.href ? url.host : undefined
}

const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])[:/]/
