/** Idempotency keys: executes a request once, and rejects a different request with the same key (rule 22). */
import {
  type KeyedRequest,
  RequestDone,
  type RequestKept,
  RequestKeyReused,
  requestKeptMillis,
  requestsKept
} from "@venue/domain/KeyedRequest"
import type { TraderEvent } from "@venue/domain/Trader"
import { Result } from "effect"
import type { Trader } from "./Trader.ts"

/**
 * Decides a command that might carry an idempotency key. Refusals are not stored, so the client can retry a refused
 * request. Fails with `RequestDone` for a repeat and with `RequestKeyReused` for a different request.
 */
export const once = <Refusal>(
  trader: Trader,
  request: KeyedRequest | undefined,
  atMillis: number,
  decide: () => Result.Result<ReadonlyArray<TraderEvent>, Refusal>
): Result.Result<ReadonlyArray<TraderEvent>, Refusal | RequestDone | RequestKeyReused> => {
  if (request === undefined) return decide()
  const { fingerprint, requestId } = request
  const known = trader.requests.get(requestId)
  if (known?.fingerprint === fingerprint) return Result.fail(new RequestDone({ requestId }))
  if (known !== undefined) return Result.fail(new RequestKeyReused({ requestId }))
  return Result.flatMap(decide(), (events) =>
    // The command was executed before, but its key has been dropped, so this request cannot be compared with the
    // original.
    events.length === 0
      ? Result.fail(new RequestKeyReused({ requestId }))
      : Result.succeed([...events, { _tag: "RequestKept", requestId, fingerprint, atMillis }])
  )
}

/** Stores an executed request and drops expired ones. */
export const keep = ({ requests }: Trader, { atMillis, fingerprint, requestId }: RequestKept): void => {
  requests.set(requestId, { fingerprint, atMillis })
  for (const [oldest, kept] of requests) {
    if (requests.size <= requestsKept || kept.atMillis > atMillis - requestKeptMillis) return
    requests.delete(oldest)
  }
}
