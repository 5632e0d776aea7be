/** Settings: environment variables that each have a description, which `docs/operate/settings.md` lists. */
import { definitions, type Field, type RunningSettings } from "@venue/domain/RunningSettings"
import { Config, Redacted, Schema } from "effect"

/** Programs that read settings. `start` is `npm start`, and `cluster` is `npm run cluster`. */
export type Reader =
  | "start"
  | "cluster"
  | "runner"
  | "gateway"
  | "auditor"
  | "wallet"
  | "bank"
  | "identity"
  | "explain"
  | "init"
  | "migrate"
  | "rekey"
  | "status"
  | "archive"
  | "tron-balances"
  | "database-roles"

/**
 * Processes that must have the same value. `never`: the first start fixes the value. `replaced`: two values are valid
 * during a replacement. `process`: each process can have its own value. `running`: the variable has the initial value,
 * and operators change the setting while the venue runs.
 */
export type Change =
  | "never"
  | "all nodes"
  | "all runners"
  | "all gateways"
  | "replaced"
  | "replaced on all nodes"
  | "process"
  | "running"

export interface Description<A> {
  /** Value of an absent variable. */
  readonly default?: A
  /** Text shown to people in place of `default`, such as `required`. */
  readonly usual?: string
  readonly unit?: string
  /** Noun phrase of at most 25 words. */
  readonly meaning: string
  readonly readers: ReadonlyArray<Reader>
  readonly changes: Change
  /** Programs that need a value to start. */
  readonly requiredBy?: ReadonlyArray<Reader>
}

export interface Declared extends Omit<Description<never>, "default" | "usual"> {
  readonly name: string
  readonly isSecret: boolean
  readonly usual: string
  /** Parser of the value. */
  readonly config: Config.Config<unknown>
}

const all: Array<Declared> = []

/** Settings of the imported modules, in the order of their declarations. */
export const declared: ReadonlyArray<Declared> = all

/** Runners and gateways, and both ways to start them on one machine. */
export const venue: ReadonlyArray<Reader> = ["start", "cluster", "runner", "gateway"]
/** Every process of a venue in production. */
export const services: ReadonlyArray<Reader> = [...venue, "auditor", "wallet"]
export const runners: ReadonlyArray<Reader> = ["start", "cluster", "runner"]
export const gateways: ReadonlyArray<Reader> = ["start", "cluster", "gateway"]

export const string = (name: string, description: Description<string>) =>
  declare(name, description, Config.String(name))

export const int = (name: string, description: Description<number>) => declare(name, description, Config.Int(name))

export const port = (name: string, description: Description<number>) => declare(name, description, Config.Port(name))

/** Declares a port, or 0 for any free port. */
export const portOrAny = (name: string, description: Description<number>) =>
  decoded(name, Schema.NumberFromString.pipe(Schema.decodeTo(anyPort)), description)

const anyPort = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: 65_535 }, { expected: "a port, or 0 for any free port" })
)

/** Declares a secret, which can be in a file: the variable with the suffix `_FILE` holds its path. */
export const secret = (name: string, description: Description<Redacted.Redacted>) =>
  declare(name, description, Config.Redacted(name), true)

export const literals = <const Values extends ReadonlyArray<string>>(
  name: string,
  values: Values,
  description: Description<Values[number]>
) => declare(name, description, Config.Literals(values, name))

export const onOff = (name: string, description: Description<"on" | "off">) =>
  Config.map(literals(name, ["on", "off"], description), (value) => value === "on")

/** Declares a setting that operators change while the venue runs. The variable has the initial value. */
export const running = <F extends PlainField>(
  field: F,
  { default: value, ...description }: Omit<Description<RunningSettings[F]>, "changes">
) => {
  const { codec, default: usual, name } = definitions[field]
  const described: Description<unknown> = { usual, ...description, changes: "running" }
  const config = declare(name, described, Config.schema(codec as Schema.Codec<unknown, string>, name))
  const initial = value ?? Schema.decodeSync(codec as Schema.Codec<unknown, string>)(usual)
  return Config.withDefault(config, initial) as Config.Config<RunningSettings[F]>
}
type PlainField = Exclude<
  Field,
  "priceSources" | "adminToken" | "captchaSecret" | "identityKey" | "identityCallbackKey"
>

/** Declares values separated by commas. */
export const list = (name: string, description: Description<string>) =>
  Config.map(string(name, { default: "", ...description }), apart)

/** Declares secrets separated by commas. The first is used, and all are accepted during a replacement. */
export const secrets = (name: string, description: Description<Redacted.Redacted>) =>
  Config.map(secret(name, { default: Redacted.make(""), ...description }), (text) =>
    apart(Redacted.value(text)).map((value) => Redacted.make(value))
  )

export const decoded = <A>(name: string, codec: Schema.Codec<A, string>, description: Description<A>) =>
  declare(name, description, Config.schema(codec, name))

const apart = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "")

function declare<A>(name: string, description: Description<A>, config: Config.Config<A>, isSecret = false) {
  const { default: value, usual, ...described } = description
  all.push({ ...described, name, isSecret, usual: usual ?? textOf(value), config })
  return value === undefined ? config : Config.withDefault(config, value)
}

const textOf = (value: unknown): string =>
  value === undefined || value === "" || Redacted.isRedacted(value) ? "none" : String(value)
