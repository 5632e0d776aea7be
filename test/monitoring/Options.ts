/** Options of `npm run dashboard-pictures`. */
import { parseArgs } from "node:util"
import * as Browser from "../../scripts/Browser.ts"
import { orMessage } from "../nodes/OrMessage.ts"

export interface Options {
  /** Duration of the run without the waits for alerts. */
  readonly minutes: number
  /** Path or name of the Prometheus server. */
  readonly prometheus: string
  readonly browser: string
}

const usualMinutes = 6

/** Returns an error message for an invalid command line or a missing browser. */
export const read = (
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string | undefined>>,
  browser: string | undefined = Browser.here()
): Options | string =>
  orMessage(() => {
    const { values } = parseArgs({ args: [...args], options: { minutes: { type: "string" } } })
    const minutes = Number(values.minutes ?? usualMinutes)
    if (!(minutes > 0 && minutes <= 60)) return `--minutes ${values.minutes}: expected a number above 0, at most 60`
    if (browser === undefined) return "no Chrome, Chromium or Edge was found; install one, or set CHROME_PATH"
    return { minutes, prometheus: variables["VENUE_PROMETHEUS"] || "prometheus", browser }
  })
