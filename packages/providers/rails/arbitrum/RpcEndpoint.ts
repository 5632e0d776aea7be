/** One JSON-RPC server for the chain. Responses are decoded here; `RpcEndpoints.ts` decides whether to trust them. */
import { Effect, type Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"
import * as Pace from "../../Pace.ts"
import * as Bulk from "./Bulk.ts"
import { isRate, RpcFault } from "./RpcFault.ts"
import * as RpcBatch from "./RpcBatch.ts"
import * as RpcTransport from "./RpcTransport.ts"

export interface RpcCall<A> {
  readonly method: string
  readonly params: ReadonlyArray<Schema.Json>
  readonly result: Schema.Codec<A, Schema.Json>
}

export const call = <A, I extends Schema.Json>(
  method: string,
  params: ReadonlyArray<Schema.Json>,
  result: Schema.Codec<A, I>
): RpcCall<A> => ({ method, params, result: result as unknown as RpcCall<A>["result"] })

type Results<Calls extends ReadonlyArray<RpcCall<unknown>>> = {
  readonly [Index in keyof Calls]: Calls[Index] extends RpcCall<infer A> ? A : never
}

/** Maximum sizes per request. They shrink for an endpoint that refuses requests of full size. */
export interface BulkSizes {
  readonly calls: number
  readonly addresses: number
  readonly balances: number
}
export const defaultSizes: BulkSizes = { calls: 50, addresses: 500, balances: 500 }

export interface RpcEndpoint {
  /** Position in the settings, such as `endpoint 2`. */
  readonly name: string
  /** Sends calls and returns their results in order, in bounded batches. */
  readonly ask: <const Calls extends ReadonlyArray<RpcCall<unknown>>>(
    calls: Calls
  ) => Effect.Effect<Results<Calls>, RpcFault>
  readonly sizes: BulkSizes
  readonly limits: Readonly<Record<"addresses" | "balances" | "blocks", Bulk.Limit>>
}

export const make = Effect.fn("RpcEndpoint.make")(function* (
  name: string,
  url: Redacted.Redacted,
  sizes: BulkSizes = defaultSizes
): Effect.fn.Return<RpcEndpoint, never, HttpClient.HttpClient> {
  const client = yield* HttpClient.HttpClient
  const transport = RpcTransport.make(client, name, url)
  const { fault, refusal } = transport
  const pace = Pace.make<RpcFault>({
    rateOf: (failed) => (isRate(failed) ? { retryAfterMillis: failed.retryAfterMillis ?? 0 } : undefined)
  })
  const limit = Bulk.make("calls", "VENUE_ARBITRUM_CALLS_AT_ONCE")
  const batch = RpcBatch.make(transport)

  const askSome = Effect.fnUntraced(function* (calls: ReadonlyArray<RpcCall<unknown>>) {
    const answers = yield* batch.send(calls)
    const errors = answers.flatMap((answer) => RpcTransport.errorOf(answer) ?? [])
    const missing = calls.some((_, index) => answers.every(({ id }) => id !== index))
    const [error] = errors
    if (error !== undefined) {
      const refused = refusal(error, 200, 0)
      return yield* isRate(refused) && errors.length < answers.length ? fault(refused.reason, "partial") : refused
    }
    if (missing && calls.length > 1)
      return yield* fault(`the endpoint answered only ${answers.length} of ${calls.length} calls`, "refusal")
    return yield* Effect.forEach(calls, ({ method, result }, index) => {
      const answer = answers.find(({ id }) => id === index)
      return Schema.decodeUnknownEffect(result)(answer?.result).pipe(
        Effect.mapError(() => fault(`the response to ${method} has an unexpected form`))
      )
    })
  })

  /** Returns true if the endpoint currently responds to a small call. */
  const isAnswering = batch.send([chainId]).pipe(
    Effect.map((answers) => answers.every((answer) => RpcTransport.errorOf(answer) === undefined)),
    Effect.orElseSucceed(() => false)
  )

  /**
   * Classifies a rate refusal that persists after the pauses of `Pace`. A partly answered batch is halved, but the
   * smaller size is not remembered. A log request is halved if other calls succeed. All other calls fail without a
   * change in size.
   */
  const afterPauses = Effect.fnUntraced(function* (failed: RpcFault, [first]: ReadonlyArray<RpcCall<unknown>>) {
    if (failed.kind === "partial") return new RpcFault({ ...failed, kind: "large" })
    const mayBeSize = failed.kind === "limit" && (failed.retryAfterMillis ?? 0) === 0
    const isSize = mayBeSize && first!.method === "eth_getLogs" && (yield* isAnswering)
    return new RpcFault({ ...failed, kind: isSize ? "refusal" : "rate" })
  })

  const askPart = Effect.fnUntraced(function* (
    calls: ReadonlyArray<RpcCall<unknown>>
  ): Effect.fn.Return<ReadonlyArray<unknown>, RpcFault> {
    let isSent = false
    const send = Effect.suspend(() => {
      isSent = true
      return askSome(calls)
    })
    return yield* Effect.catchIf(pace.run(send), isRate, (failed) =>
      // If the endpoint is paused, nothing was sent, and the refusal belongs to another request.
      Effect.flatMap(
        isSent ? afterPauses(failed, calls) : Effect.succeed(new RpcFault({ ...failed, kind: "rate" })),
        Effect.fail
      )
    )
  })

  /** Sends calls in parts. Anyone can make receipts large, so a batch of receipts might exceed the size limit. */
  const ask = Effect.fnUntraced(function* (calls: ReadonlyArray<RpcCall<unknown>>) {
    const most = (yield* batch.isSingle) ? 1 : sizes.calls
    return yield* Bulk.inParts(limit, most, calls.length, (start, size) => askPart(calls.slice(start, start + size)))
  })

  return {
    name,
    ask: ask as RpcEndpoint["ask"],
    sizes,
    limits: {
      addresses: Bulk.make("addresses", "VENUE_ARBITRUM_ADDRESSES_AT_ONCE"),
      balances: Bulk.make("balances", "VENUE_ARBITRUM_BALANCES_AT_ONCE"),
      blocks: Bulk.make("blocks", "VENUE_ARBITRUM_BLOCKS_AT_ONCE")
    }
  }
})

const chainId = call("eth_chainId", [], Schema.String)
