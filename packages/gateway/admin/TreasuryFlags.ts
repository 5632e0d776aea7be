/** Handles the operator endpoints that list, set and clear treasury flags for users and addresses. */
import { AdminApi } from "@venue/api/admin/Api"
import { Operator } from "@venue/api/admin/Operator"
import { instant } from "@venue/api/Digits"
import { shown } from "@venue/api/Fault"
import { type Problems } from "@venue/api/Problem"
import { isUuid } from "@venue/domain/Id"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import { type TreasuryFlag, TreasuryFlags } from "@venue/storage/treasury/TreasuryFlags"
import { Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import * as Destination from "../treasury/Destination.ts"

export const layer = group(
  AdminApi,
  "treasuryFlags",
  Effect.fnUntraced(function* (handlers) {
    const audit = yield* Audit
    const flags = yield* TreasuryFlags
    const transaction = yield* Transaction
    const refusals = yield* apiProblems
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
          Effect.map((list) => ({ data: list.map(listedFlag), count: list.length })),
          Effect.catchTags(unavailable)
        )
      )
      .handle(
        "set",
        Effect.fnUntraced(
          function* ({ payload }) {
            const flag = yield* canonical(refusals, payload)
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
            const flag = yield* canonical(refusals, payload)
            if (!(yield* flags.clear(flag)))
              return yield* refusals.notFound("flag on", flag.subject, "list the flags with GET /treasury-flags")
            yield* record("treasury_flag_cleared", flag)
          },
          transaction.run,
          Effect.catchTags(unavailable)
        )
      )
  })
)

const maxListed = 1_000

const listedFlag = ({ effect, kind, reason, setAtMillis, setBy, subject }: TreasuryFlag) => ({
  kind,
  subject,
  effect,
  reason,
  set_by: setBy,
  set_at: instant(setAtMillis)
})

type RequestedFlag = Pick<TreasuryFlag, "kind" | "subject" | "effect" | "reason">

/** Returns the flag with its subject spelled as in withdrawals, or refuses an invalid subject. */
const canonical = (refusals: Problems, { effect, kind, reason, subject }: RequestedFlag) => {
  const address = kind === "address" ? Destination.ofAnyNetwork(subject) : undefined
  const known = address ?? (isUuid(subject) ? subject.toLowerCase() : undefined)
  return known === undefined
    ? Effect.fail(refusals.unfit("body.subject", `Expected ${expected[kind]}`, shown(subject)))
    : Effect.succeed({ kind, subject: known, effect, reason })
}

const expected: { readonly [Kind in RequestedFlag["kind"]]: string } = {
  user: "a user id, which is a UUID",
  address: `${Destination.expected.ARBITRUM_ONE}; ${Destination.expected.TRON}; or a bank account id, which is a UUID`
}
