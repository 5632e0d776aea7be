/** `npm run check-settings`: prints all faults and warnings of the settings of one or several programs. */
import * as PriceSettings from "@venue/providers/prices/PriceSettings"
import { ConfigProvider, Console, Effect, FileSystem, Redacted, Schema } from "effect"
import * as AuditorSettings from "../auditor/AuditorSettings.ts"
import * as Agreement from "../process/Agreement.ts"
import * as ExampleValues from "../process/ExampleValues.ts"
import * as GivenSettings from "../process/GivenSettings.ts"
import * as NodeSettings from "../process/NodeSettings.ts"
import { firstOfEach, type SettingRefused } from "../process/SettingRefused.ts"
import * as RunningRules from "../process/RunningRules.ts"
import * as SettingWarnings from "../process/SettingWarnings.ts"
import * as WalletSettings from "../wallet/WalletSettings.ts"

export const programs = ["runner", "gateway", "auditor", "wallet"] as const
export type Program = (typeof programs)[number]

/** Result of the check of one program. */
export interface Checked {
  readonly program: Program
  readonly errors: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
  /** Hashes of the settings that runners and gateways must share. Empty for other programs. */
  readonly shared: Readonly<Record<string, string>>
}

/** The arguments name no program, or an unknown one. */
export class ArgumentsRefused extends Schema.TaggedError<ArgumentsRefused>()("ArgumentsRefused", {}) {
  override get message() {
    return `expected one or several of ${programs.join(", ")}, each with an optional file of variables, for example: npm run check-settings -- runner=deploy/env/runner.env gateway=deploy/env/gateway.env`
  }
}

/** The file of variables cannot be read. */
export class FileRefused extends Schema.TaggedError<FileRefused>()("FileRefused", { path: Schema.String }) {
  override get message() {
    return `${this.path}: expected the path of a file that this user can read`
  }
}

/** The settings have errors, so the exit code is 1. */
export class SettingsFaulty extends Schema.TaggedError<SettingsFaulty>()("SettingsFaulty", {
  errors: Schema.Int,
  warnings: Schema.Int
}) {
  override get message() {
    return summary(this.errors, this.warnings)
  }
}

/** Checks each program of the arguments. Fails if there are errors. */
export const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const results = yield* checked(args)
  for (const { errors, program, warnings } of results) {
    for (const error of errors) yield* Console.log(`${program}: error: ${error}`)
    for (const warning of warnings) yield* Console.log(`${program}: warning: ${warning}`)
  }
  const [errors, warnings] = [count(results, "errors"), count(results, "warnings")]
  if (errors > 0) return yield* new SettingsFaulty({ errors, warnings })
  yield* Console.log(summary(errors, warnings))
})

/** Returns the results in the order of the arguments, with the settings that differ between two programs. */
export const checked = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  if (args.length === 0) return yield* new ArgumentsRefused()
  const results = yield* Effect.forEach(args, checkedProgram)
  const hasNode = results.some(({ program }) => program === "runner" || program === "gateway")
  const hasAuditor = results.some(({ program }) => program === "auditor")
  return results.map((result, index): Checked => {
    const warnings =
      index === 0 && hasNode && !hasAuditor
        ? [...result.warnings, "no auditor is checked; without a running auditor, withdrawals are blocked"]
        : result.warnings
    const differing = results
      .slice(0, index)
      .flatMap((earlier) =>
        differencesOf(earlier, result).map((name) => `${name}: expected the same value as ${earlier.program}`)
      )
    return { ...result, warnings, errors: [...result.errors, ...differing] }
  })
})

const checkedProgram = Effect.fnUntraced(function* (arg: string) {
  const [, name, path] = /^([a-z]+)(?:=(.+))?$/.exec(arg) ?? []
  const program = programs.find((known) => known === name)
  if (program === undefined) return yield* new ArgumentsRefused()
  const given = path === undefined ? yield* ConfigProvider.ConfigProvider : yield* variablesOf(path)
  return yield* Effect.provideService(resultOf(program), ConfigProvider.ConfigProvider, given)
})

const variablesOf = (path: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readFileString(path)).pipe(
    Effect.map((text) => ConfigProvider.fromDotEnvContents(text)),
    Effect.mapError(() => new FileRefused({ path }))
  )

const resultOf = (program: Program): Effect.Effect<Checked, never, FileSystem.FileSystem> => {
  if (program === "auditor") return ofProgram(program, AuditorSettings.parse)
  return program === "wallet" ? ofProgram(program, WalletSettings.parse) : ofNode(program)
}

const ofNode = Effect.fnUntraced(function* (program: "runner" | "gateway") {
  const { faults, given, settings, unknown } = yield* NodeSettings.read(program)
  const { fault, warning } = yield* SettingWarnings.ofCertificate(settings)
  const prices = yield* priceFileFault(settings)
  const secrets = program === "gateway" ? RunningRules.faultsOf(settings, RunningRules.initialOf(settings)) : []
  const atFirst = firstOfEach(secrets).map(({ message }) => `${message} at the first start, or set by PUT /settings`)
  const warnings = yield* SettingWarnings.of(settings, given)
  return {
    program,
    errors: [
      ...textsOf(fault === undefined ? faults : [...faults, fault], unknown),
      ...(prices === undefined ? [] : [prices])
    ],
    warnings: [...(warning === undefined ? [] : [warning]), ...atFirst, ...warnings],
    shared: Agreement.hashesOf(settings)
  }
})

/** Returns the fault of the price source file, or undefined. The node itself checks that its symbols are listed. */
const priceFileFault = Effect.fnUntraced(function* ({ initial: { priceSources } }: NodeSettings.NodeSettings) {
  if (priceSources === undefined) return undefined
  const flaw = yield* PriceSettings.flawOf(Redacted.value(priceSources), () => true)
  return flaw === undefined ? undefined : `VENUE_PRICE_SOURCES: expected ${flaw}`
})

const ofProgram = Effect.fnUntraced(function* <A, R>(
  program: Program,
  parse: Parameters<typeof GivenSettings.parsed<A, R>>[1]
) {
  const { faults, given, unknown } = yield* GivenSettings.parsed(program, parse)
  const examples = yield* ExampleValues.faultsOf(given)
  return { program, errors: textsOf([...faults, ...examples], unknown), warnings: [], shared: {} }
})

const textsOf = (faults: ReadonlyArray<SettingRefused>, unknown: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...firstOfEach(faults).map(({ message }) => message),
  ...unknown.map((name) => `${name}: no setting has this name`)
]

type Shared = Pick<Checked, "shared">
const differencesOf = ({ shared: first }: Shared, { shared: second }: Shared): ReadonlyArray<string> =>
  Object.keys(second).filter((name) => first[name] !== undefined && first[name] !== second[name])

const count = (results: ReadonlyArray<Checked>, level: "errors" | "warnings"): number =>
  results.reduce((sum, result) => sum + result[level].length, 0)

const summary = (errors: number, warnings: number): string => `errors: ${errors}, warnings: ${warnings}`
