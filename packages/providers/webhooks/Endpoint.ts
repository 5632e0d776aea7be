/** Validates the URLs of webhook endpoints. The IP addresses of the host are checked before every attempt. */
import { Context, Result, Schema } from "effect"
import { isIP } from "node:net"
import { isLoopback, isPublic } from "./PublicAddress.ts"

/** Allows endpoints on this machine, over http and on any port. For development; refused in production. */
export const LoopbackEndpoints = Context.Reference<boolean>("@venue/providers/webhooks/LoopbackEndpoints", {
  defaultValue: () => false
})

/** The URL is not a permitted endpoint. `expected` states the valid form. */
export class EndpointRefused extends Schema.TaggedError<EndpointRefused>()("EndpointRefused", {
  expected: Schema.String
}) {}

export const endpointOf = (text: string, allowsLoopback: boolean): Result.Result<URL, EndpointRefused> => {
  const refused = (expected: string) => Result.fail(new EndpointRefused({ expected }))
  const url = text.length <= maxLength && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return refused(`an absolute URL of at most ${maxLength} characters`)
  const isHere = allowsLoopback && isThisMachine(hostOf(url))
  if (url.protocol !== "https:" && !(isHere && url.protocol === "http:"))
    return refused("a URL that begins with https:")
  if (url.username !== "" || url.password !== "") return refused("a URL without a user name or password")
  if (text.includes("#")) return refused("a URL without a fragment")
  if (isHere) return Result.succeed(url)
  if (!ports.has(url.port)) return refused("a URL with port 443 or 8443")
  return isPublicHost(hostOf(url)) ? Result.succeed(url) : refused("a URL with a public host")
}

/** IPv6 addresses have brackets in a URL. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1")

const maxLength = 2_048

/** A URL omits its scheme's default port. */
const ports = new Set(["", "8443"])

const isThisMachine = (host: string): boolean => host === "localhost" || isLoopback(host)

const isPublicHost = (host: string): boolean => (isIP(host) === 0 ? isPublicName(host) : isPublic(host))

const isPublicName = (name: string): boolean => {
  const labels = name.replace(/\.$/, "").split(".")
  return labels.length > 1 && !unknown.some((suffix) => `.${labels.join(".")}`.endsWith(`.${suffix}`))
}

/** Top-level names outside the public DNS. */
const unknown = ["localhost", "local", "internal", "home.arpa", "lan", "intranet", "test", "invalid", "onion", "arpa"]
