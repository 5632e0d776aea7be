/** How many accounts are near liquidation, over all desks. */
import { instant } from "@venue/api/Digits"
import type { AccountsAtRisk } from "@venue/cluster/protocol/Desk"
import { Clock, Effect } from "effect"

export const of = Effect.fn("Risk.of")(function* <E>(asked: Effect.Effect<ReadonlyArray<AccountsAtRisk>, E>) {
  const told = yield* asked
  const sum = (of: (desk: AccountsAtRisk) => number) => told.reduce((total, desk) => total + of(desk), 0)
  return {
    warned: sum(({ warned }) => warned),
    in_liquidation: sum(({ inLiquidation }) => inLiquidation),
    waiting: sum(({ waiting }) => waiting),
    at: instant(yield* Clock.currentTimeMillis)
  }
})
