/** Cost to trading clients when every node of a cluster restarts in turn, as it does for an upgrade. */
import * as Client from "./ClusterClient.ts"
import { startCluster } from "./ClusterProcess.ts"
import type { Options } from "./Options.ts"
import { type Round, type Row, say } from "./Report.ts"
import { startServer } from "./VenueProcess.ts"

const clientCount = 128

export const rolling = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const server = await startServer(options.folder)
  const shape = { runners: 3, gateways: 2, traders: clientCount }
  const cluster = await startCluster({ folder: options.folder, databaseUrl: server.url, ...shape })
  await cluster.whole()
  const rounds: Array<Round> = []
  const notes: Array<string> = []
  for (let index = 0; index < options.rounds; index++) {
    const clients = await Client.mostlyMakers(cluster, { tag: `r${index}`, pauseMillis: 200 })
    for (const { name } of cluster.nodes()) await cluster.restart(name)
    await Promise.all(clients.map((client) => client.stop()))
    const sum = (of: "done" | "refused" | "unknown") => clients.reduce((all, { counts }) => all + counts[of], 0)
    const [done, refused, unknown] = [sum("done"), sum("refused"), sum("unknown")]
    const lost = refused + unknown
    const percent = (100 * lost) / (done + lost)
    const found = { venue: lost, anchor: (done + lost) / 100, ratio: percent }
    rounds.push((await cluster.isBalanced()) ? found : { ...found, void: "the books do not balance" })
    const why = new Set(clients.flatMap(({ refusals }) => [...refusals.values()]))
    notes.push(`round ${index + 1}: ${done} done, ${refused} refused, ${unknown} unknown`, ...[...why].slice(0, 3))
    say(`  ${notes.join("\n  ")}`)
  }
  await cluster.stop()
  await server.stop()
  return [
    {
      name: `rolling restart of 3 runners and 2 gateways, ${clientCount} clients`,
      unit: "percent of commands refused or unknown",
      anchor: "a hundredth of all commands",
      rounds,
      goal: { better: "lower", solid: 0.1, aim: 0 },
      notes
    }
  ]
}
