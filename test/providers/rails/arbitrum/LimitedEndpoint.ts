/** Proxy in front of an endpoint. The proxy enforces limits and refuses requests in the same way as providers. */
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Status, code and message of a refusal. If the code is null, the body is not JSON. */
export interface Refusal {
  readonly status: number
  readonly code: number | null
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Limits {
  /** Maximum calls per request; 0 refuses arrays. */
  readonly calls?: number
  readonly blocks?: number
  readonly addresses?: number
  readonly balances?: number
  /** Maximum requests per second. */
  readonly perSecond?: number
}

export interface LimitedEndpoint {
  readonly url: string
  readonly limit: (limits: Limits, refusal: Refusal) => void
  /** Calls in each request, blocks and addresses in each log query, and balances in each balance query. */
  readonly asked: { readonly [Name in "calls" | "blocks" | "addresses" | "balances"]: Array<number> }
  readonly refusals: () => number
}

export const limited = (target: string): Effect.Effect<LimitedEndpoint, never, Scope.Scope> =>
  Effect.gen(function* () {
    let limits: Limits = {}
    let refusal: Refusal = { status: 400, code: -32_600, message: "too much" }
    let refusals = 0
    let second = { startedAt: 0, requests: 0 }
    const asked: LimitedEndpoint["asked"] = { calls: [], blocks: [], addresses: [], balances: [] }

    const isOver = (call: Call): boolean => {
      const counts = countsOf(call)
      for (const [name, count] of Object.entries(counts)) asked[name as keyof typeof counts].push(count)
      return Object.entries(counts).some(([name, count]) => count > (limits[name as keyof typeof counts] ?? Infinity))
    }
    const isTooFast = (): boolean => {
      if (limits.perSecond === undefined) return false
      const now = performance.now()
      if (now - second.startedAt > 1_000) second = { startedAt: now, requests: 0 }
      second.requests += 1
      return second.requests > limits.perSecond
    }
    const refuse = (response: ServerResponse, id: number | null) => {
      refusals += 1
      const { code, headers = {}, message, status } = refusal
      const body = code === null ? message : JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })
      response.writeHead(status, { "content-type": code === null ? "text/plain" : "application/json", ...headers })
      response.end(body)
    }
    const answer = async (body: string, response: ServerResponse) => {
      const said = JSON.parse(body) as Call | ReadonlyArray<Call>
      const calls = Array.isArray(said) ? (said as ReadonlyArray<Call>) : [said as Call]
      asked.calls.push(calls.length)
      const isBatchRefused = Array.isArray(said) && calls.length > (limits.calls ?? Infinity)
      if (isTooFast() || isBatchRefused) return refuse(response, null)
      const over = calls.filter(isOver)
      if (over.length > 0) return refuse(response, calls.length === 1 ? calls[0]!.id : null)
      const answered = await fetch(target, { method: "POST", headers: { "content-type": "application/json" }, body })
      response.setHeader("content-type", "application/json").end(await answered.text())
    }
    const server = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const opened = createServer((request, response) => void text(request).then((body) => answer(body, response)))
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
      limit: (next, how) => {
        limits = next
        refusal = how
      },
      asked,
      refusals: () => refusals
    }
  })

interface Filter {
  readonly fromBlock: string
  readonly toBlock: string
  readonly topics: readonly [string, null, ReadonlyArray<string>]
}

const countsOf = ({ method, params }: Call): { blocks?: number; addresses?: number; balances?: number } => {
  if (method === "eth_getLogs") {
    const [{ fromBlock, toBlock, topics }] = params as readonly [Filter]
    return { blocks: Number(toBlock) - Number(fromBlock) + 1, addresses: topics[2].length }
  }
  if (method !== "eth_call") return {}
  const [{ data, to }] = params as readonly [{ readonly data: string; readonly to?: string }]
  // A contract creation sums balances. The end of its data is the number of accounts, followed by the accounts.
  return { balances: to === undefined ? (data.length - accountsStart) / 64 : 1 }
}

/** Hexadecimal digits of code, token, offset and length before the first account. */
const accountsStart = 2 + 748 * 2 + 3 * 64
