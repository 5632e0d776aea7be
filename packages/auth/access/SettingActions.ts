/**
 * Changes to running settings by operators. A change that weakens a protection of money needs two operators. Each
 * request and each change is audited with its actor and reason.
 */
import { definitions, type Field, fields, peopleNeeded } from "@venue/domain/RunningSettings"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import type { Operators } from "@venue/storage/access/Operators"
import { RunningSettings, type VersionDiffers } from "@venue/storage/settings/RunningSettings"
import { isSame, SettingDecisions } from "@venue/storage/settings/SettingDecisions"
import type { Snapshot } from "@venue/storage/settings/SettingRows"
import * as SettingValues from "@venue/storage/settings/SettingValues"
import { Context, Effect, Layer, Redacted, Schema } from "effect"
import * as Deciders from "./Deciders.ts"
import type { Operator } from "./Operator.ts"

/** The operator was appointed after the change was first requested, and so is not a second decider. */
export class AppointedSinceRequest extends Schema.TaggedError<AppointedSinceRequest>()("AppointedSinceRequest", {
  name: Schema.String
}) {}

export interface SettingsDecided {
  /** Whether the values are changed, which needs the same request by `peopleNeeded` operators. */
  readonly isDecided: boolean
  /** Operators who have requested this change. */
  readonly people: ReadonlyArray<string>
  readonly peopleNeeded: number
}

export class SettingActions extends Context.Service<
  SettingActions,
  {
    /** Changes the settings, or records the request until a second operator makes the same one. */
    readonly change: (
      version: number,
      texts: SettingValues.Texts,
      by: Operator
    ) => Effect.Effect<SettingsDecided, VersionDiffers | AppointedSinceRequest | DatabaseUnavailable>
  }
>()("@venue/auth/access/SettingActions") {
  static readonly layer: Layer.Layer<
    SettingActions,
    never,
    Audit | Operators | RunningSettings | SettingDecisions | Transaction
  > = Layer.effect(
    SettingActions,
    Effect.gen(function* () {
      const audit = yield* Audit
      const decide = yield* makeDecide
      const settings = yield* RunningSettings
      const decisions = yield* SettingDecisions
      const transaction = yield* Transaction
      return SettingActions.of({
        change: Effect.fn("SettingActions.change")(function* (version, texts, by) {
          const { actor, reason } = by
          const decided = yield* transaction.run(
            Effect.gen(function* () {
              const before = yield* settings.claim(version)
              const change = settings.described(texts)
              const decided = yield* decide({ before, texts, change, by })
              if (decided.isDecided) {
                yield* settings.change(version, texts, { by: decided.people.join(", "), reason })
                yield* decisions.forget
              }
              const action = decided.isDecided ? "setting_changed" : "setting_change_requested"
              for (const field of fields) {
                const { name } = definitions[field]
                if (change[name] === undefined) continue
                const facts = { before: shown(field, before), after: change[name], reason }
                yield* audit.record({ action, actor, subject: name, facts })
              }
              return decided
            })
          )
          // After the commit, so that no value is in force that a failed commit withdraws.
          yield* settings.read
          return decided
        })
      })
    })
  )
}

interface Request {
  readonly before: Snapshot
  readonly texts: SettingValues.Texts
  /** The texts by name, with fingerprints of secrets. */
  readonly change: Readonly<Record<string, string>>
  readonly by: Operator
}

/** Records a request that needs a second operator, and returns whether enough operators have made the same one. */
const makeDecide = Effect.gen(function* () {
  const decisions = yield* SettingDecisions
  const { now } = yield* RunningSettings
  const admins = yield* Deciders.make("admin")
  return Effect.fnUntraced(function* ({ before, by: { actor, reason }, change, texts }: Request) {
    const { stored, version } = before
    const textBefore = (field: Field) => {
      const known = stored.get(field)
      return known === undefined ? SettingValues.textOf(field, now()) : Redacted.value(known.text)
    }
    const needed = Math.max(
      ...fields.map((field) => {
        const text = texts[field]
        return text === undefined ? 1 : peopleNeeded(field, textBefore(field), Redacted.value(text), actor)
      })
    )
    if (needed === 1) return { isDecided: true, people: [actor], peopleNeeded: needed }
    yield* decisions.record({ operator: actor, version, change, reason })
    const same = (yield* decisions.at(version)).filter((decision) => isSame(decision.change, change))
    const sinceMillis = Math.min(...same.map(({ decidedAtMillis }) => decidedAtMillis))
    const mayDecide = yield* admins
    if (!mayDecide(actor, sinceMillis)) return yield* new AppointedSinceRequest({ name: actor })
    const people = same.map(({ operator }) => operator).filter((operator) => mayDecide(operator, sinceMillis))
    return { isDecided: people.length >= needed, people, peopleNeeded: needed }
  })
})

/** Returns the text of a setting, or the fingerprint of a secret; null for an unset setting. */
const shown = (field: Field, { stored }: Snapshot): string | null => {
  const known = stored.get(field)
  if (known === undefined) return null
  return definitions[field].isSecret ? known.fingerprint : Redacted.value(known.text)
}
