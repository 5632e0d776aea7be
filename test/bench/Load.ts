/** Runs the load client once, in a child process. */
import type { LoadMessage, LoadOptions, LoadReport } from "./LoadClient.ts"
import * as Worker from "./Worker.ts"

/**
 * Multiplier from the benchmark flow's lots to sent lots. An order of one flow lot is worth 13 USD, above the minimum
 * notional.
 */
export const lotsPerFlowLot = 20

/** Runs the load. Calls `started` when the book is filled and the clock starts. */
export const run = async (options: LoadOptions, started: () => void = () => {}): Promise<LoadReport> => {
  const client = Worker.start("LoadClient.ts", [JSON.stringify(options)], { flags: ["--max-semi-space-size=32"] })
  for (;;) {
    const message = await client.hear<LoadMessage>()
    if (message.event === "Started") started()
    else if (message.event === "Failed") throw new Error(message.reason)
    else return message
  }
}

let runs = 0

/** Returns a new prefix for one run's client order ids. */
export const nextTag = (): string => `r${++runs}-`
