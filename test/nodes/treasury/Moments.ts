/** Times at which to kill the venue: at random, or while one of its statements waits for a locked table. */
import { createRequire } from "node:module"
import type { Random } from "../../chaos/Random.ts"
import type { VenueProcess } from "./VenueProcess.ts"

/**
 * Tables that can be locked before a kill. The lock delays a writer between two steps. When it is released after the
 * kill, the delayed statement might still run, like a statement from an owner that was wrongly considered crashed.
 */
const tables = [
  "withdrawal_payment",
  "withdrawal_step",
  "withdrawal",
  "deposit",
  "deposit_step",
  "simulated_rail",
  "journal"
]

const moments = ["any time", ...tables.map((table) => `at ${table}`)]

/**
 * Draws the time of a kill: a random time with a probability of 40 %, otherwise a time at which one of the tables is
 * locked.
 */
export const draw = (random: Random): string => (random.chance(0.4) ? "any time" : random.pick(moments.slice(1)))

/** Kills the venue at this time. Returns the states of its unfinished deposits and withdrawals. */
export const kill = async (venue: VenueProcess, moment: string, random: Random): Promise<ReadonlyArray<string>> => {
  await sleep(random.between(200, 2_000))
  if (moment === "any time") {
    await venue.kill()
    return underWay(venue)
  }
  const table = moment.slice("at ".length)
  const client = new Client({ connectionString: venue.database.urlAt(venue.database.port), application_name: "kills" })
  client.on("error", () => {})
  await client.connect()
  try {
    await client.query("begin")
    await client.query(`lock table ${table} in share mode`)
    const until = performance.now() + patienceMillis
    while (performance.now() < until && !(await isWaitedFor(venue, table))) await sleep(10)
    await sleep(random.between(0, 50))
    await venue.kill()
    const states = await underWay(venue)
    await client.query("rollback")
    return states
  } finally {
    await client.end()
  }
}

/** Maximum wait for a writer of the table. After this time, the venue is killed anyway. */
const patienceMillis = 1_500

const isWaitedFor = async ({ database }: VenueProcess, table: string): Promise<boolean> =>
  (await database.query(`select 1 from pg_locks where relation = $1::regclass and not granted limit 1`, [table]))
    .length > 0

/** Returns the distinct states of unfinished deposits and withdrawals. */
const underWay = async ({ database }: VenueProcess): Promise<ReadonlyArray<string>> =>
  (
    await database.query<{ readonly what: string }>(`
      select distinct 'deposit ' || state || case when offered_at is not null and state = 'CONFIRMED' then ', offered' else '' end
        || case when gone_since is not null then ', gone' else '' end as what
      from deposit where state in ('DETECTED', 'CONFIRMED') or gone_since is not null and state = 'CREDITED'
      union select distinct 'withdrawal ' || w.state || case
          when w.ending is not null then ', going back'
          when w.state <> 'SUBMITTED' then ''
          when p.payments is null then ', not signed'
          when w.cancelled_by is not null then ', to be cancelled'
          when s.state like '%' || w.reference || '%' then ', sent'
          else ', not sent' end
      from withdrawal w
      left join lateral (select count(*) as payments from withdrawal_payment p where p.withdrawal_id = w.withdrawal_id having count(*) > 0) p on true
      left join simulated_rail s on s.rail = w.rail
      where w.state in ('QUEUED', 'HELD_FOR_REVIEW', 'SUBMITTED')
      order by what`)
  ).map(({ what }) => what)

export const sleep = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

interface SqlClient {
  readonly connect: () => Promise<void>
  readonly end: () => Promise<void>
  readonly query: (text: string) => Promise<unknown>
  readonly on: (event: "error", handler: () => void) => void
}
const { Client } = createRequire(import.meta.url)("pg") as { readonly Client: new (options: object) => SqlClient }
