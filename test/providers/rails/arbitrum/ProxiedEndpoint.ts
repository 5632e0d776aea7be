/** Proxy of an endpoint whose responses a test can change. */
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}
type Changed = (method: string, result: unknown, params: ReadonlyArray<unknown>) => unknown
type Refused = (method: string, params: ReadonlyArray<unknown>, atOnce: number) => string | undefined

export interface ProxiedEndpoint {
  readonly url: string
  /** Changes each result. */
  readonly answer: (changed: Changed) => void
  /** Refuses calls with this message; undefined accepts a call. */
  readonly refuse: (refused: Refused) => void
  /** Responds to all requests with this status; undefined forwards them. */
  readonly fail: (status: number | undefined) => void
  /** Responds to all requests with this text; undefined forwards them. */
  readonly say: (text: string | undefined) => void
  readonly hang: () => void
}

export const proxied = (target: string): Effect.Effect<ProxiedEndpoint, never, Scope.Scope> =>
  Effect.gen(function* () {
    let changed: Changed = (_, result) => result
    let refused: Refused = () => undefined
    let status: number | undefined
    let said: string | undefined
    let hangs = false
    const answerOf = async (body: string): Promise<string> => {
      const calls = JSON.parse(body) as ReadonlyArray<Call>
      const response = await fetch(target, { method: "POST", headers: { "content-type": "application/json" }, body })
      const answers = (await response.json()) as ReadonlyArray<{ id: number; result?: unknown }>
      return JSON.stringify(
        answers.map((answer) => {
          const { method, params } = calls.find(({ id }) => id === answer.id)!
          const message = refused(method, params, calls.length)
          const code = message === "response too large" ? -32_003 : -32_005
          if (message !== undefined) return { jsonrpc: "2.0", id: answer.id, error: { code, message } }
          return "result" in answer ? { ...answer, result: changed(method, answer.result, params) } : answer
        })
      )
    }
    const server = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const opened = createServer((request, response) => {
          void text(request).then(async (body) => {
            if (hangs) return
            if (status !== undefined) return response.writeHead(status).end()
            return response.setHeader("content-type", "application/json").end(said ?? (await answerOf(body)))
          })
        })
        await once(opened.listen(0, "127.0.0.1"), "listening")
        return opened
      }),
      (opened) =>
        Effect.promise(async () => {
          opened.close()
          opened.closeAllConnections()
          await once(opened, "close")
        })
    )
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      answer: (next) => void (changed = next),
      refuse: (next) => void (refused = next),
      fail: (next) => void (status = next),
      say: (next) => void (said = next),
      hang: () => void (hangs = true)
    }
  })
