/** Stub handlers of the REST interface with one account, one market and one trade. */
import { Api } from "@venue/api/rest/Api"
import { ActiveBuilder } from "@venue/api/rest/BuilderWallet"
import { Authenticated, Caller } from "@venue/api/rest/Caller"
import { leverageRefused } from "@venue/api/rest/Leverage"
import { balancePublic, positionPublic } from "@venue/api/rest/Positions"
import { caching, refdataSymbol } from "@venue/api/rest/Refdata"
import { tradeRecord, type TradesFilter, tradesFilter } from "@venue/api/rest/Trade"
import * as InvalidRequest from "@venue/api/InvalidRequest"
import { problems } from "@venue/api/Problem"
import { AccountId } from "@venue/domain/AccountId"
import { initialInstruments } from "@venue/domain/Instrument"
import { marketHours } from "@venue/domain/MarketHours"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { LeverageInUse, NotALevel, UnknownSymbol } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"

export const baseUrl = "http://venue.test"
const refusals = problems(baseUrl)
export const gold = initialInstruments.find(({ symbol }) => symbol === "GOLD-USD")!
export const filters: Array<TradesFilter> = []

const groups = Layer.mergeAll(
  HttpApiBuilder.group(Api, "refdata", (handlers) =>
    handlers.handle("refdata", ({ query }) =>
      Effect.succeed(
        HttpApiSchema.withHeaders({
          body: {
            type: "refdata" as const,
            data:
              query.ticker === undefined || query.ticker === gold.symbol
                ? [
                    refdataSymbol(gold, {
                      oracleE8: 341_087_000_000,
                      minPriceTicks: 32_405,
                      maxPriceTicks: 35_815,
                      changePercent: 0.42,
                      hours: marketHours(gold),
                      status: "ACTIVE"
                    })
                  ]
                : []
          },
          headers: caching
        })
      )
    )
  ),
  HttpApiBuilder.group(Api, "positions", (handlers) =>
    handlers.handle("positions", () =>
      Effect.gen(function* () {
        const { accountId } = yield* Caller
        return {
          positions: [
            positionPublic(gold, {
              accountId,
              symbol: gold.symbol,
              quantityLots: 1_500,
              basis: 5_116_650_000,
              realised: 0,
              unrealised: 1_650_000n,
              funding: -12_000,
              fees: 0,
              leverage: 20,
              marginHeld: 0n,
              openOrders: 1,
              openQuantityLots: 1_000
            })
          ],
          balance: balancePublic({
            accountId,
            deposit: 25_000_000_000n,
            realised: 118_400_000n,
            unrealised: 1_650_000n,
            funding: -12_000n,
            fees: 511_665n,
            builderRewards: null,
            orderMargin: 170_560_000n,
            positionMargin: 255_915_000n,
            equity: 0n,
            available: 24_730_301_335n,
            withdrawable: 0n
          })
        }
      })
    )
  ),
  HttpApiBuilder.group(Api, "trade", (handlers) =>
    handlers
      .handle("tradesCsv", () => unasked())
      .handle("trades", ({ query }) =>
        Effect.sync(() => {
          filters.push(tradesFilter(query))
          return {
            data: [
              tradeRecord(gold, {
                symbol: gold.symbol,
                tradeId: "t-1",
                side: "BUY",
                aggressorSide: "SELL",
                orderId: "o-1",
                clientOrderId: "",
                price: 34_111,
                quantity: 1_500,
                fee: 511_665,
                realised: 0,
                marginUsed: 255_832_500,
                orderType: "LIMIT",
                timeInForce: "GTC",
                origin: "USER",
                liquidation: "NONE",
                executionType: "NEW",
                atMillis: 1790503244118
              })
            ],
            count: 1
          }
        })
      )
  ),
  HttpApiBuilder.group(Api, "leverage", (handlers) =>
    handlers.handle("setLeverage", ({ payload: { leverage, symbol } }) => {
      if (symbol !== gold.symbol)
        return Effect.fail(leverageRefused(refusals, new UnknownSymbol({ symbol: MarketSymbol.make(symbol) })))
      if (leverage > 30) return Effect.fail(leverageRefused(refusals, new NotALevel({ leverage, maxLeverage: 30 })))
      return leverage === 5
        ? Effect.fail(
            leverageRefused(
              refusals,
              new LeverageInUse({ symbol: MarketSymbol.make(symbol), openOrders: 1, hasPosition: false })
            )
          )
        : Effect.succeed({ leverage })
    })
  ),
  HttpApiBuilder.group(Api, "health", (handlers) =>
    handlers
      .handle("live", () => Effect.succeed({ status: "live" as const, release: "0.1.0" }))
      .handle("ready", () => Effect.fail(refusals.draining()))
  )
)

