/** Rail audits, which compare the amount that a rail held with the amount in the auditor's books. */
import { RailName } from "@venue/domain/Rail"
import { bigint, integer, numeric, of, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { Context, Effect } from "effect"

const auditTable = Table.make("rail_audit", {
  rail: of("text", RailName),
  /** Number of the audited holdings report. */
  number: bigint,
  /** Amount that the rail held, in 1e-6 USD as all amounts are. */
  amount: numeric,
  /** Amount in the auditor's books. */
  books: numeric,
  /** Part of `books` that has arrived but is not credited to any user. */
  uncredited: numeric,
  position: text,
  asOfMillis: timestamptz,
  /** Number of consecutive holdings reports, up to this one, that differed from the books. */
  times: integer
})
export type RailAudit = Table.Row<typeof auditTable>

export class RailAudits extends Context.Service<
  RailAudits,
  {
    /** The newest audit of each rail, ordered by rail name. */
    readonly newest: Effect.Effect<ReadonlyArray<RailAudit>, DatabaseUnavailable>
    /** Records audits; ignores an audit whose holdings report is not newer than the recorded one. */
    readonly record: (audits: ReadonlyArray<RailAudit>) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/audit/RailAudits") {
  static readonly layer = Store.layer(RailAudits, () => make)
  static readonly layerMemory = Store.layerMemory(RailAudits, () => make)
}

const make = Effect.gen(function* () {
  const audits = yield* Store.make(auditTable, { key: ["rail"] })
  return RailAudits.of({
    newest: audits.list({}),
    record: Effect.fn("RailAudits.record")((results: ReadonlyArray<RailAudit>) =>
      audits.transaction(
        Effect.forEach(
          results,
          (audit) =>
            audits.modify({ rail: audit.rail }, (before) =>
              before !== undefined && before.number >= audit.number ? undefined : audit
            ),
          { discard: true }
        )
      )
    )
  })
})
