/**
 * A new code is registered with its owner's desk. Before an order carries it, its owner has joined every market and each
 * market knows the code.
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { type BuilderCode, BuilderCodes } from "@venue/storage/access/BuilderCodes"
import { Effect, Option } from "effect"

/** Shows `builder_rewards` in the owner's balance once it has answered. Repeating it changes nothing. */
export const registration = Effect.map(
  DeskClient,
  (desks) =>
    ({ builderCode, userId }: Pick<BuilderCode, "builderCode" | "userId">) =>
      desks.ask(userId, (desk) => desk.RegisterBuilder({ builderCode, ownerId: userId }))
)

/** Asks the owner's desk, which answers at once where all is done; once that is known here it is not asked again. */
export const make = Effect.map(DeskClient, (desks) => {
  const appointed = new Set<string>()
  return Effect.fnUntraced(function* ({ builderBps, builderCode, userId, venueBps }: BuilderCode) {
    if (appointed.has(builderCode)) return
    yield* desks.ask(userId, (desk) => desk.AppointBuilder({ builderCode, ownerId: userId, venueBps, builderBps }))
    appointed.add(builderCode)
  })
})

/** Orders carry only what earns somebody a share: of codes that strangers make up there is no end. */
export const earning = Effect.gen(function* () {
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
