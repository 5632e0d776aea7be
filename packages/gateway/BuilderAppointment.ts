/**
 * Registration and appointment of builder codes. A new code is registered at its owner's desk. Before the first order
 * with a code, the code's owner joins every market and each market receives the code.
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { type BuilderCode, BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { Effect, Option } from "effect"

/** Registers a code at its owner's desk, after which the owner's balance shows `builder_rewards`. Idempotent. */
export const registration = Effect.map(
  DeskClient,
  (desks) =>
    ({ builderCode, userId }: Pick<BuilderCode, "builderCode" | "userId">) =>
      desks.ask(userId, (desk) => desk.RegisterBuilder({ builderCode, ownerId: userId }))
)

/** Appoints a code at its owner's desk. Caches successes, so each process appoints a code only once. */
export const make = Effect.map(DeskClient, (desks) => {
  const appointed = new Set<string>()
  return Effect.fnUntraced(function* ({ builderBps, builderCode, userId, venueBps }: BuilderCode) {
    if (appointed.has(builderCode)) return
    yield* desks.ask(userId, (desk) => desk.AppointBuilder({ builderCode, ownerId: userId, venueBps, builderBps }))
    appointed.add(builderCode)
  })
})

/** Returns the code if it is active, otherwise an empty string: unknown codes from clients must not reach orders. */
export const earningCode = Effect.gen(function* () {
  const builders = yield* BuilderCodes
  const appoint = yield* make
  return Effect.fnUntraced(function* (code: string) {
    if (code === "") return ""
    const builder = yield* builders.find(code)
    if (Option.isNone(builder) || !builder.value.active) return ""
    yield* appoint(builder.value)
    return code
  })
})
