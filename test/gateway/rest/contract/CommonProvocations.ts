/** Requests that provoke statuses common to all endpoints. */
import { Effect } from "effect"
import { type Answer, call, raw, RestClient } from "../RestClient.ts"
import type { Operation } from "./Operations.ts"
import { withoutCredentials, byKey, byKeyOf, credentialsFor, inPerson, type Provocation, Scene } from "./Scene.ts"

/** Returns a provocation, or undefined if the operation lacks the status or needs a provocation of its own. */
type CommonProvocation = (operation: Operation) => Provocation | undefined

/** Returns the operation's URL with placeholder parameters. */
export const urlOf = ({ path }: Operation): string => path.replaceAll(/\{\w+\}/g, "x")

/** Provocations by status. The operation's own table takes precedence. */
export const commonProvocations: Readonly<Record<number, CommonProvocation>> = {
  /** A malformed body. */
  400: (operation) => (operation.body === undefined ? undefined : unreadable(operation)),
  401: (operation) => (operation.via.length === 0 ? undefined : withoutCredentials(operation.method, urlOf(operation))),
  /**
   * Uses the kind of credentials that is not accepted. If both kinds are accepted, names another user's account or
   * uses a key without permissions.
   */
  403: (operation) => {
    const { method, parameters, via } = operation
    const url = urlOf(operation)
    if (via.length === 0) return undefined
    if (via.length === 1) return via[0] === "jwt" ? byKey(method, url) : inPerson(method, url)
    const header = parameters.find(({ name }) => name.endsWith("requested-account-id"))
    return header?.description?.includes("ignored") === false
      ? naming(operation, "00000000-0000-4000-8000-ffffffffffff")
      : Effect.flatMap(Scene, ({ powerless }) => byKeyOf(powerless, method, url))
  },
  413: (operation) => {
    const long = JSON.stringify("x".repeat(64 * 1024))
    return operation.body === undefined ? undefined : sent(operation, "application/json", long)
  },
  415: (operation) => (operation.body === undefined ? undefined : sent(operation, "text/plain", "{}")),
  /** Sends a list as body, a repeated parameter, or an account that is not a UUID. */
  422: (operation) => {
    const named = operation.parameters.find(({ in: place }) => place === "query")?.name
    if (operation.body !== undefined) return sent(operation, "application/json", "[]")
    if (named !== undefined) return withValidCredentials(operation, `${urlOf(operation)}?${named}=x&${named}=y`)
    return operation.via.length === 0 ? withoutCredentials(operation.method, urlOf(operation)) : naming(operation, "x")
  }
}

/** Sends valid credentials of an accepted kind, if the operation accepts credentials. */
export const withValidCredentials = ({ method, via }: Operation, url: string, init: RequestInit = {}): Provocation =>
  Effect.gen(function* () {
    const { restUrl } = yield* RestClient
    return yield* call(`${restUrl}${url}`, {
      ...init,
      method,
      headers: { ...(yield* credentialsFor(via)), ...(init.headers as Record<string, string>) }
    })
  })

const sent = (operation: Operation, type: string, body: string): Provocation =>
  withValidCredentials(operation, urlOf(operation), { body, headers: { "content-type": type } })

const naming = (operation: Operation, account: string): Provocation =>
  withValidCredentials(operation, urlOf(operation), { headers: { "x-acme-requested-account-id": account } })

/** Sends a chunk without a valid length. */
const unreadable = (operation: Operation): Provocation =>
  Effect.gen(function* () {
    const { restUrl } = yield* RestClient
    const headers = {
      ...(yield* credentialsFor(operation.via)),
      host: "x",
      "content-type": "application/json",
      "transfer-encoding": "chunked"
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    return answerOf(
      yield* raw(restUrl, `${operation.method} ${urlOf(operation)} HTTP/1.1\r\n${lines.join("")}\r\nzz\r\n`)
    )
  })

const answerOf = (bytes: string): Answer => {
  const [head = "", text = ""] = bytes.split("\r\n\r\n")
  const [line = "", ...lines] = head.split("\r\n")
  const pairs = lines.map((one): [string, string] => [one.slice(0, one.indexOf(":")), one.slice(one.indexOf(":") + 2)])
  return { status: Number(line.split(" ")[1]), headers: new Headers(pairs), text, body: JSON.parse(text) }
}
