/** The whole venue in memory as one layer, on a clock the test owns. */
import { SessionTokens } from "@venue/auth/session/SessionTokens"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { UserEligibility } from "@venue/auth/access/Eligibility"
import { Feed } from "@venue/cluster/feed/Feed"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import * as Runner from "@venue/cluster/Runner"
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { moneyScale, unitsOf } from "@venue/domain/Decimal"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { type Permission, Selectable } from "@venue/domain/Permission"
import { UserId } from "@venue/domain/UserId"
import * as Gateways from "@venue/gateway/Gateways"
import { MarketDataGateway } from "@venue/gateway/marketData/MarketDataGateway"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Journal } from "@venue/journal/Journal"
import * as VenueStorage from "@venue/storage/VenueStorage"
import { Users } from "@venue/storage/access/Users"
import { UserStates } from "@venue/storage/access/UserStates"
import { HasAuditor } from "@venue/storage/access/VenueModes"
import { Clock, Context, Effect, Layer, Redacted, type Scope } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import { createHmac } from "node:crypto"
import * as Client from "./Client.ts"
import * as OtherGateway from "./OtherGateway.ts"
import * as SimulatedSerialization from "./SimulatedSerialization.ts"
import * as TestAccess from "./TestAccess.ts"

/** Someone with an account and one key. */
export interface TestUser {
  readonly userId: UserId
  readonly publicKey: string
  readonly secretKey: string
}

/** The credential of an `auth` message. */
export interface Signed {
  readonly public_key: string
  readonly nonce: string
  readonly unix_ts: number
  readonly signature: string
}

export interface TradeOptions {
  /** A subaccount; the primary account otherwise. */
  readonly accountId?: AccountId
  /** Orders carry it if it is an active one of `BuilderCodes`. */
  readonly builderCode?: string
  /** Where to connect; the venue's own gateway otherwise. */
  readonly gateway?: Pick<OtherGateway.OtherGateway, "connect">
}

export class TestVenue extends Context.Service<
  TestVenue,
  {
    /**
     * A user who may trade, with one key for all accounts and this many USD on the primary one. The key may do
     * everything, unless told what.
     */
    readonly user: (name: string, usd?: number, permissions?: ReadonlyArray<Permission>) => Effect.Effect<TestUser>
    /** Another account of a user, with this many USD; answers its id. */
    readonly subaccount: (user: TestUser, usd?: number) => Effect.Effect<AccountId>
    /** The access token of a new session of this user. */
    readonly token: (user: TestUser) => Effect.Effect<string>
    /**
     * Sets the outside price of a symbol, in USD, as an operator who confirms it: it stays until the next one. Until the
     * first its market is closed.
     */
    readonly price: (symbol: string, usd: number) => Effect.Effect<void>
    /** A trade connection that is signed in and hears these channels: `order_responses` and `fills` unless told which. */
    readonly trade: (
      user: TestUser,
      channels?: ReadonlyArray<string>,
      options?: TradeOptions
    ) => Effect.Effect<Client.Client, never, Scope.Scope>
    /** A trade connection that has said nothing yet. */
    readonly connect: Effect.Effect<Client.Client, never, Scope.Scope>
    /** The same with the builder code of its upgrade. */
    readonly upgrade: (builderCode: string) => Effect.Effect<Client.Client, never, Scope.Scope>
    /** A connection to the market-data socket. */
    readonly marketData: Effect.Effect<Client.MarketDataClient, never, Scope.Scope>
    /** The `hmac` part of an auth message, with a new nonce each time and the time of the venue's clock. */
    readonly sign: (user: TestUser) => Effect.Effect<Signed>
    /** A second gateway of the same venue, that can be cut off as by a death of its process. */
    readonly gateway: Effect.Effect<OtherGateway.OtherGateway, never, Scope.Scope>
    /** Waits until all that was said has been answered, but for what waits for the clock. One process only. */
    readonly settle: Effect.Effect<void>
  }
>()("@venue/testing/TestVenue") {
  /** On a venue that stands elsewhere: in this process, or on other nodes. */
  static readonly layer = Layer.effect(
    TestVenue,
    Effect.gen(function* () {
      let made = 0
      const nextId = () => (++made).toString(16).padStart(12, "0")
      const markets = yield* MarketClient
      return TestVenue.of({
        ...(yield* accounts(nextId)),
        ...(yield* connections(nextId)),
        price: (symbol, usd) => Effect.orDie(markets.observe(MarketSymbol.make(symbol), unitsOf(usd), "operator")),
        gateway: yield* OtherGateway.make,
        settle
      })
    })
  )
}

type Shape = TestVenue["Service"]

