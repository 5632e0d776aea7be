/** Requests for changes of settings that need a second operator. Each operator has at most one. */
import { bigint, of, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Option, Schema } from "effect"

const decisionTable = Table.make("setting_decision", {
  operator: text,
  /** Version of the settings for which the change was requested. */
  version: bigint,
  /** New values by name, with fingerprints of secrets. */
  change: of("jsonb", Schema.Record(Schema.String, Schema.String)),
  reason: text,
  decidedAtMillis: timestamptz
})
export type SettingDecision = Table.Row<typeof decisionTable>

export class SettingDecisions extends Context.Service<
  SettingDecisions,
  {
    /** Records a request in place of the operator's earlier one. A repeated request keeps its time. */
    readonly record: (decision: Omit<SettingDecision, "decidedAtMillis">) => Effect.Effect<void, DatabaseUnavailable>
    /** Returns the requests for a version of the settings, oldest first. */
    readonly at: (version: number) => Effect.Effect<ReadonlyArray<SettingDecision>, DatabaseUnavailable>
    readonly forget: Effect.Effect<void, DatabaseUnavailable>
  }
>()("@venue/storage/settings/SettingDecisions") {
  static readonly layer = Store.layer(SettingDecisions, () => make)
  static readonly layerMemory = Store.layerMemory(SettingDecisions, () => make)
}

const make = Effect.gen(function* () {
  const decisions = yield* Store.make(decisionTable, {
    key: ["operator"],
    order: { decidedAtMillis: "asc", operator: "asc" }
  })
  return SettingDecisions.of({
    record: Effect.fn("SettingDecisions.record")(function* (decision: Omit<SettingDecision, "decidedAtMillis">) {
      const before = yield* decisions.find({ operator: decision.operator })
      const isRepeated = Option.exists(
        before,
        ({ change, version }) => version === decision.version && isSame(change, decision.change)
      )
      if (!isRepeated) yield* decisions.put({ ...decision, decidedAtMillis: yield* Clock.currentTimeMillis })
    }),
    at: (version) => decisions.list({ version }),
    forget: Effect.asVoid(decisions.remove({}))
  })
})

/** Whether two requests set the same settings to the same values. */
export const isSame = (a: SettingDecision["change"], b: SettingDecision["change"]): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([name, value]) => b[name] === value)
