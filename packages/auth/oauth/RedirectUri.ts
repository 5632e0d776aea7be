/** Where the answer to an application may go: what can be registered, and how an answer is written there. */

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
 * Why an operator cannot register this, or undefined. Only `https`, written as a browser would write it, so that the
 * text that is compared is the address that is visited. With `loopback` also `http` on this very machine, where a
 * program waits on a port of its own.
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
 * Whether an answer may go to `asked`. Texts are compared as they are, but for the port of a loopback address, which
 * programs choose when they start (RFC 8252 section 7.3). `localhost` is a name and stays exact.
 */
export const isRegistered = (registered: ReadonlyArray<string>, asked: string): boolean =>
  registered.includes(asked) ||
  (portless(asked) !== undefined && registered.some((uri) => portless(uri) === portless(asked)))

const portless = (uri: string): string | undefined => {
  const [, host, port, rest] = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::([1-9]\d{0,4}))?(\/.*)$/.exec(uri) ?? []
  return host === undefined || Number(port ?? 80) > maxPort ? undefined : `${host}${rest}`
}

const maxPort = 65_535

/** What is undefined is left out; a query that is there already stays as it is. */
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

/** One that is in the query already would be there twice. */
const answerParameters = ["code", "state", "iss", "error", "error_description", "error_uri"]
