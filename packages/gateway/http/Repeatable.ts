/** Idempotent requests: the idempotency key determines the id of the command, so a repeat changes nothing. */
import { replayedHeader } from "@venue/api/Repeatable"
import { version4 } from "@venue/domain/Id"
import type { KeyedRequest, RequestDone } from "@venue/domain/KeyedRequest"
import type { UserId } from "@venue/domain/UserId"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { createHash } from "node:crypto"

/**
 * Returns a request's id and fingerprint, or undefined without a key. `content` holds all fields of the request in a
 * fixed order.
 */
export const requestOf = (
  userId: UserId,
  operation: string,
  headers: { readonly "idempotency-key"?: string },
  content: ReadonlyArray<string>
): KeyedRequest | undefined => {
  const key = headers["idempotency-key"]
  if (key === undefined) return undefined
  const digest = digestOf([userId, operation, key])
  const [a, b, c, d] = [0, 4, 8, 12].map((at) => digest.readInt32BE(at)) as [number, number, number, number]
  return { requestId: version4(a, b, c, d).text, fingerprint: digestOf(content).toString("base64url") }
}

/**
 * Runs the call. Returns true if an earlier request with the same id has already done it. Retries unknown outcomes,
 * which is safe with the same id.
 */
export const isRepeat = <A, E extends { readonly _tag: string }, R>(
  call: Effect.Effect<A, E, R>
): Effect.Effect<boolean, Exclude<E, RequestDone>, R> =>
  Effect.retry(call, { while: ({ _tag }) => _tag === "Unavailable", times: 2 }).pipe(
    Effect.as(false),
    Effect.catchIf(
      (error): error is Extract<E, RequestDone> => error._tag === "RequestDone",
      () => Effect.succeed(true)
    )
  ) as Effect.Effect<boolean, Exclude<E, RequestDone>, R>

/** Returns the body, with the replay header added for a repeat. */
export const answer = <A>(body: A, isRepeated: boolean) =>
  HttpApiSchema.withHeaders({ body, headers: isRepeated ? { [replayedHeader]: "true" as const } : {} })

const digestOf = (parts: ReadonlyArray<string>): Buffer => createHash("sha256").update(JSON.stringify(parts)).digest()
