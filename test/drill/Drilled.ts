/** The venue of a drill: its database server, its users with the answers they received, and its secret key. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { User } from "../nodes/DevApp.ts"
import * as SeededUsers from "../nodes/SeededUsers.ts"
import * as TraderRecord from "../nodes/TraderRecord.ts"
import * as DrillServer from "./DrillServer.ts"
import * as Nodes from "./Nodes.ts"
import type { Options } from "./Options.ts"
import type { Report } from "./Report.ts"

export interface Drilled {
  readonly options: Options
  readonly report: Report
  readonly folder: string
  readonly server: DrillServer.DrillServer
  /** Folder to which the server archives its write-ahead log. */
  readonly archive: string
  readonly keyFile: string
  readonly secretKey: string
  readonly witness: string
  readonly users: ReadonlyArray<User>
  readonly records: ReadonlyArray<TraderRecord.TraderRecord>
  /** Returns a new server with the same password, which is stopped at the end of the drill. */
  readonly serverOf: (name: string) => Promise<DrillServer.DrillServer>
  readonly nodesOf: (
    name: string,
    options: Pick<Nodes.NodeOptions, "database"> & Partial<Nodes.NodeOptions>
  ) => Promise<Nodes.Nodes>
  /** Stops every server of the drill. */
  readonly close: (isKept: boolean) => Promise<void>
}

const secretKey = "the secret key of drills that no venue with money uses"

/** Starts the first database server, and creates the venue with four funded users. */
export const found = async (options: Options, folder: string, report: Report): Promise<Drilled> => {
  const servers: Array<DrillServer.DrillServer> = []
  const keyFile = join(folder, "secret-key")
  writeFileSync(keyFile, secretKey, { mode: 0o600 })
  const archiveOf = "archive"
  const archive = "cp %p ../archive/%f.new && mv ../archive/%f.new ../archive/%f"
  const server = await DrillServer.make(folder, "db_1", undefined, { archive_mode: "on", archive_command: archive })
  servers.push(server)
  const nodesOf: Drilled["nodesOf"] = (name, given) =>
    Nodes.make({ folder: join(folder, name), keyFile, witness: undefined, ...given })
  const archiveFolder = DrillServer.folderOf(server, archiveOf)
  await DrillServer.found(server)
  const nodes = await nodesOf("founding", { database: DrillServer.urlOf([server]) })
  await nodes.start()
  const users = await SeededUsers.plant(DrillServer.urlOf([server]), secretKey)
  await nodes.stop()
  return {
    options,
    report,
    folder,
    server,
    archive: archiveFolder,
    keyFile,
    secretKey,
    witness: join(folder, "witness"),
    users,
    records: users.map(TraderRecord.make),
    serverOf: async (name) => {
      const other = await DrillServer.make(folder, name, server)
      servers.push(other)
      return other
    },
    nodesOf,
    close: async (isKept) => {
      for (const one of servers) {
        await one.stop()
        if (!isKept) one.remove()
      }
    }
  }
}
