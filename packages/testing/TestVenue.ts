/** The whole venue in memory as one layer, on a clock the test owns. */
import { Accounts } from "@venue/auth/Accounts"
import { Hmac } from "@venue/auth/Hmac"
import { Markets, Desks } from "@venue/cluster/Link"
import * as Runner from "@venue/cluster/Runner"
import { unitsOf } from "@venue/domain/Decimal"
import { History } from "@venue/gateway/History"
import { MarketDataGateway } from "@venue/gateway/marketData/MarketDataGateway"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { ApiKeys } from "@venue/storage/ApiKeys"
import { Journal } from "@venue/storage/Journal"
import { Nonces } from "@venue/storage/Nonces"
import { ReadTables } from "@venue/storage/ReadTables"
import { Users } from "@venue/storage/Users"
import { Clock, Context, Effect, Layer, Redacted, type Scope } from "effect"
import { createHmac } from "node:crypto"
import * as Client from "./Client.ts"

export interface TestUser {
  readonly userId: string
  readonly publicKey: string
  readonly secretKey: string
}

export class TestVenue extends Context.Service<TestVenue, {
  /** A user with one key that may do everything, and this many USD on the primary account. */
  readonly user: (name: string, usd?: number) => Effect.Effect<TestUser>
  /** Sets the outside price of a symbol, in USD. */
  readonly price: (symbol: string, usd: number) => Effect.Effect<void>
  /** A signed-in trade connection with these channels. */
  readonly trade: (user: TestUser, channels?: ReadonlyArray<string>, options?: { readonly accountId?: string; readonly builderCode?: string }) => Effect.Effect<Client.Client, never, Scope.Scope>
  /** A trade connection that has said nothing yet. */
  readonly connect: Effect.Effect<Client.Client, never, Scope.Scope>
  readonly marketData: Effect.Effect<Client.Client, never, Scope.Scope>
  /** The `hmac` part of an auth message, fresh each time. */
  readonly sign: (user: TestUser) => Effect.Effect<Record<string, unknown>>
}>()("@venue/testing/TestVenue") {
  static readonly layer = Layer.effect(
    TestVenue,
    Effect.gen(function*() {
      const users = yield* Users
      const keys = yield* ApiKeys
      const desks = yield* Desks
      const markets = yield* Markets
      const tradeGateway = yield* TradeGateway
      const marketDataGateway = yield* MarketDataGateway
      let made = 0

      const sign = Effect.fnUntraced(function*(user: TestUser) {
        const unixSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        const nonce = (++made).toString(16).padStart(16, "0")
        const signature = createHmac("sha256", user.secretKey).update(`${nonce}:${unixSeconds}`).digest("hex")
        return { public_key: user.publicKey, nonce, unix_ts: unixSeconds, signature }
      })
      const connect = Client.open((transport) => tradeGateway.open(transport, ""))

      return TestVenue.of({
        sign,
        connect,
        marketData: Client.open((transport) => marketDataGateway.open(transport)),
        user: Effect.fnUntraced(function*(name: string, usd = 100_000) {
          const id = (++made).toString(16).padStart(12, "0")
          const user = {
            userId: `00000000-0000-4000-8000-${id}`,
            publicKey: `svc_test_pub_${id.padStart(32, "0")}`,
            secretKey: `svc_test_secret_${id.padStart(64, "0")}`
          }
          yield* users.create({ userId: user.userId, name })
          yield* keys.create({
            publicKey: user.publicKey,
            userId: user.userId,
            label: name,
            secret: Redacted.make(user.secretKey),
            permissions: ["view_orders", "view_positions", "view_balance", "execute_orders", "subaccount_ops", "deposit_withdraw"],
            scope: "all_accounts"
          })
          yield* desks.ask(user.userId, (desk) =>
            desk.Change({
              userId: user.userId,
              cost: { bucket: "general", weight: 0 },
              command: { _tag: "Credit", creditId: id, accountId: user.userId, amount: BigInt(Math.round(usd * 1e6)), reason: "test" }
            }))
          return user
        }, Effect.orDie),
        price: (symbol, usd) => Effect.orDie(markets.observe(symbol, unitsOf(usd))),
        trade: Effect.fnUntraced(function*(user, channels = ["order_responses", "fills"], options = {}) {
          const client = yield* connect
          yield* client.send({
            type: "auth",
            params: {
              hmac: yield* sign(user),
              ...(options.accountId === undefined ? {} : { account_id: options.accountId }),
              ...(options.builderCode === undefined ? {} : { builder_code: options.builderCode })
            }
          })
          yield* client.take("authenticated")
          if (channels.length > 0) {
            yield* client.send({ type: "subscribe", params: { channels } })
            for (const _ of channels) yield* client.take("subscribed")
          }
          return client
        })
      })
    })
  )
}

/** Everything in memory; payloads between entities go through their codec, so that one that cannot travel fails here. */
export const layerMemory = TestVenue.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(TradeGateway.layer, MarketDataGateway.layer)),
  Layer.provideMerge(History.layer),
  Layer.provideMerge(Runner.layer),
  Layer.provideMerge(Runner.alone({ simulate: true })),
  Layer.provideMerge(Layer.mergeAll(Accounts.layer, Hmac.layer)),
  Layer.provideMerge(Layer.mergeAll(
    Journal.layerMemory,
    ReadTables.layerMemory,
    ApiKeys.layerMemory,
    Nonces.layerMemory
  )),
  Layer.provideMerge(Users.layerMemory)
)
