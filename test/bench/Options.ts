/** Options of a bench run, shared by all parts. */
import { parseArgs } from "node:util"

export interface Options {
  readonly parts: ReadonlyArray<string>
  readonly rounds: number
  /** A book runs whole flows until their times add up to this duration. */
  readonly seconds: number
  readonly operations: number
  readonly overloadSeconds: number
  readonly kills: number
  /** Number of trades in the long history. */
  readonly trades: number
  /** Number of events in the long journal. */
  readonly events: number
  /** Working folder, deleted when the bench exits. */
  readonly folder: string
  readonly json: string | null
  /** Shapes to run, each as connections × in-flight commands. Empty for all shapes. */
  readonly shapes: ReadonlyArray<string>
  /**
   * Folder of another checkout, measured in alternation with this one, or null to compare with the reference figures.
   */
  readonly against: string | null
}

/** Parses the command line. Returns an error message for the first invalid option. */
export const read = (
  args: ReadonlyArray<string>,
  parts: ReadonlyArray<string>
): Omit<Options, "folder"> | { readonly problem: string } => {
  try {
    return readAll(args, parts)
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

function readAll(args: ReadonlyArray<string>, parts: ReadonlyArray<string>): Omit<Options, "folder"> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      seconds: { type: "string" },
      operations: { type: "string" },
      overload: { type: "string" },
      kills: { type: "string" },
      trades: { type: "string" },
      events: { type: "string" },
      shapes: { type: "string" },
      json: { type: "string" },
      against: { type: "string" }
    }
  })
  const unknown = positionals.filter((part) => !parts.includes(part))
  if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(", ")}; there are ${parts.join(", ")}`)
  const number = (
    name: "rounds" | "seconds" | "operations" | "overload" | "kills" | "trades" | "events",
    usual: number,
    quick: number
  ) => {
    const given = values[name]
    if (given === undefined) return values.quick ? quick : usual
    if (Number(given) > 0) return Number(given)
    throw new Error(`--${name} ${given} is no number above 0`)
  }
  return {
    parts: positionals.length > 0 ? positionals : parts,
    rounds: number("rounds", 5, 5),
    seconds: number("seconds", 3, 1),
    operations: number("operations", 1_000_000, 100_000),
    overloadSeconds: number("overload", 60, 10),
    kills: number("kills", 20, 3),
    trades: number("trades", 10_000_000, 100_000),
    events: number("events", 10_000_000, 100_000),
    shapes: values.shapes?.split(",") ?? [],
    json: values.json ?? null,
    against: values.against ?? null
  }
}
