/** Stub of a CAPTCHA provider on this machine. It reads a form and returns JSON; each solved token is valid once. */
import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

/** Starts a server that closes with the scope. `answer` is allowed to leave a request without a response. */
export const listening = (
  answer: (form: URLSearchParams, response: ServerResponse, request: IncomingMessage) => void
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request, response) => {
        void text(request).then((body) => answer(new URLSearchParams(body), response, request))
      })
      await once(server.listen(0, "127.0.0.1"), "listening")
      return server
    }),
    (server) =>
      Effect.promise(async () => {
        server.close()
        server.closeAllConnections()
        await once(server, "close")
      })
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`))

export interface Judging {
  readonly secret: string
  readonly solved: { readonly has: (token: string) => boolean }
  /** The provider's code for a repeated token. */
  readonly used: string
}

/** Returns the error codes for a form. */
export const judging = ({ secret, solved, used }: Judging) => {
  const seen = new Set<string>()
  return (form: URLSearchParams): ReadonlyArray<string> => {
    const token = form.get("response") ?? ""
    if (form.get("secret") !== secret) return ["invalid-input-secret"]
    if (!solved.has(token)) return ["invalid-input-response"]
    if (seen.has(token)) return [used]
    seen.add(token)
    return []
  }
}

/** Starts a stub provider; `asked` receives every form. */
export const siteVerify = (options: Judging & { readonly asked?: (form: Readonly<Record<string, string>>) => void }) =>
  Effect.suspend(() => {
    const judge = judging(options)
    return listening((form, response) => {
      options.asked?.(Object.fromEntries(form))
      const codes = judge(form)
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ success: codes.length === 0, "error-codes": codes, hostname: "venue.example" }))
    })
  })
