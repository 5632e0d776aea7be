/**
 * `npm run rekey`: seals every stored secret under the first key of `VENUE_SECRET_KEY`, so that the second can be
 * dropped. Runs while all nodes use the first key. A repeated run continues, and changes nothing once all is done.
 */
import * as DatabaseClaim from "@venue/postgres/DatabaseClaim"
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import * as FixedSettings from "@venue/postgres/FixedSettings"
import * as Migrations from "@venue/postgres/Migrations"
import { Seal } from "@venue/postgres/Seal"
import * as Nodes from "@venue/storage/nodes/Nodes"
import * as SealedColumns from "@venue/storage/SealedColumns"
import { Config, Console, Effect, Layer, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Agreed from "../process/Agreed.ts"
import * as Agreement from "../process/Agreement.ts"
import { ownerDatabaseUrl } from "../process/DatabaseSettings.ts"
import * as SecretKeys from "../process/SecretKeys.ts"
import { broken, refuseAll, SettingRefused } from "../process/SettingRefused.ts"
import { secretKey } from "../process/Settings.ts"
import * as ToolSettings from "../process/ToolSettings.ts"

/** A node still seals secrets under the old key, so a renewal now would miss some. */
export class NodesUseOldKey extends Schema.TaggedError<NodesUseOldKey>()("NodesUseOldKey", {
  names: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `${this.names.join(", ")}: expected the new key first in VENUE_SECRET_KEY; restart these nodes with "new,old", then run the command again`
  }
}

const own = Config.all({ secretKey, url: ownerDatabaseUrl })

export const run = Effect.gen(function* () {
  const { secretKey, url } = yield* ToolSettings.read(own)
  const keys = SecretKeys.of(secretKey)
  yield* refuseAll(broken(SecretKeys.rulesOf(keys)))
  const [current, other] = keys
  if (other === undefined) {
    const expected = "two keys, separated by a comma: the new one, then the old one"
    return yield* new SettingRefused({ setting: "VENUE_SECRET_KEY", expected })
  }
  const tables = Migrations.layer.pipe(
    Layer.provideMerge(DatabaseClient.layer({ url, applicationName: "rekey", maxConnections: 3 })),
    Layer.merge(Seal.layer(current, other))
  )
  // The claim must end before the pool, from which it has a connection.
  yield* Effect.provide(Effect.scoped(renewAll(current, other)), tables)
})

const renewAll = Effect.fnUntraced(function* (current: Redacted.Redacted, other: Redacted.Redacted) {
  // A single-process venue is no node, and its key is unknown.
  yield* DatabaseClaim.hold("shared")
  const sql = yield* SqlClient.SqlClient
  const [founded] = yield* sql`select from founding where name = ${Agreed.secretKeyMark}`
  if (founded === undefined)
    return yield* new SettingRefused({ setting: "VENUE_DATABASE_URL", expected: "a database that holds a venue" })
  yield* FixedSettings.agree(Agreed.secretKeyMark, [Agreed.markOf(other), Agreed.markOf(current)])
  yield* expectNodesToUse(current)
  for (const column of SealedColumns.all) {
    const { current, renewed } = yield* SealedColumns.renew(column)
    yield* Console.log(`${column.table}: ${renewed} renewed, ${current} renewed before`)
  }
  yield* expectNodesToUse(current)
  yield* FixedSettings.replace(Agreed.secretKeyMark, Agreed.markOf(current))
  yield* Console.log("all secrets are sealed under the new key; restart the nodes with the new key alone")
})

const expectNodesToUse = Effect.fnUntraced(function* (key: Redacted.Redacted) {
  const nodes = yield* Nodes.read(yield* SqlClient.SqlClient)
  const names = nodes
    .filter(({ isLiving, settings }) => isLiving && !Agreement.usesSecretKey(settings, key))
    .map(({ name }) => name)
  if (names.length > 0) return yield* new NodesUseOldKey({ names })
})
