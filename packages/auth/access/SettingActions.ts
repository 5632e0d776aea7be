/** Changes to running settings by operators. Each change is audited with its actor and reason. */
import { definitions, type Field, fields } from "@venue/domain/RunningSettings"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import { RunningSettings, type Snapshot, type VersionDiffers } from "@venue/storage/settings/RunningSettings"
import type { Stored, Texts } from "@venue/storage/settings/SettingValues"
import { Context, Effect, Layer, Redacted } from "effect"
import type { Operator } from "./Operator.ts"

export class SettingActions extends Context.Service<
  SettingActions,
  {
    readonly change: (
      version: number,
      texts: Texts,
      by: Operator
    ) => Effect.Effect<Snapshot, VersionDiffers | DatabaseUnavailable>
  }
>()("@venue/auth/access/SettingActions") {
  static readonly layer: Layer.Layer<SettingActions, never, Audit | RunningSettings | Transaction> = Layer.effect(
    SettingActions,
    Effect.gen(function* () {
      const audit = yield* Audit
      const settings = yield* RunningSettings
      const transaction = yield* Transaction
      return SettingActions.of({
        change: Effect.fn("SettingActions.change")(function* (
          version: number,
          texts: Texts,
          { actor, reason }: Operator
        ) {
          const { stored: before } = yield* settings.read
          const after = yield* settings.change(version, texts, { by: actor, reason })
          for (const field of fields) {
            if (texts[field] === undefined) continue
            const facts = {
              before: shown(field, before.get(field)),
              after: shown(field, after.stored.get(field)),
              reason
            }
            yield* audit.record({ action: "setting_changed", actor, subject: definitions[field].name, facts })
          }
          return after
        }, transaction.run)
      })
    })
  )
}

/** Returns the text of a setting, or the fingerprint of a secret; null for an unset setting. */
const shown = (field: Field, stored: Stored | undefined): string | null => {
  if (stored === undefined) return null
  return definitions[field].isSecret ? stored.fingerprint : Redacted.value(stored.text)
}
