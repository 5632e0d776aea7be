/** What was done for requests with a key: the same is not done twice, and the key is good for nothing else. */
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

/** The decision of a command that may have a key; a refusal is not kept, so that the same may be asked again. */
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
    // The request is forgotten, and what was done for it is not: nobody can say whether it was the same.
    events.length === 0
      ? Result.fail(new RequestKeyReused({ requestId }))
      : Result.succeed([...events, { _tag: "RequestKept", requestId, fingerprint, atMillis }])
  )
}

export const keep = ({ requests }: Trader, { atMillis, fingerprint, requestId }: RequestKept): void => {
  requests.set(requestId, { fingerprint, atMillis })
  for (const [oldest, kept] of requests) {
    if (requests.size <= requestsKept || kept.atMillis > atMillis - requestKeptMillis) return
    requests.delete(oldest)
  }
}
