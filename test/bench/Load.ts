/** One run of the load client in a process of its own. */
import type { LoadMessage, LoadOptions, LoadReport } from "./LoadClient.ts"
import * as Worker from "./Worker.ts"

/** One lot of the flow is worth 13 USD, so that the minimum notional does not bite. */
export const lotsPerFlowLot = 20

/** `started` is called when the book is filled and the clock runs. */
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

/** Begins the client order ids of a run, so that its orders are told from all others. */
export const nextTag = (): string => `r${++runs}-`
