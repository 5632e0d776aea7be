/** Operators' flags on users and addresses: `flagged` holds withdrawals for review, and `frozen` blocks them. */
import { of, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Schema } from "effect"

const flagTable = Table.make("treasury_flag", {
  kind: of("text", Schema.Literals(["user", "address"])),
  /** User id, or an address in the letter case that users see. */
  subject: text,
  effect: of("text", Schema.Literals(["flagged", "frozen"])),
  reason: text,
  setBy: text,
  setAtMillis: timestamptz
})
export type TreasuryFlag = Table.Row<typeof flagTable>
type FlagKey = Pick<TreasuryFlag, "kind" | "subject" | "effect">

export class TreasuryFlags extends Context.Service<
  TreasuryFlags,
  {
    /** Sets a flag; if it is already set, keeps the first reason. */
    readonly set: (flag: Omit<TreasuryFlag, "setAtMillis">) => Effect.Effect<void, DatabaseUnavailable>
    /** Clears a flag; returns false if it was not set. */
    readonly clear: (flag: FlagKey) => Effect.Effect<boolean, DatabaseUnavailable>
    readonly about: (
      kind: TreasuryFlag["kind"],
      subject: string
    ) => Effect.Effect<ReadonlyArray<TreasuryFlag>, DatabaseUnavailable>
    /** Returns the flags, newest first. */
    readonly all: (limit: number) => Effect.Effect<ReadonlyArray<TreasuryFlag>, DatabaseUnavailable>
  }
>()("@venue/storage/treasury/TreasuryFlags") {
  static readonly layer = Store.layer(TreasuryFlags, () => make)
  static readonly layerMemory = Store.layerMemory(TreasuryFlags, () => make)
}

const make = Effect.gen(function* () {
  const flags = yield* Store.make(flagTable, {
    key: ["kind", "subject", "effect"],
    order: { setAtMillis: "desc", kind: "asc", subject: "asc", effect: "asc" }
  })
  return TreasuryFlags.of({
    set: Effect.fn("TreasuryFlags.set")(function* (flag) {
      yield* flags.insert({ ...flag, setAtMillis: yield* Clock.currentTimeMillis })
    }),
    clear: Effect.fn("TreasuryFlags.clear")(({ effect, kind, subject }: FlagKey) =>
      flags.remove({ effect, kind, subject })
    ),
    about: Effect.fn("TreasuryFlags.about")(function* (kind: TreasuryFlag["kind"], subject: string) {
      const set = yield* flags.list({ kind, subject })
      return set.toSorted((a, b) => (a.effect < b.effect ? -1 : 1))
    }),
    all: Effect.fn("TreasuryFlags.all")((limit: number) => flags.list({}, limit))
  })
})
