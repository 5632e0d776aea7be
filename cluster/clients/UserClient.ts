/** Sends messages to user entities. */
import type { UserId } from "@venue/domain/UserId"
import { Context, Effect, Layer } from "effect"
import type { Sharding } from "effect/cluster/Sharding"
import type { Unavailable } from "../protocol/Market.ts"
import { User } from "../protocol/User.ts"
import { bounded, type ClusterFault } from "./ClusterFault.ts"

type RawUser = ReturnType<Effect.Success<typeof User.client>>

export class UserClient extends Context.Service<
  UserClient,
  {
    /** Calls a user's entity, with the timeout `deadline`. */
    readonly ask: <A, E>(
      userId: UserId,
      call: (user: RawUser) => Effect.Effect<A, E>
    ) => Effect.Effect<A, Exclude<E, ClusterFault> | Unavailable>
  }
>()("@venue/cluster/UserClient") {
  static readonly layer: Layer.Layer<UserClient, never, Sharding> = Layer.effect(
    UserClient,
    Effect.map(User.client, (client) =>
      UserClient.of({ ask: (userId, call) => bounded(`user ${userId}`, call(client(userId))) })
    )
  )
}
