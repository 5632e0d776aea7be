/** Each rail's scan cursor, and the time since which the rail has been unavailable. */
import { RailName } from "@venue/domain/Rail"
import { RailOutage, stored } from "@venue/domain/TreasuryReason"
import { of, orNull, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Option } from "effect"

const stateTable = Table.make("rail_state", {
  rail: of("text", RailName),
  /** Opaque cursor of the next scan; null before the first scan. */
  cursor: orNull(text),
  scannedAtMillis: orNull(timestamptz),
  /** Null while the rail is available. */
  unavailableSinceMillis: orNull(timestamptz),
  cause: orNull(of("jsonb", stored(RailOutage)))
})
export type RailState = Table.Row<typeof stateTable>

export class RailStates extends Context.Service<
  RailStates,
  {
    /** Returns a rail's state, or default values for a rail without a row. */
    readonly find: (rail: RailName) => Effect.Effect<RailState, DatabaseUnavailable>
    /**
     * Moves the cursor from `before` to `cursor`. Does nothing if the stored cursor differs from `before`, because
     * another owner has moved it.
     */
    readonly scanned: (
      rail: RailName,
      before: string | null,
      cursor: string
    ) => Effect.Effect<void, DatabaseUnavailable>
    /** Ends a rail's outage. */
    readonly answers: (rail: RailName) => Effect.Effect<void, DatabaseUnavailable>
    /** Records an outage; a repeated call keeps the first time. */
    readonly unavailable: (rail: RailName, cause: RailOutage) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/treasury/RailStates") {
  static readonly layer = Store.layer(RailStates, () => make)
  static readonly layerMemory = Store.layerMemory(RailStates, () => make)
}

const make = Effect.gen(function* () {
  const states = yield* Store.make(stateTable, { key: ["rail"] })
  const find = Effect.fn("RailStates.find")(function* (rail: RailName) {
    return Option.getOrElse(yield* states.find({ rail }), () => unknown(rail))
  })
  return RailStates.of({
    find,
    scanned: Effect.fn("RailStates.scanned")(function* (rail, before, cursor) {
      const scannedAtMillis = yield* Clock.currentTimeMillis
      yield* states.modify({ rail }, (state = unknown(rail)) =>
        state.cursor === before ? { ...state, cursor, scannedAtMillis } : undefined
      )
    }),
    answers: Effect.fn("RailStates.answers")(function* (rail: RailName) {
      if ((yield* find(rail)).unavailableSinceMillis === null) return
      yield* states.update({ rail }, { unavailableSinceMillis: null, cause: null })
    }),
    unavailable: Effect.fn("RailStates.unavailable")(function* (rail, cause) {
      const now = yield* Clock.currentTimeMillis
      yield* states.modify({ rail }, (state = unknown(rail)) => ({
        ...state,
        unavailableSinceMillis: state.unavailableSinceMillis ?? now,
        cause
      }))
    })
  })
})

const unknown = (rail: RailName): RailState => ({
  rail,
  cursor: null,
  scannedAtMillis: null,
  unavailableSinceMillis: null,
  cause: null
})
