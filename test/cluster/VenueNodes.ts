/** Several nodes of one venue in one process: runners, and a gateway without entities, on one database. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import * as ClusterNode from "@venue/cluster/ClusterNode"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import * as Runner from "@venue/cluster/Runner"
import { initialInstruments } from "@venue/domain/Instrument"
import { History } from "@venue/gateway/History"
import { Figures } from "@venue/gateway/marketData/Figures"
import { MarketDataGateway } from "@venue/gateway/marketData/MarketDataGateway"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import * as AccessTables from "@venue/storage/access/AccessTables"
import * as AlarmTables from "@venue/storage/alarms/AlarmTables"
import { HasAuditor } from "@venue/storage/access/VenueModes"
import { Journal } from "@venue/journal/Journal"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { FuturesReference } from "@venue/storage/prices/FuturesReference"
import * as DatabaseClock from "@venue/postgres/DatabaseClock"
import { Seal } from "@venue/postgres/Seal"
import * as SimulatedSerialization from "@venue/testing/SimulatedSerialization"
import * as TestAccess from "@venue/testing/TestAccess"
import { TestVenue } from "@venue/testing/TestVenue"
import { Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"

/** Few markets and desks, so that moves are short. */
const venue = {
  ...defaults,
  desks: 4,
  instruments: new Map(initialInstruments.slice(0, 4).map((instrument) => [instrument.symbol, instrument]))
}

const cluster = { lockSeconds: 2, dialFrom: undefined, tls: undefined, simulate: true }

/** Layer of the node's clock. Default: the database clock. */
type Time = typeof DatabaseClock.layer

interface NodeOptions {
  readonly time?: Time
  /** Default: false. */
  readonly rateLimits?: boolean
}

const storage = (url: Redacted.Redacted, { rateLimits = false, time = DatabaseClock.layer }: NodeOptions) =>
  Layer.mergeAll(Journal.layer, ReadTables.layer, FuturesReference.layer, AccessTables.layer, AlarmTables.layer).pipe(
    Layer.provide(Layer.succeed(HasAuditor)(false)),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(Seal.layer(Redacted.make("0123456789abcdef0123456789abcdef"))),
    Layer.provideMerge(time),
    Layer.provideMerge(PgClient.layer({ url, maxConnections: 6 })),
    Layer.provideMerge(Layer.succeed(VenueSettings)({ ...venue, rateLimits }))
  )

const host = "127.0.0.1"

export const runner = (url: Redacted.Redacted, port: number, options: NodeOptions = {}) =>
  Runner.layer.pipe(
    Layer.provide(SimulatedSerialization.layer),
    Layer.provide(ClusterNode.runner({ ...cluster, address: { host, port }, listen: { host, port } })),
    Layer.provide(storage(url, options))
  )

export const gateway = (url: Redacted.Redacted, options: NodeOptions = {}) =>
  TestVenue.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(TradeGateway.layer, MarketDataGateway.layer, Figures.layer)),
    Layer.provideMerge(History.layer),
    Layer.provideMerge(Runner.clients),
    Layer.provideMerge(ClusterNode.gateway(cluster)),
    Layer.provideMerge(TestAccess.layer),
    Layer.provideMerge(SigningKeys.layer),
    Layer.provideMerge(storage(url, options))
  )

export { one as freePort } from "../nodes/Ports.ts"
