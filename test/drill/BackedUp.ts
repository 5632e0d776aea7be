/** A base backup under trade, the archived log up to a named point and beyond, and the books at that point. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { until } from "../nodes/Until.ts"
import * as Books from "./Books.ts"
import type { Drilled } from "./Drilled.ts"
import * as DrillServer from "./DrillServer.ts"
import * as Traffic from "./Traffic.ts"

export interface BackedUp {
  /** Folder of the base backup. */
  readonly backup: string
  /** Time of the point by the database's clock. */
  readonly time: string
  readonly books: Books.Books
  /** Newest rows of the streams just before and just after the point. */
  readonly before: ReadonlyMap<string, number>
  readonly after: ReadonlyMap<string, number>
  /** Newest rows of the streams when the venue stopped, of which the rows after the point are lost. */
  readonly last: ReadonlyMap<string, number>
  /** Token of an operator with the role treasurer, who was appointed before the point. */
  readonly treasurer: string
}

export const point = "drill"

/** Trades, backs up, marks the point, trades again, and stops the venue. */
export const take = async (drilled: Drilled): Promise<BackedUp> => {
  const { options, records, report, server, users } = drilled
  const nodes = await drilled.nodesOf("first", { database: DrillServer.urlOf([server]), witness: drilled.witness })
  await nodes.start()
  nodes.auditor.start()
  const appointed = await nodes.admin<{ readonly token: string }>("POST", "/operators", {
    name: "second",
    roles: ["treasurer"],
    reason: "drill"
  })
  const first = await Traffic.begin(nodes.tradeUrl, records, "before")
  await first.lasts(0, performance.now())
  const backup = DrillServer.folderOf(server, "backup")
  const startedAt = performance.now()
  const copied = await DrillServer.backUp(server, backup)
  const during = first.acknowledgements.filter(({ at }) => at > startedAt).length
  report.check(
    "a base backup while users trade",
    "a backup label and acknowledgements meanwhile",
    `${Math.round(copied.bytes / 2 ** 20)} MiB in ${copied.files} files, ${during} acknowledgements`,
    existsSync(join(backup, "backup_label")) && during > 0
  )
  await first.lasts(options.seconds, performance.now())
  await first.stop()
  const books = await Books.read(nodes, server, users)
  report.check("the auditor at the point", "no fault", await Books.audited(nodes))
  const before = await Books.heads(server)
  const [row] = await server.query<{ time: string }>("select clock_timestamp()::text as time")
  await server.query("select pg_create_restore_point($1)", [point])
  const after = await Books.heads(server)

  const second = await Traffic.begin(nodes.tradeUrl, records, "after")
  await second.lasts(options.seconds, performance.now())
  await second.stop()
  await nodes.stop()
  const last = await Books.heads(server)
  const [segment] = await server.query<{ name: string }>("select pg_walfile_name(pg_switch_wal()) as name")
  await until("the log is archived", () => existsSync(join(drilled.archive, segment!.name)))
  report.check(
    "the archive of the log",
    `the file ${segment!.name}`,
    `${readdirSync(drilled.archive).length} files`,
    existsSync(join(drilled.archive, segment!.name))
  )
  return { backup, time: row!.time, books, before, after, last, treasurer: appointed.body.token }
}

/** Restores the backup to the named point, in a new server. */
export const restored = async (
  drilled: Drilled,
  { backup }: BackedUp,
  name: string,
  target: string
): Promise<DrillServer.DrillServer> => {
  const server = await drilled.serverOf(name)
  await DrillServer.restore(server, { backup, target: `restore_command = 'cp ${drilled.archive}/%f %p'\n${target}` })
  return server
}

export const toName = `recovery_target_name = '${point}'`
export const toTime = ({ time }: BackedUp): string => `recovery_target_time = '${time}'`

/** Returns the streams whose newest row is not between these two of the venue. */
export const outside = (
  found: ReadonlyMap<string, number>,
  least: ReadonlyMap<string, number>,
  most: ReadonlyMap<string, number>
): ReadonlyArray<string> =>
  [...new Set([...found.keys(), ...least.keys()])].flatMap((stream) => {
    const [seq = 0, from = 0, to = 0] = [found, least, most].map((heads) => heads.get(stream))
    return seq < from || seq > to ? [`${stream} ends at ${seq}, expected ${from} to ${to}`] : []
  })
