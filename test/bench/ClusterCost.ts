/** CPU cost of an order when the markets are spread over three runners, compared with one runner. */
import * as Client from "./ClusterClient.ts"
import { type Cluster, startCluster } from "./ClusterProcess.ts"
import type { Options } from "./Options.ts"
import { type Round, type Row, round, say } from "./Report.ts"
import { after, startServer } from "./VenueProcess.ts"

const connections = 128
/** Number of commands per runner before the first round. */
const warmCommands = 10_000
/** Time limit of the warm-up. On a machine that reaches it, the first rounds show too high a cost. */
const warmedWithinMillis = 90_000

export const nodes = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const server = await startServer(options.folder)
  const start = (databaseUrl: string, runners: number) =>
    startCluster({ folder: options.folder, databaseUrl, runners, gateways: 1, traders: connections })
  const three = await start(server.url, 3)
  const one = await start(server.anchorUrl, 1)
  const rounds: Array<Round> = []
  const notes: Array<string> = []
  await warm(three, 3)
  await warm(one, 1)
  for (let index = 1; index <= options.rounds; index++) {
    const ofThree = await costOf(three, options.seconds, index)
    const ofOne = await costOf(one, options.seconds, index)
    const note = `round ${index}: three ${ofThree.text}; one ${ofOne.text}`
    say(`  ${note}`)
    rounds.push(round(ofThree.micros, ofOne.micros))
    notes.push(note)
  }
  await three.stop()
  await one.stop()
  await server.stop()
  return [
    {
      name: `one gateway with three runners, 14 markets, ${connections}x1`,
      unit: "microseconds of CPU of all nodes for each command answered",
      anchor: "one gateway with one runner",
      rounds,
      goal: { better: "lower", solid: 1.6, aim: 1.2 },
      notes
    }
  ]
}

/** Sends enough commands to each process for V8 to optimise its code. */
const warm = async (cluster: Cluster, runners: number): Promise<void> => {
  const givenUpAt = performance.now() + warmedWithinMillis
  const answered = await underLoad(cluster, 0, async (answered) => {
    while (answered() < warmCommands * runners && performance.now() < givenUpAt) await after(100)
    return answered()
  })
  say(`  warm-up of ${runners}: ${answered} commands`)
}

const costOf = (cluster: Cluster, seconds: number, run: number) =>
  underLoad(cluster, run, async (answered) => {
    const before = { commands: answered(), cpu: cluster.cpuSeconds() }
    await after(seconds * 1_000)
    const commands = answered() - before.commands
    const micros = ((cluster.cpuSeconds() - before.cpu) * 1e6) / commands
    return { micros, text: `${micros.toFixed(0)} us, ${Math.round(commands / seconds)}/s` }
  })

const underLoad = async <A>(cluster: Cluster, run: number, act: (answered: () => number) => Promise<A>): Promise<A> => {
  await cluster.whole()
  const clients = await Client.mostlyMakers(cluster, { tag: `c${run}`, pauseMillis: 0 })
  const done = await act(() => clients.reduce((sum, { counts }) => sum + counts.done, 0))
  await Promise.all(clients.map((client) => client.stop()))
  // Waits for the query tables, which lag behind the orders. Otherwise, the CPU time of updating them would be
  // counted for the other cluster.
  await after(2_000)
  return done
}
