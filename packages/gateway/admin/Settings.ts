/** Handles the operator endpoints that list settings, change running settings and list the changes. */
import { AdminApi } from "@venue/api/admin/Api"
import { historyDefaults, type Setting } from "@venue/api/admin/Settings"
import { instant } from "@venue/api/Digits"
import { SettingActions } from "@venue/auth/access/SettingActions"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { definitions, type Field, fieldOf, fields } from "@venue/domain/RunningSettings"
import * as PriceSettings from "@venue/providers/prices/PriceSettings"
import { NodeList } from "@venue/storage/nodes/NodeList"
import { environment, RunningSettings } from "@venue/storage/settings/RunningSettings"
import { SettingDecisions } from "@venue/storage/settings/SettingDecisions"
import * as SettingValues from "@venue/storage/settings/SettingValues"
import { Context, Effect, Redacted } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { byOperator } from "./Operators.ts"

type Row = typeof Setting.Type

/** Settings outside the table, with their values on this node. */
export const SettingCatalogue = Context.Reference<ReadonlyArray<Omit<Row, "changed_by" | "changed_at">>>(
  "@venue/gateway/admin/SettingCatalogue",
  { defaultValue: () => [] }
)

/** Returns the valid values if this venue refuses a valid text of a setting, such as a test key in production. */
export const SettingRules = Context.Reference<(field: Field, text: string) => string | undefined>(
  "@venue/gateway/admin/SettingRules",
  { defaultValue: () => () => undefined }
)

export const layer = group(
  AdminApi,
  "settings",
  Effect.fnUntraced(function* (handlers) {
    const actions = yield* SettingActions
    const catalogue = yield* SettingCatalogue
    const flawOf = yield* makeFlawOf
    const nodes = yield* NodeList
    const settings = yield* RunningSettings
    const refusals = yield* apiProblems
    const unavailable = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }

    const decisions = yield* SettingDecisions
    const body = Effect.gen(function* () {
      const { stored, version } = yield* settings.read
      const requested = (yield* decisions.at(version)).map(({ change, decidedAtMillis, operator, reason }) => ({
        operator,
        values: change,
        reason,
        requested_at: instant(decidedAtMillis)
      }))
      const rows = fields.map((field) => rowOf(field, settings.now(), stored.get(field)))
      const data = [...rows, ...catalogue.map((row) => ({ ...row, changed_by: null, changed_at: null }))]
      return { version, requested, data: data.toSorted((a, b) => (a.name < b.name ? -1 : 1)), count: data.length }
    })
    /** Names of the live nodes of release 0.1.0, which read the settings only at their start. */
    const older = Effect.map(nodes, (rows) =>
      rows
        .filter((row) => row.isLiving && row.settings[definitions.maxOpenOrdersPerSymbol.name] !== undefined)
        .map(({ name }) => name)
    )

    return handlers
      .handle("list", () => Effect.catchTags(body, unavailable))
      .handle(
        "change",
        Effect.fnUntraced(
          function* ({ payload: { reason, values, version } }) {
            const texts: { [F in Field]?: Redacted.Redacted } = {}
            for (const [name, text] of Object.entries(values)) {
              const field = fieldOf(name)
              if (field === undefined)
                return yield* refusals.unfit(
                  `body.values.${name}`,
                  "Expected the name of a setting of the class running; GET /settings lists them"
                )
              const flaw = SettingValues.flawOf(field, text) ?? (yield* flawOf(field, text))
              if (flaw !== undefined) return yield* refusals.unfit(`body.values.${name}`, `Expected ${flaw}`)
              texts[field] = Redacted.make(SettingValues.canonical(field, text))
            }
            if (Object.keys(texts).length === 0)
              return yield* refusals.unfit("body.values", "Expected at least one setting")
            const behind = yield* older
            if (behind.length > 0) return yield* refusals.nodesBehind(behind)
            const { isDecided, people, peopleNeeded } = yield* actions.change(version, texts, yield* byOperator(reason))
            return { ...(yield* body), is_decided: isDecided, people, people_needed: peopleNeeded }
          },
          Effect.catchTags({
            ...unavailable,
            AppointedSinceRequest: ({ name }) => Effect.fail(refusals.adminSince(name)),
            VersionDiffers: ({ version }) => Effect.fail(refusals.settingsChanged(version))
          })
        )
      )
      .handle(
        "history",
        Effect.fnUntraced(function* ({ query: { before = Number.MAX_SAFE_INTEGER, limit = historyDefaults.limit } }) {
          const rows = yield* settings.history(before, limit)
          const data = rows.map(({ changedAtMillis, changedBy, fingerprint, name, number, reason, value }) => ({
            number,
            name,
            value,
            fingerprint,
            changed_by: changedBy,
            changed_at: instant(changedAtMillis),
            reason
          }))
          return { data, count: data.length }
        }, Effect.catchTags(unavailable))
      )
  })
)

/** Returns the valid values of texts that depend on the venue. */
const makeFlawOf = Effect.gen(function* () {
  const rules = yield* SettingRules
  const { instruments } = yield* VenueSettings
  return (field: Field, text: string): Effect.Effect<string | undefined> => {
    if (field === "adminToken" && text === "") return Effect.succeed("a token")
    if (field === "priceSources" && text !== "") return PriceSettings.flawOf(text, (symbol) => instruments.has(symbol))
    return Effect.sync(() => rules(field, text))
  }
})

const rowOf = (field: Field, values: SettingValues.Values, stored: SettingValues.Stored | undefined): Row => {
  const { isSecret, name } = definitions[field]
  const text = stored === undefined ? SettingValues.textOf(field, values) : Redacted.value(stored.text)
  const isSet = text !== ""
  return {
    name,
    class: "running",
    source: stored === undefined ? "default" : stored.changedBy === environment ? "environment" : "table",
    value: isSecret ? null : text,
    is_secret: isSecret,
    is_set: isSet,
    fingerprint: isSet ? (stored?.fingerprint ?? null) : null,
    changed_by: stored?.changedBy ?? null,
    changed_at: stored === undefined ? null : instant(stored.changedAtMillis)
  }
}
