/** Base backups of a running server by `pg_backup_start` and a copy, because the packaged programs lack `pg_basebackup`. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, type Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { chown, copyFile, mkdir, readdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Owner } from "../../apps/dev/postgres/PostgresPrograms.ts"

export interface BaseBackup {
  readonly files: number
  readonly bytes: number
}

/**
 * Copies the data directory of a running server to `to`. The copy needs the write-ahead log from its start on, of an
 * archive or of a primary.
 */
export const take = (url: Redacted.Redacted, from: string, to: string, owner: Owner | undefined) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* PgClient.makeClient({ url })
      yield* sql`select pg_backup_start('copy', true)::text`
      const copied = yield* Effect.promise(() => copy(from, to, owner))
      const [row] = yield* sql<{ readonly labelfile: string }>`
        select labelfile from pg_backup_stop(wait_for_archive => false)`
      yield* Effect.promise(() => write(join(to, "backup_label"), row!.labelfile, owner))
      return copied
    })
  ).pipe(Effect.provide(Reactivity.layer))

/** Copies a data directory. A file that the running server removes meanwhile is left out. */
export const copy = async (from: string, to: string, owner: Owner | undefined): Promise<BaseBackup> => {
  let files = 0
  let bytes = 0
  const folder = async (path: string): Promise<void> => {
    await mkdir(join(to, path), { recursive: true, mode: 0o700 })
    await give(join(to, path), owner)
    const entries = await readdir(join(from, path), { withFileTypes: true })
    for (const entry of entries) {
      const inside = join(path, entry.name)
      if (entry.isDirectory()) {
        if (!emptied.test(path)) await folder(inside)
      } else if (entry.isFile() && !emptied.test(path) && !left.test(inside)) await file(inside)
    }
  }
  const file = async (path: string): Promise<void> => {
    const target = join(to, path)
    try {
      await copyFile(join(from, path), target)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
      return
    }
    await give(target, owner)
    files++
    bytes += (await stat(target)).size
  }
  await folder("")
  return { files, bytes }
}

/** Writes a file that the server's user can read. */
export const write = async (path: string, text: string, owner: Owner | undefined): Promise<void> => {
  await writeFile(path, text, { mode: 0o600 })
  await give(path, owner)
}

const give = async (path: string, owner: Owner | undefined): Promise<void> => {
  if (owner !== undefined) await chown(path, owner.uid, owner.gid)
}

/** Folders whose contents a server creates again, as in `pg_basebackup`; `pg_wal` comes from the archive or the primary. */
const emptied = /^pg_(wal|replslot|dynshmem|notify|serial|snapshots|stat_tmp|subtrans)(\/|$)/
const left = /^(postmaster\.(pid|opts)|backup_label|standby\.signal|recovery\.signal)$/
