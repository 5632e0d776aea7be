/** Settings that may be absent, or empty, as files of containers leave those that nobody gave. */
import { Config, Option, Redacted } from "effect"

export const text = (name: string) =>
  Config.option(Config.String(name)).pipe(Config.map(Option.filter((value) => value !== "")))

export const secret = (name: string) =>
  Config.option(Config.Redacted(name)).pipe(Config.map(Option.filter((value) => Redacted.value(value) !== "")))
