/** Changes that clients may send again under a key of theirs: each is one command, whose id follows from the key. */
import { replayedHeader } from "@venue/api/Repeatable"
import { version4 } from "@venue/domain/Id"
import type { KeyedRequest, RequestDone } from "@venue/domain/KeyedRequest"
import type { UserId } from "@venue/domain/UserId"
import { Effect } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { createHash } from "node:crypto"

/** Undefined without a key. `asked` is all that was asked, in one order. */
export const requestOf = (
  userId: UserId,
  operation: string,
  headers: { readonly "idempotency-key"?: string },
  asked: ReadonlyArray<string>
): KeyedRequest | undefined => {
  const key = headers["idempotency-key"]
  if (key === undefined) return undefined
  const digest = digestOf([userId, operation, key])
  const [a, b, c, d] = [0, 4, 8, 12].map((at) => digest.readInt32BE(at)) as [number, number, number, number]
  return { requestId: version4(a, b, c, d).text, fingerprint: digestOf(asked).toString("base64url") }
}

/** Says whether it was done before. What is unknown is asked again: the same id changes nothing twice. */
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

/** The answer is the first one, however often it is given. */
export const answer = <A>(body: A, isRepeated: boolean) =>
  HttpApiSchema.withHeaders({ body, headers: isRepeated ? { [replayedHeader]: "true" as const } : {} })

const digestOf = (parts: ReadonlyArray<string>): Buffer => createHash("sha256").update(JSON.stringify(parts)).digest()
