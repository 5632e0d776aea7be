/** The users a dev venue starts with: funded, onboarded, and the same after a restart. */
import { Desks } from "@venue/cluster/Link"
import { ApiKeys } from "@venue/storage/ApiKeys"
import { Users } from "@venue/storage/Users"
import { Effect, Redacted, Schedule } from "effect"
import type { SecretUser } from "./Secrets.ts"

const permissions = [
  "view_orders",
  "view_positions",
  "view_balance",
  "execute_orders",
  "subaccount_ops",
  "deposit_withdraw"
]

const usd = 1_000_000n
/** What each demo user begins with. */
const funds = 100_000n * usd
/** Enough to quote every listed market. */
const makerFunds = 50_000_000n * usd

export const makerName = "market-maker"

export const demoNames = ["alice", "bob", "carol"]

export const extraNames = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `trader-${index + 1}`)

/** Repeating it changes nothing. */
export const plant = Effect.fn("Seed.plant")(function* (people: ReadonlyArray<SecretUser>) {
  const users = yield* Users
  const keys = yield* ApiKeys
  const desks = yield* Desks
  yield* Effect.forEach(
    people,
    Effect.fnUntraced(function* ({ name, publicKey, secretKey, userId }) {
      yield* users.create({ userId, name })
      yield* keys
        .create({
          publicKey,
          userId,
          label: name,
          secret: Redacted.make(secretKey),
          permissions,
          scope: "all_accounts"
        })
        .pipe(Effect.catchTag("ApiKeyExists", () => Effect.void))
      const credit = desks.ask(userId, (desk) =>
        desk.Change({
          userId,
          cost: { bucket: "general", weight: 0 },
          command: {
            _tag: "Credit",
            creditId: `dev-start-${userId}`,
            accountId: userId,
            amount: name === makerName ? makerFunds : funds,
            reason: "dev start"
          }
        })
      )
      yield* Effect.retry(credit, {
        while: (error) => error._tag === "Unavailable",
        schedule: Schedule.spaced("200 millis")
      })
    }),
    { concurrency: 64, discard: true }
  )
})
