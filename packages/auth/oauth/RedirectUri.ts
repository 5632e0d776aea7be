/** Redirect URIs: registration rules, comparison, and responses written into them. */

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
 * Returns the fault of a redirect URI at registration, or undefined. Only `https` in the form a browser would write,
 * so that the compared text is the visited address. With `loopback`, also `http` on a loopback address, for programs
 * that listen on a port of their own.
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
 * Returns true if `requested` is registered. Texts are compared exactly, except the port of a loopback address, which
 * programs choose at start (RFC 8252 section 7.3). `localhost` is a name and compared exactly.
 */
export const isRegistered = (registered: ReadonlyArray<string>, requested: string): boolean =>
  registered.includes(requested) ||
  (portless(requested) !== undefined && registered.some((uri) => portless(uri) === portless(requested)))

const portless = (uri: string): string | undefined => {
  const [, host, port, rest] = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?(\/.*)$/.exec(uri) ?? []
  return host === undefined || Number(port ?? 80) > maxPort ? undefined : `${host}${rest}`
}

const maxPort = 65_535

/** Adds parameters to a URI; undefined ones are omitted, an existing query is kept. */
export const withParameters = (uri: string, parameters: Readonly<Record<string, string | undefined>>): string => {
  const added = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  )
  return `${uri}${uri.includes("?") ? "&" : "?"}${added.join("&")}`
}

const maxLength = 2_000

/** RFC 3986, without the fragment. */
const allowed = /^(?:[\w.~:/?[\]@!$&'()+,;=-]|%[\da-fA-F]{2})+$/

const isLoopback = ({ hostname, protocol }: URL): boolean =>
  protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname)

/** Refused in a registered query, because the response would repeat them. */
const answerParameters = ["code", "state", "iss", "error", "error_description", "error_uri"]
