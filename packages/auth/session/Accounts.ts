/** Look-up of the owners of accounts. */
import type { AccountId } from "@venue/domain/AccountId"
import type { UserId } from "@venue/domain/UserId"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Users } from "@venue/storage/access/Users"
import { Cache, Context, Effect, Exit, Layer, Option } from "effect"

export class Accounts extends Context.Service<
  Accounts,
  {
    readonly ownerOf: (accountId: AccountId) => Effect.Effect<Option.Option<UserId>, DatabaseUnavailable>
  }
>()("@venue/auth/session/Accounts") {
  static readonly layer: Layer.Layer<Accounts, never, Users> = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const users = yield* Users
      const owners = yield* Cache.makeWith(users.ownerOf, {
        capacity: maxKnown,
        // An account's owner never changes, so it is cached for longer; an unknown account might be opened later.
        timeToLive: (exit) => (Exit.isFailure(exit) ? 0 : Option.isSome(exit.value) ? knownFor : unknownFor)
      })
      return Accounts.of({
        ownerOf: (accountId) =>
          accountId.length > maxLength ? Effect.succeed(Option.none()) : Cache.get(owners, accountId)
      })
    })
  )
}

const maxKnown = 20_000
const maxLength = 128
const knownFor = "1 hour"
const unknownFor = "500 millis"
