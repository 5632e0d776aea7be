/** Builders and the wallets that they register. */
import { Profiles } from "@venue/storage/access/Profiles"
import { TestVenue } from "@venue/testing/TestVenue"
import { Effect } from "effect"
import { wallet } from "../../../auth/wallet/Wallets.ts"
import { RestClient } from "../RestClient.ts"
import { withoutCredentials, byKeyOf, type Provocation } from "./Scene.ts"

/** Returns a builder with an active code. Without a username, the builder's wallet registrations fail. */
export const activeBuilder = Effect.fnUntraced(function* (username: string | undefined) {
  const { admin } = yield* RestClient
  const user = yield* (yield* TestVenue).user(username ?? "unnamed", 0, ["register_user"])
  if (username !== undefined) yield* (yield* Profiles).change(user.userId, { username })
  const shares = { acme_fee_share_bps: 5_000, builder_fee_share_bps: 3_000 }
  const { body } = yield* byKeyOf(user, "POST", "/user/builder-code", shares)
  const builderCode: string = body.builder_code
  yield* admin("POST", "/builder-codes/activate", { builder_code: builderCode, reason: "a test" })
  return { user, builderCode }
})

let wallets = 100

/** Requests a key for a wallet; `altered` changes the signed body. */
export const registration = (
  altered: (signed: { readonly message: string; readonly signature: string }) => unknown
): Provocation =>
  Effect.gen(function* () {
    const owner = wallet(++wallets)
    const { builderCode, user } = yield* activeBuilder(`builder-no-${wallets}`)
    const path = `/builder/web3/message?address=${owner.address}&builder_code=${builderCode}`
    const { message } = (yield* withoutCredentials("GET", path)).body
    const body = altered({ message, signature: owner.sign(message) })
    return yield* byKeyOf(user, "POST", "/builder/web3/api-key", body)
  })
