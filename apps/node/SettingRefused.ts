/** A setting is not what it must be. */
import { Schema } from "effect"

export class SettingRefused extends Schema.TaggedError<SettingRefused>()("SettingRefused", {
  setting: Schema.String,
  expected: Schema.String
}) {
  override get message() {
    return `${this.setting}: expected ${this.expected}`
  }
}
