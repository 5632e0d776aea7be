/** All metrics of the venue, by name within each group of `docs/operate/metrics.md`. */
import * as Clients from "./catalogue/Clients.ts"
import * as Markets from "./catalogue/Markets.ts"
import * as Money from "./catalogue/Money.ts"
import * as Nodes from "./catalogue/Nodes.ts"
import * as Orders from "./catalogue/Orders.ts"
import * as Storage from "./catalogue/Storage.ts"
import type { Definition } from "./Definition.ts"

interface Group {
  readonly title: string
  readonly metrics: ReadonlyArray<Definition>
}

const group = (title: string, definitions: Readonly<Record<string, Definition>>): Group => ({
  title,
  metrics: Object.values(definitions).toSorted((a, b) => (a.name < b.name ? -1 : 1))
})

export const groups: ReadonlyArray<Group> = [
  group("Orders", Orders),
  group("Journal, read tables and database", Storage),
  group("Markets and risk", Markets),
  group("Money", Money),
  group("Clients", Clients),
  group("Processes", Nodes)
]

export const all: ReadonlyArray<Definition> = groups.flatMap(({ metrics }) => metrics)

/** Names of all metrics, by which the exposition selects the series of the registry. */
export const names: ReadonlySet<string> = new Set(all.map(({ name }) => name))
