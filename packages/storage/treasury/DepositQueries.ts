/** Queries for deposits on Postgres. */
import type { RailName } from "@venue/domain/Rail"
import type { UserId } from "@venue/domain/UserId"
import { storable } from "@venue/postgres/Column"
import { orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Count from "@venue/postgres/Count"
import { type Page, pageOf } from "@venue/postgres/Page"
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { deposits, type DepositsShape, isOwnerlessIn } from "./DepositTable.ts"
import { depositSteps } from "./Steps.ts"

const shownTo = (sql: SqlClient.SqlClient, userId: UserId) =>
  sql`from deposit where user_id = ${storable(userId)} and state <> 'DROPPED'`

const unmatched = (sql: SqlClient.SqlClient) =>
  sql`from deposit where ${isOwnerlessIn(sql)} and (network = 'BANK' or reason is distinct from 'below-minimum')`

export const queries = (
  sql: SqlClient.SqlClient
): Pick<
  DepositsShape,
  "find" | "ofUser" | "countOfUser" | "unmatched" | "countUnmatched" | "due" | "steps" | "addresses" | "isMissing"
> => ({
  find: Effect.fn("Deposits.find")(
    (depositId: string) =>
      deposits.first(sql`select ${columns} from deposit where deposit_id = ${storable(depositId)}`),
    orUnavailable
  ),
  ofUser: Effect.fn("Deposits.ofUser")((userId: UserId, page: Page) => {
    const { limit, offset } = pageOf(page)
    return deposits.all(sql`
      select ${columns} ${shownTo(sql, userId)}
      order by detected_at desc, deposit_id desc limit ${limit} offset ${offset}`)
  }, orUnavailable),
  countOfUser: Effect.fn("Deposits.countOfUser")(
    (userId: UserId) => Count.ofRows(sql, shownTo(sql, userId)),
    orUnavailable
  ),
  unmatched: Effect.fn("Deposits.unmatched")((page: Page) => {
    const { limit, offset } = pageOf(page)
    return deposits.all(sql`
      select ${columns} ${unmatched(sql)}
      order by detected_at, deposit_id limit ${limit} offset ${offset}`)
  }, orUnavailable),
  countUnmatched: orUnavailable(Count.ofRows(sql, unmatched(sql))),
  due: Effect.fn("Deposits.due")(function* (rail: RailName, limit: number) {
    const at = new Date(yield* Clock.currentTimeMillis)
    const rows = yield* deposits.all(sql`
      update deposit set checked_at = ${at}
      where deposit_id in (
        select deposit_id from deposit d
        where d.network = ${rail} and d.state in ('DETECTED', 'CONFIRMED', 'CREDITED')
          and (not d.is_final or d.is_returned
            or (d.state = 'CONFIRMED' and d.reason is null and d.user_id is not null))
        order by d.checked_at, d.deposit_id limit ${limit}
      )
      returning ${columns}`)
    return rows.toSorted((a, b) => a.detectedAtMillis - b.detectedAtMillis || (a.depositId < b.depositId ? -1 : 1))
  }, orUnavailable),
  steps: Effect.fn("Deposits.steps")(
    (depositId: string) =>
      depositSteps.all(sql`
        select ${depositSteps.columns} from deposit_step where deposit_id = ${storable(depositId)} order by step`),
    orUnavailable
  ),
  addresses: Effect.fn("Deposits.addresses")(
    (rail: RailName) =>
      Effect.map(
        addressed.all(sql`select distinct ${addressed.columns} from deposit where network = ${rail}`),
        (rows) => rows.map(({ address }) => address)
      ),
    orUnavailable
  ),
  isMissing: Effect.fn("Deposits.isMissing")(function* (userId: UserId) {
    const found = yield* sql`
        select 1 from deposit
        where user_id = ${storable(userId)} and state = 'CREDITED' and gone_since is not null limit 1`
    return found.length > 0
  }, orUnavailable)
})

const { columns } = deposits
const addressed = deposits.pick("address")
