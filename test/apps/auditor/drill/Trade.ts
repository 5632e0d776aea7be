/**
 * Moderate trading at a fixed rate, whatever the venue responds: every 50 ms one trader rests an order and another
 * trader takes it.
 */
import { Kind } from "../../../bench/Flow.ts"
import * as Load from "../../../bench/Load.ts"
import { commandWriter, type Key, mapped } from "../../../bench/LoadFrames.ts"
import { connect } from "../../../bench/TraderPair.ts"

export interface Trade {
  readonly stop: () => void
}

const everyMillis = 50
const priceTicks = 65_536

export const begin = async (url: string, keys: ReadonlyArray<Key>): Promise<Trade> => {
  const write = commandWriter(mapped(Load.lotsPerFlowLot), Load.nextTag())
  const sockets = await Promise.all(keys.map((key) => connect(url, key, ["order_responses"])))
  // Responses are read and ignored.
  for (const socket of sockets) socket.on("message", () => {})
  let next = 1
  const timer = setInterval(() => {
    const id = next++
    const side = id % 2
    sockets[id % sockets.length]!.send(write(Kind.add, side, priceTicks, 1, 2 * id))
    sockets[(id + 1) % sockets.length]!.send(write(Kind.add, 1 - side, priceTicks, 1, 2 * id + 1))
  }, everyMillis)
  return {
    stop: () => {
      clearInterval(timer)
      for (const socket of sockets) socket.terminate()
    }
  }
}
