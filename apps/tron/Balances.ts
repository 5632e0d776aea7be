/** Prints the CSV list for an offline signer: index, address and balance of each deposit address with enough money. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { moneyScale, textOfMoney } from "@venue/domain/Decimal"
import * as TronBalances from "@venue/providers/rails/tron/TronBalances"
import { Config, Console, Effect, Schema, Stream } from "effect"
import * as ToolSettings from "../process/ToolSettings.ts"
import * as TronSettings from "../process/TronSettings.ts"

export class ArgumentsRefused extends Schema.TaggedError<ArgumentsRefused>()("ArgumentsRefused", {}) {
  override get message() {
    return "expected the number of issued addresses, 1 to 1000000, and the minimum balance in whole USD, for example: npm run tron-balances -- 5000 100"
  }
}

/** TRON did not respond, and the printed list is incomplete. */
export class ListIncomplete extends Schema.TaggedError<ListIncomplete>()("ListIncomplete", { reason: Schema.String }) {
  override get message() {
    return `the list is incomplete (${this.reason}); run the command again`
  }
}

export const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const [count = "", least = "", ...more] = args
  if (more.length > 0 || !/^([1-9]\d{0,5}|1000000)$/.test(count) || !/^\d{1,9}$/.test(least))
    return yield* new ArgumentsRefused()
  const settings = yield* ToolSettings.read(Config.all({ tron: TronSettings.all }))
  yield* list(settings.tron, Number(count), BigInt(least) * BigInt(moneyScale)).pipe(
    Stream.runForEach((line) => Console.log(line)),
    Effect.catchTag("RailUnavailable", ({ cause }) => Effect.fail(new ListIncomplete({ reason: String(cause) }))),
    Effect.provide(NodeHttpClient.layerUndici)
  )
})

/** Streams CSV lines: a header, then each of the first `count` addresses with at least `least` 1e-6 USD. */
export const list = (settings: TronSettings.TronSettings, count: number, least: bigint) =>
  Stream.unwrap(
    Effect.map(TronSettings.connection(settings), (connection) =>
      TronBalances.atLeast(connection, count, least).pipe(
        Stream.map(({ address, amount, index }) => `${index},${address},${textOfMoney(amount)}`),
        Stream.prepend(["index,address,usdt"])
      )
    )
  )
