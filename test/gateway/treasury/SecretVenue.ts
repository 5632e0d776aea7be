/** Venue on Postgres with every deposit and withdrawal path, which keeps all its log lines, traces and responses. */
import * as RailEntities from "@venue/cluster/entities/rail/Rails"
import * as StoredRails from "@venue/simulation/rails/StoredRails"
import * as WebhookDelivery from "@venue/cluster/singletons/WebhookDelivery"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import * as SimulatedSerialization from "@venue/testing/SimulatedSerialization"
import * as Runner from "@venue/cluster/Runner"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { History } from "@venue/gateway/History"
import { Figures } from "@venue/gateway/marketData/Figures"
import { MarketDataGateway } from "@venue/gateway/marketData/MarketDataGateway"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import * as TreasuryServer from "@venue/gateway/treasury/TreasuryServer"
import { Journal } from "@venue/journal/Journal"
import { Seal } from "@venue/postgres/Seal"
import { RailProviders } from "@venue/providers/rails/RailProvider"
import { LoopbackEndpoints } from "@venue/providers/webhooks/Endpoint"
import { Resolver } from "@venue/providers/webhooks/Resolver"
import { WebhookSender } from "@venue/providers/webhooks/WebhookSender"
import * as AccessTables from "@venue/storage/access/AccessTables"
import * as AlarmTables from "@venue/storage/alarms/AlarmTables"
import { HasAuditor } from "@venue/storage/access/VenueModes"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Listings } from "@venue/storage/listing/Listings"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import * as TreasuryTables from "@venue/storage/treasury/TreasuryTables"
import * as TestAccess from "@venue/testing/TestAccess"
import { TestVenue } from "@venue/testing/TestVenue"
import { Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Observed from "../../Observed.ts"
import { postgresLayer } from "../../Postgres.ts"
import { BankUnderTest, layerOf as bankServer } from "../../providers/rails/bank/BankServer.ts"
import { callsTo, layerOver, RestClient } from "../rest/RestClient.ts"
import { options } from "./TreasuryClient.ts"

export const bankWebhookSecret = Redacted.make("whsec_Q2FuYXJ5T2ZUaGVCYW5rc1dlYmhvb2tTZWNyZXQwMDAx")
export const sealKey = "the key that seals in this test, of any characters"
export const observed = Observed.make()

const settings = {
  ...defaults,
  desks: 2,
  rateLimits: false,
  instruments: new Map([...defaults.instruments].slice(0, 1))
}

/** A bank behind a server, and simulated chains. */
const rails = StoredRails.fillingIn(
  Layer.effect(
    RailProviders,
    Effect.map(BankUnderTest, ({ provider }) => RailProviders.of(new Map([["BANK", provider] as const])))
  )
)

const tables = Layer.mergeAll(
  AccessTables.layer,
  AlarmTables.layer,
  TreasuryTables.layer,
  Journal.layer,
  ReadTables.layer,
  FuturesReference.layer,
  Listings.layer
)

const telling = WebhookDelivery.layer.pipe(Layer.provide(WebhookSender.layer), Layer.provide(Resolver.layer))

export const layer = Layer.effect(
  RestClient,
  Effect.gen(function* () {
    const { url } = yield* TreasuryServer.open({ ...options, accessLog: true, bankWebhookSecret })
    return RestClient.of({ ...(yield* RestClient), ...callsTo(url) })
  })
).pipe(
  Layer.provideMerge(layerOver),
  Layer.provideMerge(TestVenue.layer),
  Layer.provideMerge(Layer.mergeAll(TradeGateway.layer, MarketDataGateway.layer, Figures.layer)),
  Layer.provideMerge(History.layer),
  Layer.provideMerge(RailEntities.layer),
  Layer.provideMerge(Layer.merge(Runner.layer, telling)),
  Layer.provideMerge(SimulatedSerialization.layerAlone),
  Layer.provideMerge(TestAccess.layer),
  Layer.provideMerge(SigningKeys.layer),
  Layer.provideMerge(rails),
  Layer.provideMerge(bankServer()),
  Layer.provideMerge(tables),
  Layer.provideMerge(SecureRandom.layerWebCrypto),
  Layer.provideMerge(Seal.layer(Redacted.make(sealKey))),
  Layer.provideMerge(postgresLayer),
  Layer.provideMerge(
    Layer.mergeAll(
      Layer.succeed(VenueSettings)(settings),
      Layer.succeed(LoopbackEndpoints)(true),
      Layer.succeed(HasAuditor)(false)
    )
  ),
  Layer.provideMerge(observed.layer)
)
