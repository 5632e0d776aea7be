/** Names of settings that a process recognises. */
import { assert, it } from "@effect/vitest"
import * as KnownNames from "../../../apps/process/KnownNames.ts"
import { declared } from "../../../apps/process/Setting.ts"
import * as SettingsPage from "./SettingsPage.ts"

it("knows every declared setting and the file of each secret", () => {
  assert.isAbove(SettingsPage.modules.length, 0)
  const names = declared.flatMap(({ isSecret, name }) => (isSecret ? [name, `${name}_FILE`] : [name]))
  assert.deepStrictEqual(
    names.filter((name) => !KnownNames.has(name)),
    []
  )
  assert.deepStrictEqual(KnownNames.all, declared.map(({ name }) => name).toSorted())
})

it("finds the setting that a misspelt name means, and no setting for another name", () => {
  assert.strictEqual(KnownNames.nearest("VENUE_SIMULATED_PRICE"), "VENUE_SIMULATED_PRICES")
  assert.strictEqual(KnownNames.nearest("VENUE_SECRET_KEYS_FILE"), "VENUE_SECRET_KEY")
  assert.isUndefined(KnownNames.nearest("VENUE_IMAGE_TAG"))
})
