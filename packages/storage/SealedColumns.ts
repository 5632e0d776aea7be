/** Every column with sealed secrets, and their renewal under the current secret key. */
import { bytea, integer, text } from "@venue/postgres/Column"
import { Seal } from "@venue/postgres/Seal"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Table from "@venue/postgres/Table"
import * as AlarmWebhooks from "./alarms/AlarmWebhooks.ts"
import * as ApiKeyTable from "./access/ApiKeyTable.ts"
import * as Factors from "./access/Factors.ts"
import * as Operators from "./access/Operators.ts"
import * as SigningKeyTable from "./access/SigningKeyTable.ts"
import * as SettingRows from "./settings/SettingRows.ts"
import * as BankAccounts from "./treasury/BankAccounts.ts"
import * as WebhookTable from "./treasury/WebhookTable.ts"
import * as WithdrawalTable from "./treasury/WithdrawalTable.ts"

interface SealedColumn {
  readonly table: string
  readonly column: string
  /** Text column by whose order the rows are read. */
  readonly key: string
  /** Returns the name for which a row's secret is sealed. */
  readonly nameOf: (key: string, attempt: number) => string
}

export const all: ReadonlyArray<SealedColumn> = [
  { table: "api_key", column: "sealed_secret", key: "public_key", nameOf: ApiKeyTable.sealName },
  { table: "factor", column: "sealed_secret", key: "factor_id", nameOf: Factors.sealName },
  { table: "operator", column: "sealed_factor", key: "name", nameOf: Operators.sealName },
  { table: "signing_key", column: "sealed_jwk", key: "kid", nameOf: SigningKeyTable.sealName },
  { table: "alarm_webhook", column: "sealed_secret", key: "webhook_id", nameOf: AlarmWebhooks.nameOf },
  { table: "running_setting", column: "sealed_value", key: "name", nameOf: SettingRows.sealName },
  { table: "webhook", column: "sealed_secret", key: "webhook_id", nameOf: WebhookTable.nameOf },
  { table: "bank_account", column: "sealed_details", key: "account_id", nameOf: BankAccounts.sealName },
  { table: "withdrawal_payment", column: "sealed_bytes", key: "withdrawal_id", nameOf: WithdrawalTable.sealName }
]

export interface Renewed {
  /** Number of secrets that this call sealed under the current key. */
  readonly renewed: number
  /** Number of secrets that were sealed under the current key already. */
  readonly current: number
}

/**
 * Seals every secret of a column under the current key. A stopped renewal can be repeated, and finds the renewed
 * secrets. Locks no row for longer than one update; a row that a node changes meanwhile keeps the node's value.
 */
export const renew = Effect.fn("SealedColumns.renew")(function* (sealed: SealedColumn) {
  const sql = yield* SqlClient.SqlClient
  const seals = yield* Seal
  const [table, column, key] = [sql(sealed.table), sql(sealed.column), sql(sealed.key)]
  const rows = Table.selection({
    key: { schema: text.schema, expression: sealed.key },
    attempt: { schema: integer.schema, expression: sealed.table === "withdrawal_payment" ? "attempt" : "0" },
    secret: { schema: bytea.schema, expression: sealed.column }
  })
  let [renewed, current] = [0, 0]
  let after = ""
  while (true) {
    // With ties, because a withdrawal has one row for each attempt to pay it.
    const page = yield* rows.all(sql`
      select ${rows.columns} from ${table} where ${key} > ${after} and ${column} is not null
      order by ${key} fetch first ${sql.literal(String(pageSize))} rows with ties`)
    const last = page.at(-1)
    if (last === undefined) return { renewed, current } satisfies Renewed
    after = last.key
    for (const row of page) {
      const name = sealed.nameOf(row.key, row.attempt)
      if (seals.isCurrent(row.secret, name)) {
        current += 1
        continue
      }
      const secret = seals.seal(seals.open(row.secret, name), name)
      yield* sql`update ${table} set ${column} = ${secret} where ${key} = ${row.key} and ${column} = ${row.secret}`
      renewed += 1
    }
  }
})

const pageSize = 500
