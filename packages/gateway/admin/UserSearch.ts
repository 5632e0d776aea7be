/** Finds users by id, account, wallet address, name or username, and reads what operators see of a user. */
import type { UserDetail, UserSummary } from "@venue/api/admin/UserLookups"
import { instant } from "@venue/api/Digits"
import { AccountId } from "@venue/domain/AccountId"
import { isUuid } from "@venue/domain/Id"
import type { UserId } from "@venue/domain/UserId"
import { Identities } from "@venue/storage/access/Identities"
import { Profiles } from "@venue/storage/access/Profiles"
import { type UserState, UserStates } from "@venue/storage/access/UserStates"
import { Users } from "@venue/storage/access/Users"
import { Effect, Option } from "effect"

export const make = Effect.gen(function* () {
  const identities = yield* Identities
  const profiles = yield* Profiles
  const states = yield* UserStates
  const users = yield* Users

  /** Returns the ids of the users that match the text in full. */
  const find = Effect.fn("UserSearch.find")(function* (text: string) {
    const wanted = text.trim()
    if (isUuid(wanted.toLowerCase())) {
      return Option.toArray(yield* users.ownerOf(AccountId.make(wanted.toLowerCase())))
    }
    const byAddress = /^0x[0-9a-f]{40}$/i.test(wanted) ? yield* identities.userOf(wanted) : Option.none<UserId>()
    const byUsername = yield* profiles.userOf(wanted)
    const named = yield* users.named(wanted)
    const all = [...Option.toArray(byAddress), ...Option.toArray(byUsername), ...named.map(({ userId }) => userId)]
    return [...new Set(all)].slice(0, maxFound)
  })

  const summaryIn = Effect.fnUntraced(function* (userId: UserId, { frozen, identity }: UserState) {
    const user = Option.getOrThrow(yield* users.find(userId))
    const { username } = yield* profiles.find(userId)
    const addresses = (yield* identities.ofUser(userId)).map(({ address }) => address)
    return {
      user_id: userId,
      name: user.name,
      username,
      wallet_addresses: addresses,
      frozen,
      identity,
      created_at: instant(user.createdAtMillis)
    } satisfies typeof UserSummary.Type
  })

  const summaryOf = Effect.fn("UserSearch.summaryOf")(function* (userId: UserId) {
    return yield* summaryIn(userId, yield* states.find(userId))
  })

  const detailOf = Effect.fn("UserSearch.detailOf")(function* (userId: UserId) {
    const state = yield* states.find(userId)
    const { country, hasSecondFactor, seenIn, termsVersion } = state
    const accounts = yield* users.accounts(userId)
    return {
      ...(yield* summaryIn(userId, state)),
      country,
      seen_in: seenIn,
      terms_version: termsVersion,
      has_second_factor: hasSecondFactor,
      account_ids: accounts.map(({ accountId }) => accountId)
    } satisfies typeof UserDetail.Type
  })

  return { find, summaryOf, detailOf }
})

const maxFound = 100
