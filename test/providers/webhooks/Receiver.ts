/** A user's webhook server, and a scripted DNS. */
import { Resolver, Unresolved } from "@venue/providers/webhooks/Resolver"
import { Effect, Layer, Queue } from "effect"
import { readFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"

export interface Heard {
  readonly url: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly heard: Queue.Queue<Heard>
  readonly port: number
}

interface Options {
  readonly host?: string
  readonly tls?: boolean
}

/** Starts a server that closes with the scope, including its open connections. */
export const receiver = Effect.fnUntraced(function* (
  answer: (response: ServerResponse, heard: Heard) => void,
  { host = "127.0.0.1", tls = false }: Options = {}
) {
  const heard = yield* Queue.unbounded<Heard>()
  const listener: RequestListener = (request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      const one = { url: request.url!, method: request.method!, headers: request.headers, body }
      Queue.offerUnsafe(heard, one)
      answer(response, one)
    })
  }
  const server = tls
    ? createTlsServer({ key: file("localhost.key"), cert: file("localhost.pem") }, listener)
    : createServer(listener)
  server.on("error", () => {})
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, host, () => resume(Effect.void))
    }),
    () => Effect.sync(() => (server.close(), server.closeAllConnections()))
  )
  return { heard, port: (server.address() as AddressInfo).port } satisfies Receiver
})

export const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(code, headers).end()
  }

export const file = (name: string): string => readFileSync(join(import.meta.dirname, "certificates", name), "utf8")

/** Scripted resolver: the nth lookup of a host returns its nth list of addresses, and later lookups the last list. */
export const resolver = (answers: Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>) => {
  const asked: Array<string> = []
  const layer = Layer.succeed(
    Resolver,
    Resolver.of({
      addresses: (host) =>
        Effect.suspend(() => {
          const times = asked.filter((name) => name === host).length
          asked.push(host)
          const found = answers[host]?.[times] ?? answers[host]?.at(-1)
          return found === undefined ? Effect.fail(new Unresolved({ host })) : Effect.succeed(found)
        })
    })
  )
  return { asked, layer }
}
