/** The catalogue, and the documents and deployments that name its metrics. */
import * as Catalogue from "@venue/telemetry/Catalogue"
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { expect, it } from "vitest"
import { parse } from "yaml"
import { page, path } from "./MetricsPage.ts"

const root = join(import.meta.dirname, "../..")
const read = (file: string) => readFileSync(join(root, file), "utf8")

it("every name is unique, and states its unit in the way of Prometheus", () => {
  expect(Catalogue.names.size).toBe(Catalogue.all.length)
  const wrong = Catalogue.all.filter(
    ({ name, type }) =>
      !/^venue_[a-z]+(_[a-z]+)*$/.test(name) ||
      name.endsWith("_total") !== (type === "counter") ||
      /_(millis|minutes|micros|kib|count|sum|bucket)$/.test(name)
  )
  expect(wrong.map(({ name }) => name)).toEqual([])
})

it("every help text has at most 25 words, every label a bounded set of values, and every histogram rising buckets", () => {
  const labels = new Set(Catalogue.all.flatMap((metric) => metric.labels))
  expect([...labels].filter((label) => /user|account|order|address|^id$|_id$/.test(label))).toEqual([])
  for (const { boundaries, help, nodes, type } of Catalogue.all) {
    expect(help.split(/\s+/).length).toBeLessThanOrEqual(25)
    expect(nodes.length).toBeGreaterThan(0)
    expect(boundaries.length > 0).toBe(type === "histogram")
    expect(boundaries).toEqual(boundaries.toSorted((a, b) => a - b))
  }
})

it("the metrics page equals the text that `npm run metrics` generates from the catalogue", () => {
  expect(read(path)).toBe(page())
})

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: { readonly runbook: string; readonly summary: string }
  readonly labels: { readonly severity: string }
}
const rules: ReadonlyArray<Rule> = parse(read("deploy/monitoring/rules.yml")).groups.flatMap(
  ({ rules }: { readonly rules: ReadonlyArray<Rule> }) => rules
)
interface Dashboard {
  readonly uid: string
  readonly panels: ReadonlyArray<{
    readonly id: number
    readonly targets: ReadonlyArray<{ readonly expr: string; readonly legendFormat: string }>
  }>
}
const dashboards = globSync("deploy/monitoring/grafana/dashboards/*.json", { cwd: root })
  .toSorted()
  .map((file) => [basename(file, ".json"), JSON.parse(read(file)) as Dashboard] as const)

/** Labels that Prometheus adds to every series. */
const ofPrometheus = ["instance", "job"]

/** Returns what an expression names that the catalogue does not have. */
const unknownIn = (expression: string, legend = ""): ReadonlyArray<string> => {
  const named = [...expression.matchAll(/\b(venue_[a-z_]+)(?:\{([^}]*)\})?/g)].map(([, name, matchers = ""]) => {
    const metric = Catalogue.all.find(
      ({ name: own, type }) =>
        own === name || (type === "histogram" && ["bucket", "sum", "count"].some((part) => `${own}_${part}` === name))
    )
    const used = [...matchers.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!)
    return { name: name!, metric, used }
  })
  const labels = new Set([...ofPrometheus, "le", ...named.flatMap(({ metric }) => metric?.labels ?? [])])
  const grouped = [...expression.matchAll(/\b(?:by|on|without|ignoring) \(([^)]*)\)/g)].flatMap(([, list]) =>
    list!.split(",").map((label) => label.trim())
  )
  const shown = [...legend.matchAll(/\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}/g)].map(([, label]) => label!)
  return [
    ...named.filter(({ metric }) => metric === undefined).map(({ name }) => name),
    ...named.flatMap(({ metric, used }) =>
      used.filter((label) => ![...ofPrometheus, "le", ...(metric?.labels ?? [])].includes(label))
    ),
    ...[...grouped, ...shown].filter((label) => !labels.has(label))
  ]
}

it("finds an unknown metric and an unknown label in an expression", () => {
  expect(unknownIn('sum by (colour) (rate(venue_orders_total{symbol="A", side="BUY"}[5m])) + venue_lost')).toEqual([
    "venue_lost",
    "side",
    "colour"
  ])
  expect(unknownIn("max by (symbol) (venue_orders_total)", "{{symbol}} {{shape}}")).toEqual(["shape"])
  expect(unknownIn("sum by (le) (rate(venue_audit_seconds_bucket[5m]))")).toEqual([])
})

it("every alert names metrics and labels of the catalogue, and a section of the monitoring page", () => {
  const sections = [...read("docs/operate/monitoring.md").matchAll(/^### (\S+)$/gm)].map(([, title]) => title!)
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  for (const { alert, annotations, expr, labels } of rules) {
    expect({ alert, unknown: unknownIn(expr, annotations.summary.replaceAll("{{ $value }}", "")) }).toEqual({
      alert,
      unknown: []
    })
    expect(annotations.runbook).toBe(`docs/operate/monitoring.md#${alert.toLowerCase()}`)
    expect(sections).toContain(alert)
    expect(["page", "ticket"]).toContain(labels.severity)
  }
  expect(sections.filter((title) => !rules.some(({ alert }) => alert === title))).toEqual([])
})

it("every panel of every dashboard names metrics and labels of the catalogue", () => {
  expect(dashboards.map(([name]) => name)).toEqual(["matching", "money", "nodes", "venue"])
  for (const [name, { panels, uid }] of dashboards) {
    expect(uid).toBe(name)
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const { targets } of panels)
      for (const { expr, legendFormat } of targets)
        expect({ name, expr, unknown: unknownIn(expr, legendFormat) }).toEqual({ name, expr, unknown: [] })
  }
})

it("Prometheus scrapes every node of compose.yaml except the wallet, at the port that the node serves", () => {
  const { scrape_configs: jobs } = parse(read("deploy/monitoring/prometheus.yml"))
  const targets = (
    jobs as ReadonlyArray<{ readonly static_configs: ReadonlyArray<{ readonly targets: Array<string> }> }>
  ).flatMap(({ static_configs }) => static_configs.flatMap(({ targets }) => targets))
  const ports: Readonly<Record<string, number>> = { runner: 4010, gateway: 4006, auditor: 4030 }
  const nodes = Object.keys(parse(read("compose.yaml")).services).filter((name) => ports[name.split("-")[0]!])
  expect(targets.toSorted()).toEqual(nodes.map((name) => `${name}:${ports[name.split("-")[0]!]}`).toSorted())
})
