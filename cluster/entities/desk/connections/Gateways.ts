/** Which gateways have lately spoken to this desk, and when they said what they say, by the desk's own clock. */

/** What every word of a gateway says of itself: its own clock as it spoke, of which only differences count. */
export interface Speaker {
  readonly gatewayId: string
  readonly saidAtMillis: number
}

export interface Gateways {
  /** What a word lost on its way does not count, so that one that waited in a queue is not taken for new. */
  readonly saidAt: (speaker: Speaker) => number
  readonly isLiving: (gatewayId: string) => boolean
  /** It has just named all its connections. */
  readonly namedAll: (gatewayId: string) => void
  /** Whether it has since this desk began, so that its connections count. */
  readonly hasNamedAll: (gatewayId: string) => boolean
  readonly forget: (gatewayId: string) => void
  /** Forgets those that have died. */
  readonly prune: () => void
  /** This clock may have been set. */
  readonly clear: () => void
}

interface Gateway {
  heardAtMillis: number
  /** This desk's clock less the gateway's, with the shortest way that any word of it took. */
  offsetMillis: number
  hasNamedAll: boolean
}

/** A gateway of this process lives as long as its desks. */
export const make = (now: () => number, isHere: (gatewayId: string) => boolean): Gateways => {
  const gateways = new Map<string, Gateway>()
  const isLiving = (gatewayId: string) =>
    isHere(gatewayId) || now() - (gateways.get(gatewayId)?.heardAtMillis ?? -Infinity) <= silentMillis
  return {
    saidAt: ({ gatewayId, saidAtMillis }) => {
      const known = gateways.get(gatewayId)
      const offsetMillis = now() - saidAtMillis
      if (known === undefined || offsetMillis - known.offsetMillis > plausibleMillis) {
        gateways.set(gatewayId, { heardAtMillis: now(), offsetMillis, hasNamedAll: known?.hasNamedAll ?? false })
        return now()
      }
      const driftMillis = (now() - known.heardAtMillis) / driftOfMillis
      known.offsetMillis = Math.min(offsetMillis, known.offsetMillis + driftMillis)
      known.heardAtMillis = now()
      return saidAtMillis + known.offsetMillis
    },
    isLiving,
    namedAll: (gatewayId) => {
      const known = gateways.get(gatewayId)
      if (known !== undefined) known.hasNamedAll = true
    },
    hasNamedAll: (gatewayId) => gateways.get(gatewayId)?.hasNamedAll ?? false,
    forget: (gatewayId) => void gateways.delete(gatewayId),
    prune: () => {
      for (const gatewayId of gateways.keys()) if (!isLiving(gatewayId)) gateways.delete(gatewayId)
    },
    clear: () => gateways.clear()
  }
}

/** A gateway that is there says so every two seconds; after this its connections hold no place any more. */
export const silentMillis = 10_000
/** Two clocks drift apart by less than one part in this many. */
const driftOfMillis = 1_000
/** No word is longer on its way; a clock was set. */
const plausibleMillis = 10_000
