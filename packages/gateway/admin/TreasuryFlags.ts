/** Answers an operator who holds something against a user or an address, or does so no more. */
import { AdminApi } from "@venue/api/admin/Api"
import { Operator } from "@venue/api/admin/Operator"
import { instant } from "@venue/api/Digits"
import { problems } from "@venue/api/Problem"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import { type TreasuryFlag, TreasuryFlags } from "@venue/storage/treasury/TreasuryFlags"
import { Effect } from "effect"
import { group } from "../http/Endpoints.ts"

export const layer = (baseUrl: string) =>
  group(
    AdminApi,
    "treasuryFlags",
    Effect.fnUntraced(function* (handlers) {
      const audit = yield* Audit
      const flags = yield* TreasuryFlags
      const transaction = yield* Transaction
      const refusals = problems(baseUrl)
      const unavailable = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }
      const record = Effect.fnUntraced(function* (
        action: string,
        { effect, kind, reason, subject }: Pick<TreasuryFlag, "kind" | "subject" | "effect" | "reason">
      ) {
        const { name } = yield* Operator
        yield* audit.record({ action, actor: name, subject, facts: { kind, effect, reason } })
      })

      return handlers
        .handle("list", () =>
          flags.all(maxListed).pipe(
            Effect.map((list) => ({ data: list.map(told), count: list.length })),
            Effect.catchTags(unavailable)
          )
        )
        .handle(
          "set",
          Effect.fnUntraced(
            function* ({ payload }) {
              const flag = written(payload)
              const { name } = yield* Operator
              yield* flags.set({ ...flag, setBy: name })
              yield* record("treasury_flag_set", flag)
            },
            transaction.run,
            Effect.catchTags(unavailable)
          )
        )
        .handle(
          "clear",
          Effect.fnUntraced(
            function* ({ payload }) {
              const flag = written(payload)
              if (!(yield* flags.clear(flag))) return yield* refusals.notFound("flag")
              yield* record("treasury_flag_cleared", flag)
            },
            transaction.run,
            Effect.catchTags(unavailable)
          )
        )
    })
  )

const maxListed = 1_000

const told = ({ effect, kind, reason, setAtMillis, setBy, subject }: TreasuryFlag) => ({
  kind,
  subject,
  effect,
  reason,
  set_by: setBy,
  set_at: instant(setAtMillis)
})

type Named = Pick<TreasuryFlag, "kind" | "subject" | "effect" | "reason">

/** As withdrawals name their users. */
const written = ({ effect, kind, reason, subject }: Named): Named => ({
  kind,
  subject: kind === "user" ? subject.toLowerCase() : subject,
  effect,
  reason
})
