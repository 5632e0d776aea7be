/**
 * `npm run keys -- <folder>`: makes each key that is missing as a file that only its owner can read. Opens no
 * connection, and never replaces a file.
 */
import { Clock, Console, Effect, FileSystem, Path, Schema } from "effect"
import { groups, type KeyGroup } from "./KeyFiles.ts"

export class ArgumentsRefused extends Schema.TaggedError<ArgumentsRefused>()("ArgumentsRefused", {}) {
  override get message(): string {
    return "expected one argument, the folder for the keys, for example: npm run keys -- secrets"
  }
}

/** The files of one group belong together, so a new one beside an old one would be wrong. */
export class GroupIncomplete extends Schema.TaggedError<GroupIncomplete>()("GroupIncomplete", {
  present: Schema.Array(Schema.String),
  missing: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `${this.present.join(", ")} exist, and ${this.missing.join(", ")}, made together with them, do not: restore the missing files, or move the others away`
  }
}

export const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const [folder, ...more] = args
  if (folder === undefined || folder.startsWith("-") || more.length > 0) return yield* new ArgumentsRefused()
  const files = yield* FileSystem.FileSystem
  yield* files.makeDirectory(folder, { recursive: true, mode: 0o700 })
  for (const group of groups) yield* make(folder, group)
})

const make = Effect.fnUntraced(function* (folder: string, { files: names, make, needs = [], what }: KeyGroup) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const exists = (name: string) => files.exists(path.join(folder, name))
  const present = yield* Effect.filter(names, exists)
  if (present.length === names.length) return yield* Console.log(`kept  ${names.join(", ")}`)
  if (present.length > 0)
    return yield* new GroupIncomplete({ present, missing: names.filter((name) => !present.includes(name)) })
  const existing: Record<string, string> = {}
  for (const name of needs) existing[name] = yield* files.readFileString(path.join(folder, name))
  const contents = Object.entries(make(existing, yield* Clock.currentTimeMillis))
  // `wx` fails if the file exists, even if another process has just made it.
  for (const [name, text] of contents)
    yield* files.writeFileString(path.join(folder, name), text, { flag: "wx", mode: 0o600 })
  yield* Console.log(`made  ${names.join(", ")}: ${what}`)
})
