/**
 * Leases of the connections at this desk, renewed by their gateways. An armed connection counts as closed when its
 * lease expires. Gateways send ages instead of times, so that clocks are never compared.
 */
import type { UserId } from "@venue/domain/UserId"
import type { SeenConnection } from "../../../protocol/Desk.ts"
import { type Gateways, type Sender, silentMillis } from "../connections/Gateways.ts"

export interface Leases {
  readonly renew: (sender: Sender, seen: ReadonlyArray<SeenConnection>) => void
  /** Starts the lease of a connection that is about to be armed, even before its gateway has listed it. */
  readonly arming: (connectionId: string, userId: UserId) => void
  /** Whether the user has reached the connection limit over all live gateways, not counting the given connection. */
  readonly isFull: (userId: UserId, connectionId: string) => boolean
  /** Whether the lease has expired. Starts a lease for a connection without one. */
  readonly isOver: (connectionId: string, userId: UserId) => boolean
  /**
   * Returns when the connection was last seen, by this desk's clock; for an unknown connection, when the desk
   * started.
   */
  readonly lastSeenMillis: (connectionId: string) => number
  readonly forget: (connectionId: string) => void
  readonly forgetGateway: (gatewayId: string) => void
  /** Restarts all leases. Call this after a period in which the desk could not receive renewals. */
  readonly restart: () => void
}

interface Connection {
  readonly userId: UserId
  /** Empty until a gateway has listed the connection. */
  gatewayId: string
  renewedAtMillis: number
  lastSeenMillis: number
}

export const make = (leaseMillis: number, now: () => number, gateways: Gateways): Leases => {
  const beganAtMillis = now()
  const connections = new Map<string, Connection>()
  const ofUser = new Map<UserId, Set<string>>()
  let prunedAtMillis = now()

  const forget = (connectionId: string) => {
    const known = connections.get(connectionId)
    if (known === undefined) return
    connections.delete(connectionId)
    const others = ofUser.get(known.userId)
    others?.delete(connectionId)
    if (others?.size === 0) ofUser.delete(known.userId)
  }
  const renew = (connectionId: string, userId: UserId, gatewayId: string, lastSeenMillis: number) => {
    const known = connections.get(connectionId)
    if (known !== undefined) {
      if (gatewayId !== "") known.gatewayId = gatewayId
      known.renewedAtMillis = now()
      known.lastSeenMillis = Math.max(known.lastSeenMillis, lastSeenMillis)
      return
    }
    connections.set(connectionId, { userId, gatewayId, renewedAtMillis: now(), lastSeenMillis })
    const others = ofUser.get(userId)
    if (others === undefined) ofUser.set(userId, new Set([connectionId]))
    else others.add(connectionId)
  }
  const counts = ({ gatewayId, renewedAtMillis }: Connection) =>
    gateways.isLiving(gatewayId) && now() - renewedAtMillis <= unlistedMillis
  /** Removes dead gateways' connections, because no message reports that they closed. */
  const prune = () => {
    if (now() - prunedAtMillis < unlistedMillis) return
    prunedAtMillis = now()
    for (const [connectionId, known] of connections) {
      if (!counts(known) && now() - known.renewedAtMillis > silentMillis) forget(connectionId)
    }
    gateways.prune()
  }

  return {
    renew: (sender, seen) => {
      const atMillis = gateways.sentAt(sender)
      prune()
      for (const { ageMillis, connectionId, userId } of seen) {
        renew(connectionId, userId, sender.gatewayId, atMillis - ageMillis)
      }
    },
    arming: (connectionId, userId) => renew(connectionId, userId, "", now()),
    isFull: (userId, connectionId) => {
      const others = [...(ofUser.get(userId) ?? [])].filter((other) => other !== connectionId)
      return others.filter((other) => counts(connections.get(other)!)).length >= maxConnectionsPerUser
    },
    isOver: (connectionId, userId) => {
      const known = connections.get(connectionId)
      if (known === undefined) renew(connectionId, userId, "", beganAtMillis)
      return known !== undefined && now() - known.renewedAtMillis > leaseMillis
    },
    lastSeenMillis: (connectionId) => connections.get(connectionId)?.lastSeenMillis ?? beganAtMillis,
    forget,
    forgetGateway: (gatewayId) => {
      gateways.forget(gatewayId)
      for (const [connectionId, known] of connections) if (known.gatewayId === gatewayId) forget(connectionId)
    },
    restart: () => {
      for (const connection of connections.values()) connection.renewedAtMillis = now()
      gateways.clear()
    }
  }
}

const maxConnectionsPerUser = 20
/**
 * Time after which an unlisted connection no longer counts. Gateways list all their connections once a minute, so
 * such a connection was missing from two lists.
 */
const unlistedMillis = 150_000
