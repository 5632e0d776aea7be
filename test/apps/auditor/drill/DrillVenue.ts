/**
 * Venue of the drill: started as by `npm start`, with an auditor, saved states, settled withdrawals and moderate
 * trading.
 */
import type { VenueStep } from "@venue/domain/VenueMode"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { makeFlow, writeFlow } from "../../../bench/Flow.ts"
import * as Load from "../../../bench/Load.ts"
import { startPrice, symbol } from "../../../bench/LoadFrames.ts"
import { connect, type PostgresClient } from "../../../bench/Database.ts"
import { after, type DevUser, fund, startVenue, type Venue } from "../../../bench/VenueProcess.ts"
import * as Signing from "../../../chaos/Signing.ts"
import * as Trade from "./Trade.ts"

export interface DrillVenue {
  readonly step: (to: VenueStep) => Effect.Effect<boolean>
  readonly restartAuditor: Effect.Effect<void>
  readonly stop: () => Promise<void>
}

const traders = 8
/** Number of traders whose rows exceed the limit of a replay, so that their state is saved. */
const saved = 3
const rowsOfTrader = 1_050
const withdrawals = 12
/** Maximum characters of the log in an error. */
const mostLogged = 4_000

export const start = async (folder: string, databaseUrl: string, say: (text: string) => void): Promise<DrillVenue> => {
  const options = { folder, databaseUrl, traders, variables: { VENUE_AUDITOR: "on" } }
  const first = await startVenue(options)
  await fund(first, traders)
  say(`${saved} traders are credited so often that they are saved when they are next woken`)
  await credit(first)
  const flowFile = join(folder, "drill.flow")
  writeFlow(flowFile, makeFlow(200_000, 1_000))
  await Load.run({
    url: first.urls.trade,
    flowFile,
    keysFile: first.devFile,
    connections: traders / 2,
    inFlight: 4,
    seconds: 10,
    tag: Load.nextTag(),
    lotsPerFlowLot: Load.lotsPerFlowLot,
    clear: true,
    totals: false
  })
  await first.stop()
  const venue = await startVenue({ ...options, dataDir: first.dataDir })
  const trade = await Trade.begin(venue.urls.trade, keysOf(venue))
  const database = await connect(databaseUrl)
  try {
    await holding("the auditor has looked at the venue", 60_000, async () => {
      const { rows } = await database.query<{ open: boolean; fault: string | null; reason: string }>(
        "select withdrawals_are_open() as open, fault, reason from venue_mode"
      )
      const { fault, open, reason } = rows[0]!
      if (fault !== null || reason !== "")
        throw new Error(`nothing was changed, and the auditor says: ${fault ?? reason}`)
      return open
    })
    // Waits until the other nodes have read the mode, which takes up to half a second.
    await after(1_000)
    say(`${withdrawals} withdrawals are sent`)
    await withdraw(venue, database)
    const { rows: heads } = await database.query<{ seq: string }>(
      `select max(seq) as seq from journal where stream = 'market/${symbol}'`
    )
    await holding("states of markets and traders are saved", 120_000, async () => {
      const { rows } = await database.query<{ market: boolean; trader: boolean }>(
        `select bool_or(stream = 'market/${symbol}' and seq > ${heads[0]!.seq}) as market,
           bool_or(stream like 'trader/%') as trader
         from snapshot`
      )
      return rows[0]!.market && rows[0]!.trader
    })
  } catch (error) {
    const log = readFileSync(join(venue.dataDir, "log"), "utf8").slice(-mostLogged)
    throw new Error(`${(error as Error).message}\nThe log of the venue:\n${log}`, { cause: error })
  } finally {
    await database.end()
  }
  return {
    step: (to) =>
      Effect.promise(async () => {
        if (to === "TRADING") await venue.admin("POST", "/prices", { symbol, price: startPrice })
        return venue.admin("POST", "/venue-mode", { to, reason: "the drill put it back" }).then(
          () => true,
          () => false
        )
      }),
    restartAuditor: Effect.promise(async () => {
      process.kill(auditorOf(venue), "SIGKILL")
      await after(3_000)
    }),
    stop: async () => {
      trade.stop()
      await venue.stop()
    }
  }
}

const keysOf = (venue: Venue) =>
  tradersOf(venue).map((user) => ({ publicKey: user.public_key, secretKey: user.secret_key }))

/** Credits one at a time, because concurrent credits would share a row. */
const credit = async (venue: Venue): Promise<void> => {
  let failures = 0
  const rowsOf = async ({ user_id }: DevUser): Promise<void> => {
    for (let n = 0; n < rowsOfTrader; n++) {
      const body = { account_id: user_id, amount: 1 + (n % 7), reason: "drill" }
      await venue.admin("POST", "/credits", body).catch(async (error: Error) => {
        // On a busy machine some requests time out.
        if (++failures > rowsOfTrader) throw error
        n--
        await after(100)
      })
    }
  }
  await Promise.all(tradersOf(venue).slice(0, saved).map(rowsOf))
}

const tradersOf = ({ users }: Venue) => users.filter(({ name }) => name.startsWith("trader-"))

/** The supervisor prints the pid of the auditor and restarts it. */
const auditorOf = ({ dataDir }: Venue): number => {
  const starts = [...readFileSync(join(dataDir, "log"), "utf8").matchAll(/auditor started, pid (\d+)/g)]
  return Number(starts.at(-1)![1])
}

/** Withdraws to a new address. The treasurer must then approve each withdrawal. */
const withdraw = async (venue: Venue, database: PostgresClient): Promise<void> => {
  const { operators } = JSON.parse(readFileSync(venue.devFile, "utf8")) as {
    readonly operators: ReadonlyArray<{ readonly token: string; readonly roles: ReadonlyArray<string> }>
  }
  const treasurer = operators.find(({ roles }) => roles.includes("treasurer"))!
  const [user] = tradersOf(venue)
  const body = { amount: 20, address: "0x52908400098527886E0F7030069857D2E4169EE7", network: "ARBITRUM_ONE" }
  for (let n = 0; n < withdrawals; n++) await taken(await post(venue, user!, "/withdraw", body))
  await holding("the withdrawals have arrived", 180_000, async () => {
    const held = await database.query<{ withdrawal_id: string }>(
      "select withdrawal_id from withdrawal where state = 'HELD_FOR_REVIEW'"
    )
    for (const { withdrawal_id } of held.rows) {
      await fetch(`${venue.urls.admin}/withdrawals/approve`, {
        method: "POST",
        headers: { authorization: `Bearer ${treasurer.token}`, "content-type": "application/json" },
        body: JSON.stringify({ withdrawal_id, reason: "drill" })
      })
    }
    const { rows } = await database.query<{ settled: string }>(
      "select count(*) as settled from withdrawal where state = 'SETTLED'"
    )
    return Number(rows[0]!.settled) >= withdrawals
  })
}

const post = (venue: Venue, user: DevUser, path: string, body: object) =>
  Signing.ask(`${venue.urls.funding}${path}`, Signing.headersOf(Signing.signed(user)), body)

const taken = async ({ body, status }: Signing.Answer): Promise<void> => {
  if (status !== 200) throw new Error(`a withdrawal was answered ${status}: ${JSON.stringify(body)}`)
}

const holding = async (what: string, mostMillis: number, holds: () => Promise<boolean>): Promise<void> => {
  const givenUpAt = performance.now() + mostMillis
  while (!(await holds())) {
    if (performance.now() > givenUpAt) throw new Error(`waited in vain until ${what}`)
    await after(250)
  }
}
