/** Connects the venue's nodes with the cluster library: sockets, shard locks, health checks, timings and TLS. */
import * as NodeSocket from "@effect/platform-node/NodeSocket"
import * as NodeSocketServer from "@effect/platform-node/NodeSocketServer"
import { advisoryLocks } from "@venue/postgres/AdvisoryLocks"
import * as MayCreate from "@venue/postgres/MayCreate"
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
  /** Lifetime of a shard lock in seconds. A node that crashes or freezes loses its shards within this time. */
  readonly lockSeconds: number
  /** Local IP address for outgoing connections, or undefined if the operating system chooses one. */
  readonly dialFrom: string | undefined
  readonly tls: ClusterTls.ClusterTls | undefined
  /** Whether messages between entities on one node pass through their codecs, as tests require. */
  readonly simulate?: boolean
}

export interface RunnerOptions extends ClusterNodeOptions {
  /** Address to which other nodes connect. */
  readonly address: NodeAddress
  /** Address on which this node listens; differs from `address` behind a proxy. */
  readonly listen: NodeAddress
}

/** Layers of a node that runs entities. */
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

/** Layers of a node that runs no entities and calls the entities on runners. */
export const gateway = (options: ClusterNodeOptions) =>
  SocketRunner.layerClientOnly.pipe(
    Layer.provideMerge(links(undefined)),
    Layer.provide(clientProtocol(options)),
    Layer.provideMerge(storage),
    Layer.provide(config(options, { runnerAddress: Option.none() })),
    Layer.provide(RpcSerialization.layerSchemaBinary())
  )

/**
 * Serves the cluster library's calls and the venue's own `NodeCalls` on one port. Other layers share `LocalEntities`.
 */
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

/**
 * Creates the cluster library's tables under a lock, because several nodes might start at once. A role that is not
 * allowed to create tables uses the existing ones.
 */
export const createTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* MayCreate.mayCreate(sql))) return
  yield* sql.withTransaction(
    Effect.andThen(
      sql`select pg_advisory_xact_lock(${advisoryLocks.clusterTables})`,
      Effect.scoped(Layer.build(SqlRunnerStorage.layerMigrations({})))
    )
  )
})
const tables = Layer.effectDiscard(createTables)

/** Messages are not stored in the database, because the sender retries. */
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

/** A runner that fails two pings loses its shards. The library's own health check would take up to a minute. */
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

/** Closes a connection after a failed ping. Its pending calls are repeated on the next connection. */
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
/** Disables Nagle's algorithm, because calls are small and latency matters. */
const noDelay = true

const dial = ({ host, port }: NodeAddress, { dialFrom, tls }: ClusterNodeOptions): Effect.Effect<Socket.Socket> => {
  const target = { host, port, noDelay, ...(dialFrom === undefined ? {} : { localAddress: dialFrom }) }
  return tls === undefined
    ? NodeSocket.makeNet({ ...target, openTimeout })
    : ClusterTls.dial({ target, tls, openTimeout })
}

const socketServer = ({ listen: { host, port }, tls }: RunnerOptions) => {
  const address = { host, port, noDelay, keepAlive: true }
  return tls === undefined ? NodeSocketServer.layer(address) : ClusterTls.layerServer(address, tls)
}
