/** Halts the venue when a process starts, before it serves anything. */
import { VenueModeActions } from "@venue/auth/access/VenueModeActions"
import { venue } from "@venue/domain/VenueMode"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { Effect, Layer } from "effect"
import type { SharedSettings } from "./Settings.ts"

/** Halts trading and blocks withdrawals. Keeps the reason of an earlier halt. */
export const halt = (reason: string) =>
  Effect.flatMap(VenueModeActions, (actions) => actions.halt({ actor: venue, reason }))

/** Services of a halt, for use before those of the node exist. */
export const services = Layer.fresh(
  Layer.provideMerge(VenueModeActions.layer, [Audit.layer, Transaction.layer, VenueModes.layer])
)

/** Halts the venue if `VENUE_START` requests it. */
export const apply = Effect.fn("StartMode.apply")(function* ({ startMode }: Pick<SharedSettings, "startMode">) {
  if (startMode === "as-stored") return
  yield* Effect.provide(
    halt("The venue was started with VENUE_START=halted. Remove the setting, check the venue, and resume."),
    services
  )
})
