/** Redirect URIs: rules for registration, comparison, and adding response parameters. */

export type Fault =
  | "length"
  | "characters"
  | "form"
  | "scheme"
  | "userinfo"
  | "fragment"
  | "wildcard"
  | "loopback_port"
  | "reserved_parameter"

/**
 * Returns the fault that prevents registration of a redirect URI, or undefined if the URI is valid. Accepts only
 * `https` URIs spelled as a browser would spell them, so that the compared text equals the visited URL. With
 * `loopback`, also accepts `http` on a loopback address, for programs that listen on a local port.
 */
export const faultOf = (text: string, { loopback }: { readonly loopback: boolean }): Fault | undefined => {
  if (text.length > maxLength) return "length"
  if (text.includes("*")) return "wildcard"
  if (text.includes("#")) return "fragment"
  if (!allowed.test(text)) return "characters"
  const url = URL.parse(text)
  if (url === null) return "form"
  if (url.username !== "" || url.password !== "") return "userinfo"
  if (url.protocol !== "https:" && !(loopback && isLoopback(url))) return "scheme"
  if (url.href !== text) return "form"
  if (url.protocol === "http:" && url.port === "") return "loopback_port"
  return answerParameters.some((name) => url.searchParams.has(name)) ? "reserved_parameter" : undefined
}

/**
 * Returns true if `requested` is registered. Texts are compared exactly, except for the port of a loopback IP
 * address, which programs choose at start (RFC 8252 section 7.3). `localhost` is a host name, so its port is compared
 * too.
 */
export const isRegistered = (registered: ReadonlyArray<string>, requested: string): boolean =>
  registered.includes(requested) ||
  (portless(requested) !== undefined && registered.some((uri) => portless(uri) === portless(requested)))

const portless = (uri: string): string | undefined => {
  const [, host, port, rest] = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?(\/.*)$/.exec(uri) ?? []
  return host === undefined || Number(port ?? 80) > maxPort ? undefined : `${host}${rest}`
}

const maxPort = 65_535

/** Adds parameters to a URI; omits undefined parameters and keeps an existing query. */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const added = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  )
  return `${uri}${uri.includes("?") ? "&" : "?"}${added.join("&")}`
}

const maxLength = 2_000

/** Characters that RFC 3986 allows, without the fragment. */
const allowed = /^(?:[\w.~:/?[\]@!$&'()+,;=-]|%[\da-fA-F]{2})+$/

const isLoopback = ({ hostname, protocol }: URL): boolean =>
  protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname)

/** Parameters of the response. A registered query must not contain them, or they would appear twice. */
const answerParameters = ["code", "state", "iss", "error", "error_description", "error_uri"]
