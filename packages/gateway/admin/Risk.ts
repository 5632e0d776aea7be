/** Number of accounts near liquidation across all desks. */
import { instant } from "@venue/api/Digits"
import type { AccountsAtRisk } from "@venue/cluster/protocol/Desk"
import { Clock, Effect } from "effect"

export const of = Effect.fn("Risk.of")(function* <E>(atRisk: Effect.Effect<ReadonlyArray<AccountsAtRisk>, E>) {
  const desks = yield* atRisk
  const sum = (of: (desk: AccountsAtRisk) => number) => desks.reduce((total, desk) => total + of(desk), 0)
  return {
    warned: sum(({ warned }) => warned),
    in_liquidation: sum(({ inLiquidation }) => inLiquidation),
    waiting: sum(({ waiting }) => waiting),
    at: instant(yield* Clock.currentTimeMillis)
  }
})
