/** File of a witness: lines that are appended durably, and rewritten when they have become many. */
import * as WitnessLine from "@venue/journal/witness/WitnessLine"
import * as WitnessState from "@venue/journal/witness/WitnessState"
import { Effect, FileSystem, type PlatformError, Schema, type Scope, Semaphore } from "effect"
import { join } from "node:path"

export class WitnessRefused extends Schema.TaggedError<WitnessRefused>()("WitnessRefused", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

export interface WitnessFile {
  readonly entries: () => ReadonlyArray<WitnessLine.Entry>
  /** Appends entries and returns once they are on disk. Calls run one after another. */
  readonly append: (
    entries: ReadonlyArray<WitnessLine.Entry>
  ) => Effect.Effect<void, WitnessRefused | PlatformError.PlatformError>
}

export const fileName = "witness.jsonl"

/** Size in bytes above which the file is rewritten, if it is also twice as large as after the last rewrite. */
const compactBytes = 16 * 1024 * 1024

/** Opens the witness in a directory, which is created if it does not exist. A directory belongs to one node. */
export const open = Effect.fn("WitnessFile.open")(function* (
  directory: string,
  owner: string,
  { compactAbove = compactBytes }: { readonly compactAbove?: number } = {}
): Effect.fn.Return<WitnessFile, WitnessRefused, FileSystem.FileSystem | Scope.Scope> {
  const files = yield* FileSystem.FileSystem
  const path = join(directory, fileName)
  const unusable = Effect.mapError(
    (error: PlatformError.PlatformError) =>
      new WitnessRefused({ reason: `the witness ${path} cannot be used: ${error.message}` })
  )
  yield* unusable(files.makeDirectory(directory, { recursive: true, mode: 0o700 }))
  const text = (yield* unusable(files.exists(path))) ? yield* unusable(files.readFileString(path)) : ""
  const { state, whole } = yield* read(path, text, owner)
  const turn = yield* Semaphore.make(1)
  let size = Buffer.byteLength(whole)
  let compacted = size
  /** Set while the file might end with a part of a failed append. */
  let isTorn = size < Buffer.byteLength(text)

  const write = Effect.fnUntraced(function* (lines: string) {
    const file = yield* files.open(path, { flag: "a", mode: 0o600 })
    const { size: actual } = yield* file.stat
    if (isTorn) yield* file.truncate(size)
    else if (Number(actual) !== size)
      return yield* new WitnessRefused({
        reason: `another process writes to ${path}; give each node its own VENUE_WITNESS_DIR`
      })
    const bytes = Buffer.from(lines)
    isTorn = true
    yield* file.writeAll(bytes)
    yield* file.sync
    size += bytes.length
    isTorn = false
  }, Effect.scoped)

  /** Replaces the file by one line for each entry. A crash leaves the old file or the new one. */
  const compact = Effect.gen(function* () {
    const lines = [ownerOf(owner), ...WitnessState.entries(state)].map((entry) => `${WitnessLine.encode(entry)}\n`)
    const bytes = Buffer.from(lines.join(""))
    const next = `${path}.next`
    yield* Effect.scoped(
      Effect.gen(function* () {
        const file = yield* files.open(next, { flag: "w", mode: 0o600 })
        yield* file.writeAll(bytes)
        yield* file.sync
      })
    )
    yield* files.rename(next, path)
    yield* Effect.scoped(Effect.flatMap(files.open(directory, { flag: "r" }), (folder) => folder.sync))
    size = compacted = bytes.length
    isTorn = false
  })

  if (size === 0) yield* unusable(compact)
  return {
    entries: () => WitnessState.entries(state),
    append: (entries) =>
      Effect.gen(function* () {
        const news = entries.filter((entry) => WitnessState.isNew(state, entry))
        if (news.length > 0) yield* write(news.map((entry) => `${WitnessLine.encode(entry)}\n`).join(""))
        for (const entry of news) WitnessState.take(state, entry)
        if (size > compactAbove && size > 2 * compacted) yield* compact
      }).pipe(Effect.uninterruptible, turn.withPermit)
  }
})

const ownerOf = (name: string): WitnessLine.Entry => ({ _tag: "Owner", name })

/** Reads the lines. An incomplete or damaged last line was never acknowledged and is ignored. */
const read = Effect.fnUntraced(function* (path: string, text: string, owner: string) {
  const state = WitnessState.make()
  const lines = text.split("\n").slice(0, -1)
  let whole = 0
  for (const [index, line] of lines.entries()) {
    const entry = WitnessLine.read(line)
    if (entry === undefined) {
      if (index === lines.length - 1) break
      return yield* new WitnessRefused({
        reason: `line ${index + 1} of the witness ${path} is damaged; restore an undamaged copy, or move the file away to start without a witness`
      })
    }
    if (index === 0 && entry._tag !== "Owner")
      return yield* new WitnessRefused({ reason: `${path} is not a witness: its first line names no node` })
    if (entry._tag === "Owner" && entry.name !== owner)
      return yield* new WitnessRefused({
        reason: `${path} is the witness of ${entry.name}, not of ${owner}; give each node its own VENUE_WITNESS_DIR`
      })
    WitnessState.take(state, entry)
    whole += Buffer.byteLength(line) + 1
  }
  return { state, whole: Buffer.from(text).subarray(0, whole).toString() }
})
