/** JSON-RPC batches. An endpoint that does not accept arrays receives single calls. */
import { Clock, Effect, type Schema } from "effect"
import * as Bulk from "./Bulk.ts"
import { isTooMuch, type RpcFault } from "./RpcFault.ts"
import type * as RpcTransport from "./RpcTransport.ts"

export interface RpcRequest {
  readonly method: string
  readonly params: ReadonlyArray<Schema.Json>
}

export interface RpcBatch {
  readonly send: (calls: ReadonlyArray<RpcRequest>) => Effect.Effect<ReadonlyArray<RpcTransport.RpcAnswer>, RpcFault>
  /** Whether calls are currently sent one by one. */
  readonly isSingle: Effect.Effect<boolean>
}

export const make = (transport: ReturnType<typeof RpcTransport.make>): RpcBatch => {
  let hasTakenArrays = false
  let singleUntilMillis = 0
  const isSingle = Effect.map(Clock.currentTimeMillis, (now) => now < singleUntilMillis)

  /** The refusal of an array might be temporary, so arrays are tried again after 10 minutes. */
  const sendSingles = Effect.fnUntraced(function* ({ endpoint, reason }: RpcFault) {
    singleUntilMillis = (yield* Clock.currentTimeMillis) + Bulk.rememberedMillis
    yield* Effect.logWarning(
      `Arbitrum One: ${endpoint}: ${reason}. The venue sends calls one by one instead of in batches for 10 minutes`
    )
  })

  const mayRefuseArrays = (failed: RpcFault) =>
    isTooMuch(failed) && (!hasTakenArrays || /batch|array/i.test(failed.reason))

  return {
    send: Effect.fnUntraced(function* (calls) {
      const requests = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }))
      const [first, second] = requests
      const maxSize = second === undefined ? maxBytesOfOne : maxBytes
      const alone = transport.send(first!, maxSize)
      if (second === undefined && (yield* isSingle)) return yield* alone
      const asArray = Effect.tap(transport.send(requests, maxSize), () =>
        Effect.sync(() => void (hasTakenArrays = true))
      )
      if (second !== undefined) return yield* asArray
      return yield* Effect.catchIf(asArray, mayRefuseArrays, (failed) => Effect.tap(alone, () => sendSingles(failed)))
    }),
    isSingle
  }
}

const maxBytes = 16 * 1_048_576
/** A transaction has at most 32 million gas, enough for 35 MB of empty logs, so no receipt on the chain is larger. */
const maxBytesOfOne = 64 * 1_048_576
