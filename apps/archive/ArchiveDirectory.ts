/** Directory of archive files. A file appears whole, under its final name, and never changes. */
import { Effect, Schema } from "effect"
import { mkdir, open, readFile, rename } from "node:fs/promises"
import { join } from "node:path"
import * as ArchiveFile from "./ArchiveFile.ts"

/** An archive file is missing, damaged or unreadable. */
export class ArchiveUnusable extends Schema.TaggedError<ArchiveUnusable>()("ArchiveUnusable", {
  file: Schema.String,
  why: Schema.String
}) {
  override get message() {
    return `the archive file ${this.file} cannot be used: ${this.why}; restore it from a copy into VENUE_ARCHIVE_DIR`
  }
}

const attempt = <A>(file: string, work: () => Promise<A>) =>
  Effect.tryPromise({ try: work, catch: (cause) => new ArchiveUnusable({ file, why: (cause as Error).message }) })

/** Writes a file and its place in the directory to the disk, before it returns. */
export const write = (directory: string, name: string, bytes: Uint8Array): Effect.Effect<void, ArchiveUnusable> =>
  attempt(name, () => mkdir(directory, { recursive: true, mode: 0o700 })).pipe(
    Effect.andThen(synced(join(directory, `${name}.new`), name, bytes)),
    Effect.andThen(attempt(name, () => rename(join(directory, `${name}.new`), join(directory, name)))),
    Effect.andThen(
      Effect.acquireUseRelease(
        attempt(name, () => open(directory, "r")),
        (handle) => attempt(name, () => handle.sync()),
        (handle) => Effect.promise(() => handle.close())
      )
    )
  )

const synced = (path: string, name: string, bytes: Uint8Array) =>
  Effect.acquireUseRelease(
    attempt(name, () => open(path, "w", 0o600)),
    (handle) => attempt(name, () => handle.writeFile(bytes).then(() => handle.sync())),
    (handle) => Effect.promise(() => handle.close())
  )

/** Reads a file's rows, and checks its digest, its range and its completeness. */
export const read = Effect.fnUntraced(function* (directory: string, range: ArchiveFile.RowRange, digest: Uint8Array) {
  const name = ArchiveFile.nameOf(range)
  const bytes = yield* attempt(name, () => readFile(join(directory, name)))
  if (Buffer.compare(ArchiveFile.digestOf(bytes), digest) !== 0) {
    return yield* new ArchiveUnusable({ file: name, why: "its SHA-256 digest differs from the database's" })
  }
  const rows = yield* Effect.try({
    try: () => ArchiveFile.decode(range, bytes),
    catch: (cause) => new ArchiveUnusable({ file: name, why: (cause as Error).message })
  })
  return typeof rows === "string" ? yield* new ArchiveUnusable({ file: name, why: rows }) : rows
})
