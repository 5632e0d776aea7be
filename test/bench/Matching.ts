/** The matching engine with all rules, compared with order books from npm and with a C++ book. */
import { spawnSync } from "node:child_process"
import { deepStrictEqual } from "node:assert"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeFlow, type Totals, writeFlow } from "./Flow.ts"
import { type Checkout, ours } from "./Checkout.ts"
import { order, type Pair, row } from "./Comparison.ts"
import type { MatchingReport } from "./MatchingWorker.ts"
import { npmBooks } from "./NpmBook.ts"
import type { Options } from "./Options.ts"
import { median, type Round, type Row, round, say } from "./Report.ts"
import * as Worker from "./Worker.ts"

/**
 * Ratio of the C++ anchor (the book that rows are compared with) to the liquibook library on F1. Published values lie
 * between 36 and 46.
 */
const liquibooksPerAnchor = 40
/** The same ratio on F1s, whose price levels are short. */
const liquibooksPerAnchorShort = 18

/** Number of passive orders placed before the clock starts. */
const prefills = { F1: 10_000, F1s: 1_000 } as const
type FlowName = keyof typeof prefills

export const matching = async (options: Options): Promise<ReadonlyArray<Row>> => [
  ...(await onFlow(options, "F1", liquibooksPerAnchor)),
  ...(await onFlow(options, "F1s", liquibooksPerAnchorShort))
]

/** Compares the matching engines of two checkouts on the same flows. */
export const compared = async (options: Options, checkouts: Pair<Checkout>): Promise<ReadonlyArray<Row>> => [
  await comparedOn(options, checkouts, "F1"),
  await comparedOn(options, checkouts, "F1s")
]

async function comparedOn(options: Options, checkouts: Pair<Checkout>, name: FlowName): Promise<Row> {
  const subjects = (["ours", "theirs"] as const).map((side): Subject => ({
    name: side,
    book: "venue",
    checkout: checkouts[side]
  }))
  const rates = await measure(options, name, subjects, { native: false, anew: true })
  const rounds = rates["ours"]!.map((figure, index) => ({
    ours: { figure },
    theirs: { figure: rates["theirs"]![index]! }
  }))
  const against = checkouts.theirs.name
  return row({ name: `matching, ${name}`, unit: "operations/s", better: "higher", against }, rounds)
}

async function onFlow(options: Options, name: FlowName, perAnchor: number): Promise<Array<Row>> {
  const subjects = ["venue", ...npmBooks, "anchor"].map((book): Subject => ({ name: book, book, checkout: ours }))
  const rates = await measure(options, name, subjects, { native: true, anew: false })
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

/** Number of turns per book and round, so that a slow moment of the machine affects all books. */
const turns = 3

interface Subject {
  readonly name: string
  /** Argument for the checkout's `MatchingWorker.ts`. */
  readonly book: string
  readonly checkout: Checkout
}

interface Turns {
  /** True to include the C++ book if it can be compiled. */
  readonly native: boolean
  /**
   * True to start new processes in every round and to reverse the subjects in every other turn. V8 optimises the same
   * code better in some processes than in others, and a process keeps the result until it exits.
   */
  readonly anew: boolean
}

async function measure(
  options: Options,
  flowName: FlowName,
  subjects: ReadonlyArray<Subject>,
  turned: Turns
): Promise<Readonly<Record<string, ReadonlyArray<number>>>> {
  const flow = makeFlow(options.operations, prefills[flowName])
  const flowFile = join(options.folder, `${flowName}.bin`)
  writeFlow(flowFile, flow)
  const native = turned.native ? compile(options.folder) : null
  const seconds = options.seconds / turns
  const inTurn = (index: number): ReadonlyArray<Subject> =>
    turned.anew && order(index)[0] === "theirs" ? subjects.toReversed() : subjects
  // Warms up one process at a time, because concurrent warm-ups slow each other down.
  const begin = async (index: number): Promise<ReadonlyMap<string, Worker.Worker>> => {
    const workers = new Map<string, Worker.Worker>()
    for (const { book, checkout, name } of inTurn(index)) {
      const worker = Worker.start("MatchingWorker.ts", [book, flowFile, String(seconds), String(options.seconds)], {
        flags: Worker.heapFlagsOf(checkout),
        checkout
      })
      workers.set(name, worker)
      await worker.hear((message) => message === "ready")
    }
    return workers
  }
  let workers = await begin(0)
  const turn = async (index: number): Promise<Readonly<Record<string, MatchingReport>>> => {
    const reports: Record<string, MatchingReport> = {}
    for (const { name } of inTurn(index)) reports[name] = await workers.get(name)!.ask<MatchingReport>("turn")
    if (native !== null) reports["C++"] = runNative(native, flowFile, seconds)
    for (const [name, report] of Object.entries(reports)) check(name, report, flow.totals)
    return reports
  }
  const end = (): Promise<unknown> => Promise.all([...workers.values()].map((worker) => worker.stop()))
  const rates: Record<string, Array<number>> = {}
  for (let index = 0; index < options.rounds; index++) {
    if (turned.anew && index > 0) {
      await end()
      workers = await begin(index)
    }
    const taken = []
    for (let i = 0; i < turns; i++) taken.push(await turn(index * turns + i))
    for (const name of Object.keys(taken[0]!)) (rates[name] ??= []).push(rateOf(taken.map((reports) => reports[name]!)))
  }
  await end()
  return rates
}

function check(name: string, { totals }: MatchingReport, expected: Totals): void {
  const wanted = Object.fromEntries(Object.keys(totals).map((key) => [key, expected[key as keyof Totals]]))
  deepStrictEqual(totals, wanted, `${name} does not add up to the control totals`)
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
