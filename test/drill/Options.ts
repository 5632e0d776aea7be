/** Options of a drill. */
import { parseArgs } from "node:util"
import { orMessage } from "../nodes/OrMessage.ts"

export const parts = ["backup", "witness", "failover", "keys"] as const
export type Part = (typeof parts)[number]

export interface Options {
  /** Parts to run, in the order of `parts`. */
  readonly only: ReadonlyArray<Part>
  /** Seconds of trade before and after each disaster. */
  readonly seconds: number
  /** Number of failovers. */
  readonly rounds: number
  /** Whether the folder with logs and databases remains after a drill without a failed check. */
  readonly keep: boolean
  /** File to which the report is written. */
  readonly report: string | undefined
}

/** Parses the command line. Returns an error message for the first invalid option. */
export const read = (args: ReadonlyArray<string>): Options | string => orMessage(() => readAll(args))

function readAll(args: ReadonlyArray<string>): Options {
  const text = { type: "string" } as const
  const { values } = parseArgs({
    args: [...args],
    options: { only: text, seconds: text, rounds: text, report: text, keep: { type: "boolean" } }
  })
  const whole = (name: "seconds" | "rounds", usual: number, least: number, most: number): number => {
    const given = Number(values[name] ?? usual)
    if (Number.isInteger(given) && given >= least && given <= most) return given
    throw new Error(`--${name} ${values[name]}: expected a whole number from ${least} to ${most}`)
  }
  const named = values.only?.split(",") ?? parts
  const unknown = named.find((name) => !parts.some((part) => part === name))
  if (unknown !== undefined) throw new Error(`--only ${unknown}: expected ${parts.join(", ")}, separated by commas`)
  return {
    only: parts.filter((part) => named.includes(part)),
    seconds: whole("seconds", 20, 1, 3_600),
    rounds: whole("rounds", 5, 1, 100),
    keep: values.keep ?? false,
    report: values.report
  }
}
