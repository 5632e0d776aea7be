/** Downtime of a runner's markets when the runner is killed or frozen under load. */
import * as Client from "./ClusterClient.ts"
import { markets } from "./ClusterMarkets.ts"
import { type Cluster, holding, type NodeProcess, startCluster } from "./ClusterProcess.ts"
import type { Options } from "./Options.ts"
import { type Goal, type Round, type Row, round, say } from "./Report.ts"
import { hold } from "./ClusterPositions.ts"
import { after, startServer } from "./VenueProcess.ts"

const traders = 2_000
const clientsOfMarket = 4
const killsOfRound = 10
const freezesOfRound = 5

interface Silence {
  /** Seconds until each market has executed a client's command again. */
  readonly ofMarkets: number
  /** Seconds until each client has executed a command again. */
  readonly ofClients: number
}

export const failover = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const server = await startServer(options.folder)
  const cluster = await startCluster({
    folder: options.folder,
    databaseUrl: server.url,
    runners: 3,
    gateways: 2,
    traders: traders + markets.length * clientsOfMarket
  })
  await cluster.whole()
  await hold(cluster.tradeUrls, cluster.users.slice(0, traders))
  const clients = await Promise.all(
    cluster.users.slice(traders).map((user, index) =>
      Client.begin({
        urls: cluster.tradeUrls,
        key: { publicKey: user.public_key, secretKey: user.secret_key },
        market: markets[index % markets.length]!,
        part: "maker",
        tag: `f${index}-`,
        pauseMillis: 50
      })
    )
  )
  const kills: Array<Round> = []
  const freezes: Array<Round> = []
  const notes = { kills: [] as Array<string>, freezes: [] as Array<string> }
  for (let index = 0; index < options.rounds; index++) {
    kills.push(await slowest(cluster, clients, "SIGKILL", killsOfRound, notes.kills))
    freezes.push(await slowest(cluster, clients, "SIGSTOP", freezesOfRound, notes.freezes))
  }
  await Promise.all(clients.map((client) => client.stop()))
  await cluster.stop()
  await server.stop()
  return [
    rowOf("a runner killed outright", `slowest of ${killsOfRound}`, kills, { solid: 5, aim: 2 }, notes.kills),
    rowOf("a runner frozen", `slowest of ${freezesOfRound}`, freezes, { solid: 8, aim: 4 }, notes.freezes)
  ]
}

const rowOf = (
  name: string,
  unit: string,
  rounds: ReadonlyArray<Round>,
  goal: Omit<Goal, "better">,
  notes: ReadonlyArray<string>
): Row => ({
  name: `${name}, ${traders} traders with positions`,
  unit: `seconds to the next durable acknowledgement in each of its markets, ${unit}`,
  anchor: "one second",
  rounds,
  goal: { better: "lower", ...goal },
  notes
})

/**
 * Causes the failures one at a time and returns the slowest recovery. Each one affects a different runner, after full
 * recovery from the previous failure.
 */
const slowest = async (
  cluster: Cluster,
  clients: ReadonlyArray<Client.ClusterClient>,
  signal: "SIGKILL" | "SIGSTOP",
  times: number,
  notes: Array<string>
): Promise<Round> => {
  const found: Array<Silence> = []
  for (let time = 0; time < times; time++) {
    const runners = cluster.nodes().filter(({ name }) => name.startsWith("runner"))
    found.push(await silenceAfter(cluster, clients, runners[time % runners.length]!, signal))
  }
  const list = found.map(({ ofClients, ofMarkets }) => `${ofMarkets.toFixed(2)} (${ofClients.toFixed(2)})`).join(", ")
  notes.push(`round ${notes.length + 1}: markets (and clients) heard again after ${list} s`)
  say(`  ${signal}: ${list} s`)
  const worst = round(Math.max(...found.map(({ ofMarkets }) => ofMarkets)), 1)
  return (await cluster.isBalanced()) ? worst : { ...worst, void: "the books do not balance" }
}

const silenceAfter = async (
  cluster: Cluster,
  clients: ReadonlyArray<Client.ClusterClient>,
  node: NodeProcess,
  signal: "SIGKILL" | "SIGSTOP"
): Promise<Silence> => {
  process.kill(node.pid, signal)
  const since = performance.now()
  // Skips responses that the process sent before it stopped.
  const from = since + inFlightMillis
  const heardAt = new Map<Client.ClusterClient, number>()
  const isAnswered = () => {
    for (const client of clients) {
      const at = client.doneAt()
      if (at > from && !heardAt.has(client)) heardAt.set(client, at)
    }
    return heardAt.size === clients.length
  }
  await holding("every client is answered again", 60_000, isAnswered).catch((error: Error) => {
    const unheard = clients.filter((client) => !heardAt.has(client))
    throw new Error(`${error.message}: ${unheard.map(({ about }) => about()).join("; ")}`)
  })
  const bySymbol = Map.groupBy(clients, ({ market }) => market.symbol)
  const first = [...bySymbol.values()].map((ofMarket) => Math.min(...ofMarket.map((client) => heardAt.get(client)!)))
  // A stopped node counts as ready until it has missed heartbeats for this time. Waiting for the node keeps failures
  // from overlapping.
  await after(readyMillis)
  await cluster.whole(node)
  await after(2_000)
  return {
    ofMarkets: (Math.max(...first) - since) / 1_000,
    ofClients: (Math.max(...heardAt.values()) - since) / 1_000
  }
}

const inFlightMillis = 100
const readyMillis = 2_000
