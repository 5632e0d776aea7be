/** The venue of `npm start` as a process. Its database and auditor are separate processes, which are not killed. */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as ChildProcess from "../../chaos/ChildProcess.ts"
import * as DatabaseServer from "../../chaos/DatabaseServer.ts"
import * as Ports from "../Ports.ts"
import * as Signing from "../../chaos/Signing.ts"
import * as Plan from "./Plan.ts"

interface User extends Signing.Key {
  readonly name: string
  readonly user_id: string
}

interface DevFile {
  readonly urls: { readonly rest: string; readonly funding: string; readonly admin: string }
  readonly admin_token: string
  readonly users: ReadonlyArray<User>
}

export interface VenueProcess {
  readonly database: DatabaseServer.DatabaseServer
  /** Starts the venue and waits until it is ready. Returns false if the run is interrupted first. */
  readonly start: () => Promise<boolean>
  /** Starts the auditor, without which withdrawals stay blocked. */
  readonly audit: () => void
  /** Returns whether the venue is ready and has not been killed since. */
  readonly isUp: () => boolean
  /** Starts the venue without waiting until it is ready. */
  readonly launch: () => void
  readonly kill: () => Promise<void>
  readonly userIds: () => ReadonlyArray<string>
  /** Sends a user's signed request: to REST for paths under /user/, otherwise to the funding interface. */
  readonly asUser: (
    user: number,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>
  ) => Promise<Signing.Answer>
  readonly asOperator: (path: string, body?: object) => Promise<Signing.Answer>
  readonly stop: () => Promise<void>
}

const readyWithinMillis = 600_000

export const make = async (folder: string, isOver: () => boolean): Promise<VenueProcess> => {
  const database = await DatabaseServer.begin(folder)
  const dataDir = join(folder, "venue")
  mkdirSync(dataDir, { recursive: true })
  const names = ["REST", "FUNDING", "AUTH", "TRADE", "MARKET_DATA", "ADMIN"]
  const ports = await Ports.free(names.length)
  const log = join(folder, "venue.log")
  const devFile = join(dataDir, "dev.json")
  let child: ChildProcess.ChildProcess | undefined
  let auditor: ChildProcess.ChildProcess | undefined
  let file: DevFile | undefined
  let isUp = false

  const launch = () => {
    rmSync(devFile, { force: true })
    child = ChildProcess.start(
      "apps/dev/main.ts",
      {
        ...Object.fromEntries(names.map((name, index) => [`VENUE_${name}_PORT`, String(ports[index])])),
        VENUE_DATA_DIR: dataDir,
        VENUE_DATABASE_URL: database.urlAt(database.port),
        VENUE_EXTRA_USERS: String(Plan.users),
        VENUE_MARKET_MAKER: "off",
        VENUE_AUDITOR: "off",
        VENUE_RATE_LIMITS: "off",
        VENUE_NEW_ADDRESS_HOLD_HOURS: "0",
        VENUE_RAIL_POLL_MILLIS: "200"
      },
      log
    )
  }
  const traders = () => file!.users.filter(({ name }) => name.startsWith("trader-"))
  return {
    database,
    launch,
    audit: () => {
      const variables = { VENUE_DATABASE_URL: database.urlAt(database.port), VENUE_AUDITOR_HEALTH_PORT: "0" }
      auditor = ChildProcess.start("apps/auditor/main.ts", variables, join(folder, "auditor.log"))
    },
    start: async () => {
      launch()
      const deadline = performance.now() + readyWithinMillis
      while (!existsSync(devFile)) {
        if (isOver()) return false
        if (child!.hasEnded() || performance.now() > deadline)
          throw new Error(`the venue did not start:\n${readFileSync(log, "utf8").slice(-4_000)}`)
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      file = JSON.parse(readFileSync(devFile, "utf8")) as DevFile
      isUp = true
      return true
    },
    isUp: () => isUp,
    kill: async () => {
      isUp = false
      child?.signal("SIGKILL")
      await child?.ended
    },
    userIds: () => traders().map(({ user_id }) => user_id),
    asUser: (user, path, body, headers = {}) => {
      const { funding, rest } = file!.urls
      const url = `${path.startsWith("/user/") ? rest : funding}${path}`
      return Signing.ask(url, { ...Signing.headersOf(Signing.signed(traders()[user]!)), ...headers }, body)
    },
    asOperator: (path, body) =>
      Signing.ask(`${file!.urls.admin}${path}`, { authorization: `Bearer ${file!.admin_token}` }, body),
    stop: async () => {
      for (const process of [child, auditor]) process?.signal("SIGKILL")
      await Promise.all([child?.ended, auditor?.ended])
      await database.stop()
    }
  }
}
