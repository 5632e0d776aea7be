/** Gateways that send messages to this desk, with the offset of each gateway's clock from the desk's clock. */

/** Sender of a message, with the sending time by the sender's clock. Only differences between such times are used. */
export interface Sender {
  readonly gatewayId: string
  readonly saidAtMillis: number
}

export interface Gateways {
  /** Returns the sending time by the desk's clock, even for a message that was queued in transit. */
  readonly sentAt: (sender: Sender) => number
  /** Whether the gateway runs in this process or sent a message within `silentMillis`. */
  readonly isLiving: (gatewayId: string) => boolean
  readonly noteComplete: (gatewayId: string) => void
  /** Whether the gateway has listed all its connections since this desk started. */
  readonly isComplete: (gatewayId: string) => boolean
  readonly forget: (gatewayId: string) => void
  /** Removes dead gateways. */
  readonly prune: () => void
  /** Removes all gateways; called if this desk's clock might have been set. */
  readonly clear: () => void
}

interface Gateway {
  receivedAtMillis: number
  /** The desk's clock minus the gateway's clock, plus the shortest observed transit time. */
  offsetMillis: number
  isComplete: boolean
}

/** `isHere` returns whether a gateway belongs to this process and is therefore alive while its desks are. */
export const make = (now: () => number, isHere: (gatewayId: string) => boolean): Gateways => {
  const gateways = new Map<string, Gateway>()
  const isLiving = (gatewayId: string) =>
    isHere(gatewayId) || now() - (gateways.get(gatewayId)?.receivedAtMillis ?? -Infinity) <= silentMillis
  return {
    sentAt: ({ gatewayId, saidAtMillis }) => {
      const known = gateways.get(gatewayId)
      const offsetMillis = now() - saidAtMillis
      if (known === undefined || offsetMillis - known.offsetMillis > plausibleMillis) {
        gateways.set(gatewayId, { receivedAtMillis: now(), offsetMillis, isComplete: known?.isComplete ?? false })
        return now()
      }
      const driftMillis = (now() - known.receivedAtMillis) / driftOfMillis
      known.offsetMillis = Math.min(offsetMillis, known.offsetMillis + driftMillis)
      known.receivedAtMillis = now()
      return saidAtMillis + known.offsetMillis
    },
    isLiving,
    noteComplete: (gatewayId) => {
      const known = gateways.get(gatewayId)
      if (known !== undefined) known.isComplete = true
    },
    isComplete: (gatewayId) => gateways.get(gatewayId)?.isComplete ?? false,
    forget: (gatewayId) => void gateways.delete(gatewayId),
    prune: () => {
      for (const gatewayId of gateways.keys()) if (!isLiving(gatewayId)) gateways.delete(gatewayId)
    },
    clear: () => gateways.clear()
  }
}

/** Silence after which a gateway's connections no longer count. A live gateway sends a message every 2 s. */
export const silentMillis = 10_000
/** Two clocks drift apart by less than 1 ms in this many milliseconds. */
const driftOfMillis = 1_000
/** Longest plausible transit time. A larger change in the offset means that someone set a clock. */
const plausibleMillis = 10_000
