/** A whole venue in memory as one layer, on a clock that the test controls. */
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
import { Listings } from "@venue/storage/listing/Listings"
import * as LiveListings from "@venue/storage/listing/LiveListings"
import * as ListedContracts from "@venue/domain/ListedContracts"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
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

/** A user with an account and one API key. */
export interface TestUser {
  readonly userId: UserId
  readonly publicKey: string
  readonly secretKey: string
}

/** Credential of an `auth` message. */
export interface Signed {
  readonly public_key: string
  readonly nonce: string
  readonly unix_ts: number
  readonly signature: string
}

/** Options of a trade connection. */
export interface TradeOptions {
  /** Subaccount of the connection; the primary account by default. */
  readonly accountId?: AccountId
  /** Builder code of the connection's orders. It takes effect only if it is an active code of `BuilderCodes`. */
  readonly builderCode?: string
  /** Gateway to connect to; the venue's own by default. */
  readonly gateway?: Pick<OtherGateway.OtherGateway, "connect">
}

/** Operations of a venue under test. */
export class TestVenue extends Context.Service<
  TestVenue,
  {
    /**
     * Creates a user who is allowed to trade. The primary account holds this many USD (default 100,000). The user's
     * key has these permissions for all accounts (default: all permissions that a user can select).
     */
    readonly user: (name: string, usd?: number, permissions?: ReadonlyArray<Permission>) => Effect.Effect<TestUser>
    /** Opens a subaccount that holds this many USD (default 100,000) and returns its id. */
    readonly subaccount: (user: TestUser, usd?: number) => Effect.Effect<AccountId>
    /** Starts a session and returns its access token. */
    readonly token: (user: TestUser) => Effect.Effect<string>
    /**
     * Sets a symbol's external price, in USD, as an operator does. The price applies until a new price is set. A
     * market is closed until its first price.
     */
    readonly price: (symbol: string, usd: number) => Effect.Effect<void>
    /** Opens an authenticated trade connection with these subscriptions (default `order_responses` and `fills`). */
    readonly trade: (
      user: TestUser,
      channels?: ReadonlyArray<string>,
      options?: TradeOptions
    ) => Effect.Effect<Client.Client, never, Scope.Scope>
    /** Opens a trade connection that is not yet authenticated. */
    readonly connect: Effect.Effect<Client.Client, never, Scope.Scope>
    /** Opens an unauthenticated trade connection with a builder code in its upgrade request. */
    readonly upgrade: (builderCode: string) => Effect.Effect<Client.Client, never, Scope.Scope>
    /** Opens a connection to the market-data socket. */
    readonly marketData: Effect.Effect<Client.MarketDataClient, never, Scope.Scope>
    /** Signs an `auth` message with a new nonce and the venue's time; returns the message's `hmac` member. */
    readonly sign: (user: TestUser) => Effect.Effect<Signed>
    /** Starts a second gateway of the venue, which can be cut off to simulate a crash of its process. */
    readonly gateway: Effect.Effect<OtherGateway.OtherGateway, never, Scope.Scope>
    /**
     * Waits until every message is processed, except for work that waits for the clock. Works only in a single
     * process.
     */
    readonly settle: Effect.Effect<void>
  }
>()("@venue/testing/TestVenue") {
  /** Operations on a venue that is already running, in this process or on other nodes. */
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

/** Operations that create users, and accounts with money. */
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

/** Operations that connect to the venue's own gateways and authenticate. */
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

/** Number of event-loop turns after which a venue in memory has processed every message. */
const settleTurns = 100

const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

const settle = Effect.repeat(turn, { times: settleTurns })

/**
 * Waits until the feed has the head of every market. Markets start only when the clock advances, so a test clock is
 * advanced by 1 ms.
 */
const started = Layer.effectDiscard(
  Effect.gen(function* () {
    const feed = yield* Feed
    const { instruments } = yield* VenueSettings
    const clock = yield* Clock.Clock
    if ("adjust" in clock) yield* TestClock.adjust(1)
    const haveHeads = Effect.sync(() => [...instruments.keys()].every((symbol) => feed.head(symbol) !== undefined))
    yield* Effect.repeat(Effect.andThen(turn, haveHeads), { until: (all) => all })
  })
)

/** Limits that follow the running settings, and contracts that follow the listings. */
const runningLimits = Layer.effect(
  VenueSettings,
  Effect.gen(function* () {
    const fixed = yield* VenueSettings
    const { now } = yield* RunningSettings
    const contracts = ListedContracts.make(fixed.instruments.values())
    yield* Effect.orDie(LiveListings.followAlone(contracts))
    return {
      ...fixed,
      instruments: contracts.instruments,
      watchListed: contracts.watch,
      get maxOpenOrdersPerSymbol() {
        return now().maxOpenOrdersPerSymbol
      },
      get maxOpenOrdersPerAccount() {
        return now().maxOpenOrdersPerAccount
      }
    }
  })
).pipe(Layer.provide([TestAccess.settings, Listings.layerMemory]))

/** Returns the venue of `layerMemory` with the given journal, to test journal failures. */
export function layerOn<E, R>(journal: Layer.Layer<Journal, E, R>) {
  return Layer.merge(TestVenue.layer, started).pipe(
    Layer.provideMerge(Gateways.layer),
    Layer.provideMerge(Runner.layer),
    Layer.provideMerge(SimulatedSerialization.layerAlone),
    Layer.provideMerge(TestAccess.layer),
    Layer.provideMerge(Layer.merge(VenueStorage.layerMemory(journal), SigningKeys.layerMemory)),
    Layer.provideMerge(runningLimits),
    Layer.provideMerge(Layer.succeed(HasAuditor)(false)),
    Layer.provideMerge(SecureRandom.layerWebCrypto)
  )
}

/**
 * A separate venue for each use, entirely in memory. Messages between entities pass through their codecs, so a value
 * that cannot be encoded fails. On a `TestClock`, time stands still between two adjustments. A simulated hour without
 * trading takes a fraction of a second; set the date first, because each quarter hour on the way there is processed.
 * Provide `VenueSettings` to replace contracts and limits.
 *
 * ```ts
 * it.effect("acknowledges a maker's order", () =>
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
