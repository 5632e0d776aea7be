/** Operators who count as deciders where two people must make the same decision. */
import { firstOperator, mayAct, type OperatorRole } from "@venue/domain/Operator"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Operators } from "@venue/storage/access/Operators"
import { Effect } from "effect"

/** Whether an operator has the role now, and was appointed at or before a time in Unix milliseconds. */
export type MayDecide = (name: string, sinceMillis: number) => boolean

/** Returns a read of the deciders. Without the time, one operator could appoint the second one to decide. */
export const make = (
  role: OperatorRole
): Effect.Effect<Effect.Effect<MayDecide, DatabaseUnavailable>, never, Operators> =>
  Effect.map(Operators, ({ list }) =>
    Effect.map(list, (all): MayDecide => {
      const appointed = new Map(
        all
          .filter(({ removedAtMillis, roles }) => removedAtMillis === null && mayAct(roles, role))
          .map(({ createdAtMillis, name }) => [name, createdAtMillis])
      )
      return (name, sinceMillis) => name === firstOperator || (appointed.get(name) ?? Infinity) <= sinceMillis
    })
  )
