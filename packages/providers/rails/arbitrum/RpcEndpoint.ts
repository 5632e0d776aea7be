/** One server that answers for the chain, by JSON-RPC over HTTP. What it says is decoded here, and believed nowhere yet. */
import { Effect, type Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"
import * as Pace from "../../Pace.ts"
import * as Bulk from "./Bulk.ts"
import type { RpcFault } from "./RpcFault.ts"
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

/** The most that is sent in one request; an endpoint that refuses it is sent less. */
export interface BulkSizes {
  readonly calls: number
  readonly addresses: number
  readonly balances: number
}
export const defaultSizes: BulkSizes = { calls: 50, addresses: 500, balances: 500 }

export interface RpcEndpoint {
  /** Its place among the addresses of the settings, such as `endpoint 2`. */
  readonly name: string
  /** In the order asked, a bounded number at a time. */
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
    rateOf: ({ kind, retryAfterMillis = 0 }) => (kind === "rate" ? { retryAfterMillis } : undefined)
  })
  const limit = Bulk.make("calls", "VENUE_ARBITRUM_CALLS_AT_ONCE")
  /** Undefined until a request was answered: some servers take no arrays of calls, even of one. */
  let takesArrays: boolean | undefined

  const sendAll = Effect.fnUntraced(function* (calls: ReadonlyArray<RpcCall<unknown>>) {
    const said = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }))
    const [first, second] = said
    const maxSize = second === undefined ? maxBytesOfOne : maxBytes
    const alone = transport.send(first!, maxSize)
    if (second === undefined && takesArrays === false) return yield* alone
    const asArray = Effect.tap(transport.send(said, maxSize), () => Effect.sync(() => void (takesArrays = true)))
    if (second !== undefined) return yield* asArray
    const mayRefuseArrays = (failed: RpcFault) =>
      Bulk.isTooMuch(failed) && (takesArrays === undefined || /batch|array/i.test(failed.reason))
    return yield* Effect.catchIf(asArray, mayRefuseArrays, () =>
      Effect.tap(alone, () => Effect.sync(() => void (takesArrays = false)))
    )
  })

  const askSome = Effect.fnUntraced(function* (calls: ReadonlyArray<RpcCall<unknown>>) {
    const answers = yield* sendAll(calls)
    const errors = answers.flatMap((answer) => RpcTransport.errorOf(answer) ?? [])
    const missing = calls.some((_, index) => answers.every(({ id }) => id !== index))
    const [error] = errors
    if (error !== undefined) {
      const refused = refusal(error, 200, 0)
      // What was answered of a batch shows that all of it at once is too fast.
      return yield* refused.kind === "rate" && errors.length < answers.length
        ? fault(refused.reason, "refusal")
        : refused
    }
    if (missing && calls.length > 1)
      return yield* fault(`it answers ${answers.length} of ${calls.length} calls`, "refusal")
    return yield* Effect.forEach(calls, ({ method, result }, index) => {
      const answer = answers.find(({ id }) => id === index)
      return Schema.decodeUnknownEffect(result)(answer?.result).pipe(
        Effect.mapError(() => fault(`its answer to ${method} has another form than was agreed`))
      )
    })
  })

  /** A batch that stays too fast after its pauses is smaller the next time. */
  const askPart = (calls: ReadonlyArray<RpcCall<unknown>>) =>
    Effect.tapError(pace.run(askSome(calls)), (failed) =>
      failed.kind === "rate" && calls.length > 1 ? limit.learn(Math.floor(calls.length / 2), failed) : Effect.void
    )

  /** Anybody makes receipts large, so that many of them at once may be more than is read. */
  const ask = (calls: ReadonlyArray<RpcCall<unknown>>) =>
    Bulk.inParts(limit, takesArrays === false ? 1 : sizes.calls, calls.length, (start, size) =>
      askPart(calls.slice(start, start + size))
    )

  return {
    name,
    ask: ((calls) => Effect.suspend(() => ask(calls))) as RpcEndpoint["ask"],
    sizes,
    limits: {
      addresses: Bulk.make("addresses", "VENUE_ARBITRUM_ADDRESSES_AT_ONCE"),
      balances: Bulk.make("balances", "VENUE_ARBITRUM_BALANCES_AT_ONCE"),
      blocks: Bulk.make("blocks", "VENUE_ARBITRUM_BLOCKS_AT_ONCE")
    }
  }
})

const maxBytes = 16 * 1_048_576
/** A transaction has 32 million gas at most, which is 35 MB of empty logs: no receipt of the chain is larger. */
const maxBytesOfOne = 64 * 1_048_576
