/** How the nodes of a venue find each other and speak: the library's sockets and locks, with our timings and secrecy. */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { advisoryLocks } from "@venue/postgres/AdvisoryLocks"
import { Effect, Layer, Option, Schedule } from "effect"
import {
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  RunnerServer,
  Runners,
  Sharding,
  ShardingConfig,
  SocketRunner,
  SqlRunnerStorage
} from "effect/cluster"
import * as RpcClient from "effect/rpc/RpcClient"
import * as RpcServer from "effect/rpc/RpcServer"
import * as RpcSerialization from "effect/rpc/RpcSerialization"
import * as Socket from "effect/socket/Socket"
import { SqlClient } from "effect/sql"
import * as ClusterTls from "./ClusterTls.ts"
import { LocalEntities } from "./clients/LocalEntities.ts"
import * as NodeLinks from "./clients/NodeLinks.ts"
import * as NodeServer from "./NodeServer.ts"
import { NodeCalls } from "./protocol/Node.ts"
import * as LockTurns from "./LockTurns.ts"
import * as Runner from "./Runner.ts"
import { VenueSettings } from "./VenueSettings.ts"

export interface NodeAddress {
  readonly host: string
  readonly port: number
}

export interface ClusterNodeOptions {
  /** A node that dies or freezes has lost its shards so much later at most. */
  readonly lockSeconds: number
  /** Outgoing connections are bound to this address of the machine. */
  readonly dialFrom: string | undefined
  readonly tls: ClusterTls.ClusterTls | undefined
  /** Calls between entities of one node take the way of others', as tests want. */
  readonly simulate?: boolean
}

export interface RunnerOptions extends ClusterNodeOptions {
  /** What others dial. */
  readonly address: NodeAddress
  /** Where it listens, when something stands between. */
  readonly listen: NodeAddress
}

/** A node with entities. */
export const runner = (options: RunnerOptions) => {
  const protocol = clientProtocol(options)
  const address = `${options.address.host}:${options.address.port}`
  return server.pipe(
    Layer.provideMerge(links(address)),
    Layer.provide([
      protocol,
      socketServer(options),
      health.pipe(Layer.provide(Runners.layerRpc), Layer.provide(protocol))
    ]),
    Layer.provideMerge(storage),
    Layer.provide(
      config(options, {
        runnerAddress: Option.some(RunnerAddress.make(options.address.host, options.address.port)),
        runnerListenAddress: Option.some(RunnerAddress.make(options.listen.host, options.listen.port))
      })
    ),
    Layer.provide(RpcSerialization.layerSchemaBinary())
  )
}

/** A node that asks entities and has none. */
export const gateway = (options: ClusterNodeOptions) =>
  SocketRunner.layerClientOnly.pipe(
    Layer.provideMerge(links(undefined)),
    Layer.provide(clientProtocol(options)),
    Layer.provideMerge(storage),
    Layer.provide(config(options, { runnerAddress: Option.none() })),
    Layer.provide(RpcSerialization.layerSchemaBinary())
  )

/** Answers the library's own calls and ours, on one address. The entities are those that all of this node's layers share. */
const server = RpcServer.layer(Runners.Rpcs.merge(NodeCalls), {
  spanPrefix: "RunnerServer",
  disableTracing: true,
  disableFatalDefects: true
}).pipe(
  Layer.provide([RunnerServer.layerHandlers, NodeServer.layer.pipe(Layer.provide(LocalEntities.layer))]),
  Layer.provideMerge(Sharding.layer),
  Layer.provideMerge(Runners.layerRpc),
  Layer.provide(RpcServer.layerProtocolSocketServer)
)

const links = (self: string | undefined) => Layer.effect(NodeLinks.NodeLinks, NodeLinks.make(self))

/** Nodes that start together take turns at the tables of the library. */
const tables = Layer.effectDiscard(
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.andThen(
        sql`select pg_advisory_xact_lock(${advisoryLocks.clusterTables})`,
        Effect.scoped(Layer.build(SqlRunnerStorage.layerMigrations({})))
      )
    )
  )
)

/** No message of ours is kept in the database: whoever sends repeats. */
const storage = MessageStorage.layerNoop.pipe(
  Layer.provideMerge(LockTurns.layer.pipe(Layer.provide(SqlRunnerStorage.layerStorage({}).pipe(Layer.provide(tables)))))
)

const config = (
  { lockSeconds, simulate = false }: ClusterNodeOptions,
  addresses: Partial<ShardingConfig.ShardingConfig["Service"]>
) =>
  Layer.unwrap(
    Effect.map(VenueSettings, ({ desks }) =>
      ShardingConfig.layer({
        ...Runner.timings,
        ...addresses,
        shardsPerGroup: desks,
        shardLockExpiration: `${lockSeconds} seconds`,
        shardLockRefreshInterval: (lockSeconds * 1_000) / 3,
        simulateRemoteSerialization: simulate
      })
    )
  )

/** One that does not answer twice gives up its shards; the library's own check takes up to a minute to say so. */
const health = Layer.effect(
  RunnerHealth.RunnerHealth,
  Effect.map(Runners.Runners, (runners) =>
    RunnerHealth.RunnerHealth.of({
      isAlive: (address) =>
        runners
          .ping(address)
          .pipe(
            Effect.timeout(pingTimeout),
            Effect.retry({ times: 1, schedule: Schedule.spaced("200 millis") }),
            Effect.isSuccess
          )
    })
  )
)

const pingInterval = "500 millis"
const pingTimeout = "1 second"

/** A connection without an answer to its pings has ended: what waits on it is repeated on the next. */
const clientProtocol = (options: ClusterNodeOptions) =>
  Layer.effect(
    Runners.RpcClientProtocol,
    Effect.map(RpcSerialization.RpcSerialization, (serialization) => ({
      codecFor: serialization.codecFor,
      make: (address: RunnerAddress.RunnerAddress) =>
        Effect.flatMap(dial(address, options), (socket) =>
          RpcClient.makeProtocolSocket({ pingInterval, pingTimeout, retryPolicy: Schedule.spaced("250 millis") }).pipe(
            Effect.provideService(Socket.Socket, socket),
            Effect.provideService(RpcSerialization.RpcSerialization, serialization)
          )
        )
    }))
  )

const openTimeout = "1 second"
/** Calls are small and each is waited for. */
const noDelay = true

const dial = ({ host, port }: NodeAddress, { dialFrom, tls }: ClusterNodeOptions): Effect.Effect<Socket.Socket> => {
  const place = { host, port, noDelay, ...(dialFrom === undefined ? {} : { localAddress: dialFrom }) }
  return tls === undefined
    ? NodeSocket.makeNet({ ...place, openTimeout })
    : ClusterTls.dial({ place, tls, openTimeout })
}

const socketServer = ({ listen: { host, port }, tls }: RunnerOptions) => {
  const place = { host, port, noDelay, keepAlive: true }
  return tls === undefined ? NodeSocketServer.layer(place) : ClusterTls.layerServer(place, tls)
}