/** Who trades: users and their accounts, with money on them. */
const accounts = Effect.fnUntraced(function* (
  nextId: () => string
): Effect.fn.Return<
  Pick<Shape, "user" | "subaccount" | "token">,
  never,
  Users | ApiKeys | UserStates | UserEligibility | SessionTokens | DeskClient
> {
  const users = yield* Users
  const keys = yield* ApiKeys
  const states = yield* UserStates
  const { requirements } = yield* UserEligibility
  const sessions = yield* SessionTokens
  const desks = yield* DeskClient

  const credit = (userId: UserId, accountId: AccountId, usd: number) =>
    usd === 0
      ? Effect.void
      : desks.ask(userId, (desk) =>
          desk.Credit({
            userId,
            cost: noCost,
            creditId: nextId(),
            accountId,
            amount: BigInt(Math.round(usd * moneyScale)),
            reason: "test"
          })
        )

  return {
    user: Effect.fnUntraced(function* (name, usd = 100_000, permissions = Selectable.literals) {
      const id = nextId()
      const user = {
        userId: UserId.make(uuidOf(id)),
        publicKey: `svc_test_pub_${id.padStart(32, "0")}`,
        secretKey: `svc_test_secret_${id.padStart(64, "0")}`
      }
      yield* users.create({ userId: user.userId, name })
      yield* states.setIdentity(user.userId, "verified")
      yield* states.acceptTerms(user.userId, requirements.termsVersion)
      yield* keys.create({
        publicKey: user.publicKey,
        userId: user.userId,
        label: name,
        secret: Redacted.make(user.secretKey),
        permissions,
        scope: "all_accounts"
      })
      yield* credit(user.userId, primaryAccountOf(user.userId), usd)
      return user
    }, Effect.orDie),
    subaccount: Effect.fnUntraced(function* ({ userId }, usd = 100_000) {
      const accountId = AccountId.make(uuidOf(nextId()))
      yield* desks.ask(userId, (desk) => desk.OpenAccount({ userId, cost: noCost, accountId }))
      yield* credit(userId, accountId, usd)
      return accountId
    }, Effect.orDie),
    token: ({ userId }) =>
      sessions.begin({ userId, clientId: null, publicClient: false, scope: null, method: "web3" }).pipe(
        Effect.map(({ accessToken }) => Redacted.value(accessToken)),
        Effect.orDie
      )
  }
})

/** What they trade through: connections to the venue's own gateways, and how to sign in on them. */
const connections = Effect.fnUntraced(function* (
  nextId: () => string
): Effect.fn.Return<
  Pick<Shape, "sign" | "connect" | "upgrade" | "marketData" | "trade">,
  never,
  TradeGateway | MarketDataGateway
> {
  const tradeGateway = yield* TradeGateway
  const marketDataGateway = yield* MarketDataGateway

  const sign = Effect.fnUntraced(function* (user: TestUser): Effect.fn.Return<Signed> {
    const unixSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const nonce = nextId()
    const signature = createHmac("sha256", user.secretKey).update(`${nonce}:${unixSeconds}`).digest("hex")
    return { public_key: user.publicKey, nonce, unix_ts: unixSeconds, signature }
  })
  const upgrade = (builderCode: string) => Client.open((transport) => tradeGateway.open(transport, builderCode))

  return {
    sign,
    upgrade,
    connect: upgrade(""),
    marketData: Client.openMarketData((transport) => marketDataGateway.open(transport)),
    trade: Effect.fnUntraced(function* (user, channels = ["order_responses", "fills"], options = {}) {
      const client = yield* options.gateway?.connect ?? upgrade("")
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
  }
})

const uuidOf = (id: string): string => `00000000-0000-4000-8000-${id}`

/** Turns of the event loop in which a venue in memory is sure to have answered. */
const settleTurns = 100

const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const settle = Effect.repeat(turn, { times: settleTurns })

/** Markets are taken by the clock, so a test's is moved by the least there is until all of them have been heard. */
const started = Layer.effectDiscard(
  Effect.gen(function* () {
    const feed = yield* Feed
    const { instruments } = yield* VenueSettings
    const clock = yield* Clock.Clock
    if ("adjust" in clock) yield* TestClock.adjust(1)
    const areHeard = Effect.sync(() => [...instruments.keys()].every((symbol) => feed.head(symbol) !== undefined))
    yield* Effect.repeat(Effect.andThen(turn, areHeard), { until: (all) => all })
  })
)

/** The venue of `layerMemory` on a journal that a test brings, to see what it does when that fails. */
export function layerOn<E, R>(journal: Layer.Layer<Journal, E, R>) {
  return Layer.merge(TestVenue.layer, started).pipe(
    Layer.provideMerge(Gateways.layer),
    Layer.provideMerge(Runner.layer),
    Layer.provideMerge(SimulatedSerialization.layerAlone),
    Layer.provideMerge(TestAccess.layer),
    Layer.provideMerge(Layer.merge(VenueStorage.layerMemory(journal), SigningKeys.layerMemory)),
    Layer.provideMerge(Layer.succeed(HasAuditor)(false)),
    Layer.provideMerge(SecureRandom.layerWebCrypto)
  )
}

/**
 * A venue of its own for each use, everything in memory. Payloads between entities go through their codec, so that one
 * that cannot travel fails here. On a `TestClock` time stands still between two adjustments. A quiet hour of it takes a
 * small part of a second, but set the day first: every quarter of an hour on the way there would be gone through. `Venue`
 * replaces the contracts and the limits.
 *
 * ```ts
 * it.effect("my maker quotes", () =>
 *   Effect.gen(function*() {
 *     const venue = yield* TestVenue
 *     yield* venue.price("AAPL-USD", 200)
 *     const client = yield* venue.trade(yield* venue.user("maker"))
 *     yield* client.send({ type: "add_order", params: { symbol: "AAPL-USD", … } })
 *     const { order_response: answer } = yield* client.take("order_response")
 *     assert.strictEqual(answer.status, "ACK")
 *   }).pipe(Effect.provide(layerMemory)))
 * ```
 */
export const layerMemory = layerOn(Journal.layerMemory)
