/** Users who trade during a drill, and the times of the acknowledgements that they receive. */
import * as Load from "../nodes/Load.ts"
import type * as TraderRecord from "../nodes/TraderRecord.ts"
import { until } from "../nodes/Until.ts"
import type { Acknowledgement } from "./Silence.ts"

export interface Traffic {
  readonly acknowledgements: ReadonlyArray<Acknowledgement>
  /**
   * Resolves when these seconds have passed since the time, and each market has acknowledged at least 20 commands since
   * then. Resolves earlier if `isHalted` holds, because a halted venue acknowledges no order.
   */
  readonly lasts: (seconds: number, since: number, isHalted?: () => boolean) => Promise<void>
  readonly errors: () => ReadonlyArray<string>
  /** Stops sending, waits until every command has an answer, and closes the connections. */
  readonly stop: () => Promise<void>
}

/** Each `tag` is used once for the records. */
export const begin = async (
  url: string,
  records: ReadonlyArray<TraderRecord.TraderRecord>,
  tag: string
): Promise<Traffic> => {
  const acknowledgements: Array<Acknowledgement> = []
  const load = await Load.begin(url, records, tag, 2, everyMillis)
  for (const socket of load.sockets) {
    void socket
      .next(({ order_response: order }) => {
        if (order !== undefined && executed.has(order.status) && order.order_id !== "")
          acknowledgements.push({ at: performance.now(), symbol: order.symbol, orderId: order.order_id })
        return undefined
      })
      .catch(() => {})
  }
  const isBusy = (since: number): boolean => {
    const recent = acknowledgements.filter(({ at }) => at > since)
    const bySymbol = Map.groupBy(recent, ({ symbol }) => symbol)
    return Load.prices.every(([symbol]) => (bySymbol.get(symbol)?.length ?? 0) >= leastOfMarket)
  }
  return {
    acknowledgements,
    lasts: (seconds, since, isHalted = () => false) =>
      until(
        `each market has acknowledged ${leastOfMarket} commands`,
        () => isHalted() || (performance.now() >= since + seconds * 1_000 && isBusy(since)),
        () => load.errors().at(-1) ?? ""
      ),
    errors: load.errors,
    stop: async () => {
      load.stop()
      await until("every command is answered", load.isIdle)
      await Promise.all(load.sockets.map((socket) => socket.close()))
    }
  }
}

/** Statuses of a command that the venue has executed. */
const executed = new Set(["ACK", "FILLED", "MODIFIED", "CANCELLED"])
/** Pause of each connection between two commands. */
const everyMillis = 20
/** More than the commands in flight at any time, so that some of them were sent after the disaster. */
const leastOfMarket = 20
