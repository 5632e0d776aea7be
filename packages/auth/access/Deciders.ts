/** Operators who count as deciders where two people must make the same decision. */
import { firstOperator, mayAct, type OperatorRole } from "@venue/domain/Operator"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Operators } from "@venue/storage/access/Operators"
import { Effect } from "effect"

/**
 * Whether an operator has the role now, and has held the token alone since a time in Unix milliseconds. The first admin
 * always counts.
 */
export type MayDecide = (name: string, sinceMillis: number) => boolean

/**
 * Returns a read of the deciders. Without the time, one operator could appoint the second one, or renew the second one's
 * token, and decide alone.
 */
export const make = (
  role: OperatorRole
): Effect.Effect<Effect.Effect<MayDecide, DatabaseUnavailable>, never, Operators> =>
  Effect.map(Operators, ({ list }) =>
    Effect.map(list, (all): MayDecide => {
      const since = new Map(
        all
          .filter(({ removedAtMillis, roles }) => removedAtMillis === null && mayAct(roles, role))
          .map(({ name, ownTokenSinceMillis }) => [name, ownTokenSinceMillis])
      )
      return (name, sinceMillis) => name === firstOperator || (since.get(name) ?? Infinity) <= sinceMillis
    })
  )
