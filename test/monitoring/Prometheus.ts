/** A Prometheus server with the rules and jobs of `deploy/monitoring`, and queries to it. */
import { spawn } from "node:child_process"
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parse, stringify } from "yaml"
import * as Guard from "../nodes/Guard.ts"
import * as Ports from "../nodes/Ports.ts"
import type { Matrix } from "./Series.ts"

const deployed = join(import.meta.dirname, "../../deploy/monitoring")

interface Job {
  readonly job_name: string
  readonly static_configs: ReadonlyArray<{ readonly targets: ReadonlyArray<string> }>
}

/** Addresses of the run's nodes by the target in `prometheus.yml`, such as `runner-1:4010`. */
export type Addresses = Readonly<Record<string, string>>

export const scrapeSeconds = 2

/**
 * Returns `prometheus.yml` for a run: shorter intervals, the targets that the run has, and their real addresses. The
 * label `instance` keeps the target's name.
 */
export const configOf = (text: string, rulesFile: string, addresses: Addresses): string => {
  const { scrape_configs: jobs, ...rest } = parse(text) as { readonly scrape_configs: ReadonlyArray<Job> }
  const targetsOf = ({ static_configs }: Job) =>
    static_configs.flatMap(({ targets }) => targets).filter((target) => addresses[target] !== undefined)
  return stringify({
    ...rest,
    global: { scrape_interval: `${scrapeSeconds}s`, evaluation_interval: `${scrapeSeconds}s` },
    rule_files: [rulesFile],
    scrape_configs: jobs.map((job) => ({
      ...job,
      static_configs: [{ targets: targetsOf(job) }],
      relabel_configs: [
        { source_labels: ["__address__"], target_label: "instance" },
        ...targetsOf(job).map((target) => ({
          source_labels: ["__address__"],
          regex: target,
          target_label: "__address__",
          replacement: addresses[target]
        }))
      ]
    }))
  })
}

export interface Rule {
  readonly name: string
  readonly state: "inactive" | "pending" | "firing"
  readonly health: string
  readonly lastError?: string
}

export interface Prometheus {
  readonly queryRange: (expr: string, from: number, to: number, stepSeconds: number) => Promise<Matrix>
  readonly rules: () => Promise<ReadonlyArray<Rule>>
  readonly stop: () => Promise<void>
}

/** Starts the server and waits until it is ready. */
export const start = async (program: string, folder: string, addresses: Addresses): Promise<Prometheus> => {
  const port = await Ports.one()
  const config = join(folder, "prometheus.yml")
  const logFile = join(folder, "prometheus.log")
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    config,
    configOf(readFileSync(join(deployed, "prometheus.yml"), "utf8"), join(deployed, "rules.yml"), addresses)
  )
  const log = openSync(logFile, "a")
  const child = spawn(
    program,
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`
    ],
    { stdio: ["ignore", log, log], detached: true }
  )
  closeSync(log)
  const ending = Promise.withResolvers<string>()
  let hasEnded = false
  const end = (reason: string) => {
    hasEnded = true
    ending.resolve(reason)
  }
  child.once("error", (error) => end(error.message))
  child.once("exit", (code) => end(`exit code ${code}: ${readFileSync(logFile, "utf8").slice(-2_000)}`))
  if (child.pid !== undefined) void ending.promise.then(Guard.over(child.pid))
  const url = `http://127.0.0.1:${port}`
  while (!(await isReady(url))) {
    if (hasEnded)
      throw new Error(
        `${program} did not start (${await ending.promise}); install Prometheus, on Debian with ` +
          "apt-get install prometheus, or set VENUE_PROMETHEUS to its path"
      )
    await new Promise((again) => setTimeout(again, 100))
  }
  return {
    queryRange: async (expr, from, to, stepSeconds) => {
      const terms = { query: expr, start: String(from), end: String(to), step: String(stepSeconds) }
      const { result } = (await get(`${url}/api/v1/query_range?${new URLSearchParams(terms)}`)) as { result: Matrix }
      return result
    },
    rules: async () => {
      const { groups } = (await get(`${url}/api/v1/rules`)) as { groups: Array<{ rules: ReadonlyArray<Rule> }> }
      return groups.flatMap(({ rules }) => rules)
    },
    stop: async () => {
      child.kill("SIGTERM")
      await ending.promise
    }
  }
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/-/ready`).then(
    ({ ok }) => ok,
    () => false
  )

const get = async (url: string): Promise<unknown> => {
  const answer = (await (await fetch(url)).json()) as { readonly data?: unknown; readonly error?: string }
  if (answer.data === undefined) throw new Error(`${decodeURIComponent(url)}: ${answer.error}`)
  return answer.data
}
