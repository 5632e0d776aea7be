/** Options of a chaos run. */
import { parseArgs } from "node:util"
import { orMessage } from "../nodes/OrMessage.ts"

export interface Options {
  readonly minutes: number
  readonly seed: number
  /** Minimum number of kills, however long the run lasts. */
  readonly kills: number
  readonly freezes: number
  /** A history file to check instead of starting a new run. */
  readonly check: string | undefined
  /** Folder of an earlier run to continue. A new run's folder is deleted if the run found no violation. */
  readonly folder: string | undefined
  readonly runners: number
  readonly gateways: number
  readonly traders: number
  /** Multiplier for the duration of faults. */
  readonly scale: number
  /** Multiplier for time limits, for a busy machine. */
  readonly patience: number
  /** Kinds of faults to draw. Empty for all kinds. */
  readonly only: ReadonlyArray<string>
}

/** Parses the command line. Returns an error message for the first invalid option. */
export const read = (args: ReadonlyArray<string>): Options | string => orMessage(() => readAll(args))

function readAll(args: ReadonlyArray<string>): Options {
  const text = { type: "string" } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: text,
      seed: text,
      kills: text,
      freezes: text,
      check: text,
      folder: text,
      runners: text,
      gateways: text,
      traders: text,
      scale: text,
      patience: text,
      only: text
    }
  })
  const number = (name: Exclude<keyof typeof values, "check" | "folder" | "only">, usual: number, least: number) => {
    const given = Number(values[name] ?? usual)
    if (given >= least) return given
    throw new Error(`--${name} ${values[name]}: expected a number from ${least} on`)
  }
  return {
    minutes: number("minutes", 10, 0.1),
    seed: number("seed", 7, 0),
    kills: number("kills", 0, 0),
    freezes: number("freezes", 0, 0),
    check: values.check,
    folder: values.folder,
    runners: number("runners", 3, 1),
    gateways: number("gateways", 2, 1),
    traders: number("traders", 24, 2),
    scale: number("scale", 1, 0.01),
    patience: number("patience", 1, 1),
    only: values.only?.split(",") ?? []
  }
}
