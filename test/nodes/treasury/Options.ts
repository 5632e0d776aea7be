/** Options of `npm run treasury-kills`. */
import { parseArgs } from "node:util"
import { orMessage } from "../OrMessage.ts"

export interface Options {
  readonly deposits: number
  readonly withdrawals: number
  readonly kills: number
  readonly seed: number
}

/** Returns an error message for an invalid command line. */
export const read = (args: ReadonlyArray<string>): Options | string =>
  orMessage(() => {
    const text = { type: "string" } as const
    const { values } = parseArgs({
      args: [...args],
      options: { deposits: text, withdrawals: text, kills: text, seed: text }
    })
    const whole = (name: keyof typeof values, usual: number, most: number): number => {
      const given = Number(values[name] ?? usual)
      if (Number.isInteger(given) && given >= 0 && given <= most) return given
      throw new Error(`--${name} ${values[name]}: expected a whole number from 0 to ${most}`)
    }
    return {
      // A simulated rail holds at most 20,000 transfers and payments.
      deposits: whole("deposits", 1_000, 10_000),
      withdrawals: whole("withdrawals", 1_000, 5_000),
      kills: whole("kills", 100, 10_000),
      seed: whole("seed", 7, 2 ** 31)
    }
  })
