/** Which gateways live, and which connections each of them names. What none has named for a lease has ended. */

export interface Leases {
  /** A gateway lives, and these are all the connections it has here that may be armed. */
  readonly renew: (gatewayId: string, connectionIds: Iterable<string>) => void
  /** A gateway lives, and this is one of its connections. */
  readonly attach: (gatewayId: string, connectionId: string) => void
  readonly detach: (connectionId: string) => void
  /** A connection that is about to be armed lives, though its gateway may have named none before. */
  readonly arming: (connectionId: string) => void
  /** When its gateway was last heard of, or when it was first missed if no gateway names it. */
  readonly lastSeenMillis: (connectionId: string) => number
  readonly forget: (connectionId: string) => void
  /** What has not been heard proves nothing: every gateway and connection gets a new lease. */
  readonly restart: () => void
  /** Gateways that were silent for a lease are forgotten. */
  readonly expire: () => void
  readonly clear: () => void
}

interface Gateway {
  renewedAtMillis: number
  connectionIds: Set<string>
}

export const make = (leaseMillis: number, now: () => number): Leases => {
  const gateways = new Map<string, Gateway>()
  /** When a connection that no gateway names was first missed. */
  const missedAtMillis = new Map<string, number>()

  const detach = (connectionId: string) => {
    for (const { connectionIds } of gateways.values()) connectionIds.delete(connectionId)
  }
  return {
    renew: (gatewayId, connectionIds) => {
      gateways.set(gatewayId, { renewedAtMillis: now(), connectionIds: new Set(connectionIds) })
    },
    attach: (gatewayId, connectionId) => {
      const gateway = gateways.get(gatewayId) ?? { renewedAtMillis: 0, connectionIds: new Set() }
      gateways.set(gatewayId, gateway)
      gateway.renewedAtMillis = now()
      gateway.connectionIds.add(connectionId)
    },
    detach,
    arming: (connectionId) => {
      detach(connectionId)
      missedAtMillis.set(connectionId, now())
    },
    lastSeenMillis: (connectionId) => {
      for (const gateway of gateways.values()) {
        if (gateway.connectionIds.has(connectionId)) {
          missedAtMillis.delete(connectionId)
          return gateway.renewedAtMillis
        }
      }
      const missed = missedAtMillis.get(connectionId)
      if (missed === undefined) missedAtMillis.set(connectionId, now())
      return missed ?? now()
    },
    forget: (connectionId) => void missedAtMillis.delete(connectionId),
    restart: () => {
      for (const gateway of gateways.values()) gateway.renewedAtMillis = now()
      missedAtMillis.clear()
    },
    expire: () => {
      for (const [gatewayId, { renewedAtMillis }] of gateways) {
        if (now() - renewedAtMillis > leaseMillis) gateways.delete(gatewayId)
      }
    },
    clear: () => {
      gateways.clear()
      missedAtMillis.clear()
    }
  }
}
