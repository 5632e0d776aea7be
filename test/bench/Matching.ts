/** The matching machine with all its rules, against the books of npm and against C++. */
import { spawnSync } from "node:child_process"
import { deepStrictEqual } from "node:assert"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeFlow, type Totals, writeFlow } from "./Flow.ts"
import type { MatchingReport } from "./MatchingWorker.ts"
import { npmBooks } from "./NpmBook.ts"
import type { Options } from "./Options.ts"
import { median, type Round, type Row, round, say } from "./Report.ts"
import * as Worker from "./Worker.ts"

/** Published ratio of the C++ anchor to liquibook on F1: between 36 and 46. */
const liquibooksPerAnchor = 40
/** On F1s, whose levels are short. */
const liquibooksPerAnchorShort = 18

export const matching = async (options: Options): Promise<ReadonlyArray<Row>> => [
  ...(await onFlow(options, "F1", 10_000, liquibooksPerAnchor)),
  ...(await onFlow(options, "F1s", 1_000, liquibooksPerAnchorShort))
]

async function onFlow(options: Options, name: string, prefill: number, perAnchor: number): Promise<Array<Row>> {
  const flow = makeFlow(options.operations, prefill)
  const flowFile = join(options.folder, `${name}.bin`)
  writeFlow(flowFile, flow)
  const rates = await measure(options, flowFile, flow.totals)
  const fastest = npmBooks.toSorted((a, b) => median(rates[b]!) - median(rates[a]!))[0]!
  const against = (values: ReadonlyArray<number>, share = 1): ReadonlyArray<Round> =>
    rates["venue"]!.map((rate, index) => round(rate, values[index]! * share))
  const notes = [
    `npm: ${npmBooks.map((book) => `${book} ${Math.round(median(rates[book]!)).toLocaleString("en-US")}`).join(", ")}`,
    `the same algorithm as the C++ book on typed arrays in Node: ${Math.round(median(rates["anchor"]!)).toLocaleString("en-US")}`
  ]
  const rows: Array<Row> = [
    {
      name: `matching, ${name}`,
      unit: "operations/s",
      anchor: fastest,
      rounds: against(rates[fastest]!),
      goal: name === "F1" ? { better: "higher", solid: 15, aim: 60 } : null,
      notes
    }
  ]
  const native = rates["C++"]
  if (native === undefined) say("no C++ compiler: the rows against liquibook are skipped")
  else {
    rows.push({
      name: `matching, ${name}, C++`,
      unit: "operations/s",
      anchor: `liquibook = 1/${perAnchor} of the C++ book`,
      rounds: against(native, 1 / perAnchor),
      goal: name === "F1" ? { better: "higher", solid: 1, aim: 3 } : { better: "higher", solid: 0.5, aim: 1.5 },
      notes: [`C++ book: ${Math.round(median(native)).toLocaleString("en-US")}`]
    })
  }
  return rows
}

/** In each round every book has so many turns: what slows the machine for a second or two then slows all of them. */
const turns = 3

/** Rates of each book, round by round, in turn. */
async function measure(
  options: Options,
  flowFile: string,
  expected: Totals
): Promise<Readonly<Record<string, ReadonlyArray<number>>>> {
  const books = ["venue", ...npmBooks, "anchor"]
  const native = compile(options.folder)
  const seconds = options.seconds / turns
  const check = (book: string, { totals }: MatchingReport): void => {
    const wanted = Object.fromEntries(Object.keys(totals).map((key) => [key, expected[key as keyof Totals]]))
    deepStrictEqual(totals, wanted, `${book} does not add up to the control totals`)
  }
  const workers = new Map<string, Worker.Worker>()
  // A round of warm-up each, one after the other: beside another it would be a cold start.
  for (const book of books) {
    const worker = Worker.start("MatchingWorker.ts", [book, flowFile, String(seconds), String(options.seconds)], {
      flags: Worker.heapFlags
    })
    workers.set(book, worker)
    await worker.hear((message) => message === "ready")
  }
  const turn = async (): Promise<Readonly<Record<string, MatchingReport>>> => {
    const reports: Record<string, MatchingReport> = {}
    for (const [book, worker] of workers) reports[book] = await worker.ask<MatchingReport>("turn")
    if (native !== null) reports["C++"] = runNative(native, flowFile, seconds)
    for (const [book, report] of Object.entries(reports)) check(book, report)
    return reports
  }
  const rates: Record<string, Array<number>> = {}
  for (let index = 0; index < options.rounds; index++) {
    const taken = []
    for (let i = 0; i < turns; i++) taken.push(await turn())
    for (const book of Object.keys(taken[0]!)) (rates[book] ??= []).push(rateOf(taken.map((reports) => reports[book]!)))
  }
  for (const worker of workers.values()) await worker.stop()
  return rates
}

function rateOf(reports: ReadonlyArray<MatchingReport>): number {
  const operations = reports.reduce((sum, report) => sum + report.operations, 0)
  return operations / reports.reduce((sum, report) => sum + report.seconds, 0)
}

function compile(folder: string): string | null {
  const source = fileURLToPath(new URL("BookAnchor.cpp", import.meta.url))
  const binary = join(folder, "book")
  const compiled = spawnSync("g++", ["-O3", "-march=native", "-std=c++17", source, "-o", binary], { encoding: "utf8" })
  return compiled.status === 0 ? binary : null
}

function runNative(binary: string, flowFile: string, seconds: number): MatchingReport {
  const { error, stdout } = spawnSync(binary, [flowFile, String(seconds)], { encoding: "utf8" })
  if (error !== undefined) throw error
  return JSON.parse(stdout) as MatchingReport
}