/** Groups without a stub handler: their tests use the real handlers. */
const unasked = () => Effect.die("nobody asks this")
const others = Layer.mergeAll(
  HttpApiBuilder.group(Api, "onboarding", (handlers) =>
    handlers.handleAll({ onboarding: unasked, acceptTerms: unasked, beginVerification: unasked })
  ),
  HttpApiBuilder.group(Api, "profile", (handlers) => handlers.handleAll({ profile: unasked, changeProfile: unasked })),
  HttpApiBuilder.group(Api, "builderCode", (handlers) =>
    handlers.handleAll({ createBuilderCode: unasked, builderCode: unasked })
  ),
  HttpApiBuilder.group(Api, "builderWallet", (handlers) =>
    handlers.handleAll({ builderMessage: unasked, builderKey: unasked })
  ).pipe(Layer.provide(Layer.succeed(ActiveBuilder, unasked))),
  HttpApiBuilder.group(Api, "orderPreview", (handlers) => handlers.handleAll({ previewOrder: unasked })),
  HttpApiBuilder.group(Api, "historicOrders", (handlers) =>
    handlers.handleAll({ historicOrders: unasked, historicOrdersCsv: unasked })
  ),
  HttpApiBuilder.group(Api, "historicTwaps", (handlers) =>
    handlers.handleAll({ historicTwaps: unasked, historicTwapsCsv: unasked })
  ),
  HttpApiBuilder.group(Api, "candles", (handlers) => handlers.handleAll({ candles: unasked })),
  HttpApiBuilder.group(Api, "underlier", (handlers) => handlers.handleAll({ underlier: unasked })),
  HttpApiBuilder.group(Api, "fundingRates", (handlers) => handlers.handleAll({ fundingRates: unasked })),
  HttpApiBuilder.group(Api, "openInterest", (handlers) => handlers.handleAll({ openInterest: unasked })),
  HttpApiBuilder.group(Api, "takerVolume", (handlers) => handlers.handleAll({ takerVolume: unasked })),
  HttpApiBuilder.group(Api, "longShort", (handlers) => handlers.handleAll({ longShort: unasked })),
  HttpApiBuilder.group(Api, "futures", (handlers) =>
    handlers.handleAll({ settlementCalendar: unasked, settlementPrices: unasked })
  ),
  HttpApiBuilder.group(Api, "symbolMetrics", (handlers) => handlers.handleAll({ symbolMetrics: unasked })),
  HttpApiBuilder.group(Api, "aggregator", (handlers) => handlers.handleAll({ contracts: unasked, orderBook: unasked })),
  HttpApiBuilder.group(Api, "apiKeys", (handlers) =>
    handlers.handleAll({ list: unasked, create: unasked, rename: unasked, revoke: unasked, rotate: unasked })
  ),
  HttpApiBuilder.group(Api, "subaccounts", (handlers) =>
    handlers.handleAll({
      subaccounts: unasked,
      createSubaccount: unasked,
      subaccountBalances: unasked,
      subaccountEquity: unasked,
      publicAccounts: unasked
    })
  ),
  HttpApiBuilder.group(Api, "transfer", (handlers) => handlers.handleAll({ transfer: unasked })),
  HttpApiBuilder.group(Api, "pnl", (handlers) => handlers.handleAll({ historicPnl: unasked })),
  HttpApiBuilder.group(Api, "pnlHours", (handlers) => handlers.handleAll({ pnlHours: unasked })),
  HttpApiBuilder.group(Api, "accountEquity", (handlers) => handlers.handleAll({ accountEquity: unasked })),
  HttpApiBuilder.group(Api, "volume", (handlers) => handlers.handleAll({ volume: unasked })),
  HttpApiBuilder.group(Api, "fees", (handlers) => handlers.handleAll({ fees: unasked })),
  HttpApiBuilder.group(Api, "publicPositions", (handlers) => handlers.handleAll({ publicPositions: unasked })),
  HttpApiBuilder.group(Api, "baseFees", (handlers) => handlers.handleAll({ baseFees: unasked })),
  HttpApiBuilder.group(Api, "publicTrades", (handlers) =>
    handlers.handleAll({ publicTrades: unasked, publicAccountTrades: unasked })
  ),
  HttpApiBuilder.group(Api, "leaderboard", (handlers) => handlers.handleAll({ leaderboard: unasked })),
  HttpApiBuilder.group(Api, "defiLlama", (handlers) => handlers.handleAll({ venueMetrics: unasked })),
  HttpApiBuilder.group(Api, "builderGrants", (handlers) =>
    handlers.handleAll({ builderGrants: unasked, revokeBuilderGrant: unasked })
  ),
  HttpApiBuilder.group(Api, "invitations", (handlers) =>
    handlers.handleAll({ issueCodes: unasked, invitationCodes: unasked, referralVolume: unasked, redeemCode: unasked })
  ),
  HttpApiBuilder.group(Api, "referralRewards", (handlers) => handlers.handleAll({ referralRewards: unasked }))
)

const authenticated = Layer.succeed(Authenticated, (answer) =>
  Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    if (headers["x-svc-public-key"] === undefined) return yield* refusals.credentialsNotAccepted()
    if (headers["x-svc-public-key"] !== "all") return yield* refusals.notPermitted()
    return yield* Effect.provideService(answer, Caller, {
      userId: UserId.make("alice"),
      accountId: AccountId.make("alice"),
      permissions: new Set<string>()
    })
  })
)

export const { dispose, handler } = HttpRouter.toWebHandler(
  HttpApiBuilder.layer(Api).pipe(
    Layer.provide([groups, others]),
    Layer.provide(authenticated),
    Layer.provide(InvalidRequest.layer(refusals)),
    Layer.provide(HttpServer.layerServices)
  ),
  { disableLogger: true }
)

interface Body {
  readonly [member: string]: unknown
  readonly data: ReadonlyArray<unknown>
  readonly errors: ReadonlyArray<{ readonly location: string }>
}

export const call = (path: string, init: RequestInit = {}, key: string | null = "all") =>
  Effect.promise(() =>
    handler(
      new Request(`${baseUrl}${path}`, {
        ...init,
        headers: { ...(key === null ? {} : { "x-svc-public-key": key }), ...init.headers }
      })
    )
  ).pipe(
    Effect.flatMap((response) =>
      Effect.map(
        Effect.promise(() => response.json() as Promise<Body>),
        (body) => ({
          status: response.status,
          type: response.headers.get("content-type"),
          cache: response.headers.get("cache-control"),
          body
        })
      )
    )
  )

export const post = (body: string) =>
  call("/user/leverage", { method: "POST", body, headers: { "content-type": "application/json" } })
