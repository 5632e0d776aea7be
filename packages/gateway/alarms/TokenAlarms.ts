/** Alarms for operators' tokens that expire within 7 days, or have expired. */
import { instant } from "@venue/api/Digits"
import { Operators } from "@venue/storage/access/Operators"
import { Clock, Effect } from "effect"
import { type Condition, reading } from "./AlarmSource.ts"

export const make = Effect.map(Operators, ({ list }) =>
  Effect.zipWith(list, Clock.currentTimeMillis, (operators, nowMillis) => [
    reading(
      "tokens",
      operators.flatMap(({ expiresAtMillis, name, removedAtMillis }) =>
        removedAtMillis === null && expiresAtMillis !== null && expiresAtMillis - nowMillis <= expiringMillis
          ? [expiring(name, expiresAtMillis, nowMillis)]
          : []
      )
    )
  ])
)

const expiring = (name: string, expiresAtMillis: number, nowMillis: number): Condition => ({
  kind: "TOKEN_EXPIRING",
  symbol: null,
  since: instant(expiresAtMillis - expiringMillis),
  operator: name,
  reason:
    expiresAtMillis <= nowMillis
      ? `The token of ${name} expired at ${instant(expiresAtMillis)}. Renew it, or dismiss the operator.`
      : `The token of ${name} expires at ${instant(expiresAtMillis)}. Renew it before then.`
})

const expiringMillis = 7 * 86_400_000
