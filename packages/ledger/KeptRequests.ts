/** Idempotency keys: executes a request once, and rejects another request with the same key (rule 22). */
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
 * Decides a command that may carry a key. Refusals are not stored, so the same request may be retried. Fails with
 * `RequestDone` for a repeat and with `RequestKeyReused` for another request.
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
    // The command was executed, but its key has been dropped, so whether the request was the same is unknown.
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
