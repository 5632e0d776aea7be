/** How many accounts are near liquidation, over all desks. */
import { instant } from "@venue/api/Digits"
import type { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Clock, Effect } from "effect"

export const of = Effect.fn("Risk.of")(function* (deskClient: DeskClient["Service"], desks: number) {
  const told = yield* Effect.forEach(
    Array.from({ length: desks }, (_, id) => String(id)),
    (id) => deskClient.askDesk(id, (desk) => desk.AtRisk()),
    { concurrency: 8 }
  )
  const sum = (of: (desk: (typeof told)[number]) => number) => told.reduce((total, desk) => total + of(desk), 0)
  return {
    warned: sum(({ warned }) => warned),
    in_liquidation: sum(({ inLiquidation }) => inLiquidation),
    waiting: sum(({ waiting }) => waiting),
    at: instant(yield* Clock.currentTimeMillis)
  }
})
