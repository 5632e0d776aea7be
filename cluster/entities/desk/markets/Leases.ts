/**
 * Which connections the gateways name at this desk, when each was named last, and when it was last heard of. What is not
 * named for a lease may have ended; what was said how long ago is told as an age, so that no two clocks are compared.
 */
import type { UserId } from "@venue/domain/UserId"
import { type Gateways, silentMillis, type Speaker } from "../connections/Gateways.ts"

/** So long before it was said the gateway had last heard of the connection. */
export interface Heard {
  readonly connectionId: string
  readonly userId: UserId
  readonly ageMillis: number
}

export interface Leases {
  /** The gateway lives, and these of its connections too. */
  readonly renew: (speaker: Speaker, heard: ReadonlyArray<Heard>) => void
  /** A connection that is about to be armed lives, though its gateway may have named none before. */
  readonly arming: (connectionId: string, userId: UserId) => void
  /** Whether this connection would be one too many of its user, over all gateways that are known to live. */
  readonly isFull: (userId: UserId, connectionId: string) => boolean
  /** Nobody has named it for a lease. What nobody has named at all is missed from now on. */
  readonly isOver: (connectionId: string, userId: UserId) => boolean
  /** By this desk's clock. What it was never told of it has last heard of when it began. */
  readonly heardAtMillis: (connectionId: string) => number
  /** The connection is gone, or its end is seen to. */
  readonly forget: (connectionId: string) => void
  readonly forgetGateway: (gatewayId: string) => void
  /** What has not been heard proves nothing: every gateway and connection gets a new lease. */
  readonly restart: () => void
}

interface Connection {
  readonly userId: UserId
  /** Empty when none has named it. */
  gatewayId: string
  namedAtMillis: number
  heardAtMillis: number
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
  const name = (connectionId: string, userId: UserId, gatewayId: string, heardAtMillis: number) => {
    const known = connections.get(connectionId)
    if (known !== undefined) {
      if (gatewayId !== "") known.gatewayId = gatewayId
      known.namedAtMillis = now()
      known.heardAtMillis = Math.max(known.heardAtMillis, heardAtMillis)
      return
    }
    connections.set(connectionId, { userId, gatewayId, namedAtMillis: now(), heardAtMillis })
    const others = ofUser.get(userId)
    if (others === undefined) ofUser.set(userId, new Set([connectionId]))
    else others.add(connectionId)
  }
  const counts = ({ gatewayId, namedAtMillis }: Connection) =>
    gateways.isLiving(gatewayId) && now() - namedAtMillis <= unnamedMillis
  /** Nobody takes back the connections of a gateway that died. */
  const prune = () => {
    if (now() - prunedAtMillis < unnamedMillis) return
    prunedAtMillis = now()
    for (const [connectionId, known] of connections) {
      if (!counts(known) && now() - known.namedAtMillis > silentMillis) forget(connectionId)
    }
    gateways.prune()
  }

  return {
    renew: (speaker, heard) => {
      const atMillis = gateways.saidAt(speaker)
      prune()
      for (const { ageMillis, connectionId, userId } of heard) {
        name(connectionId, userId, speaker.gatewayId, atMillis - ageMillis)
      }
    },
    arming: (connectionId, userId) => name(connectionId, userId, "", now()),
    isFull: (userId, connectionId) => {
      const others = [...(ofUser.get(userId) ?? [])].filter((other) => other !== connectionId)
      return others.filter((other) => counts(connections.get(other)!)).length >= maxConnectionsPerUser
    },
    isOver: (connectionId, userId) => {
      const known = connections.get(connectionId)
      if (known === undefined) name(connectionId, userId, "", beganAtMillis)
      return known !== undefined && now() - known.namedAtMillis > leaseMillis
    },
    heardAtMillis: (connectionId) => connections.get(connectionId)?.heardAtMillis ?? beganAtMillis,
    forget,
    forgetGateway: (gatewayId) => {
      gateways.forget(gatewayId)
      for (const [connectionId, known] of connections) if (known.gatewayId === gatewayId) forget(connectionId)
    },
    restart: () => {
      for (const connection of connections.values()) connection.namedAtMillis = now()
      gateways.clear()
    }
  }
}

const maxConnectionsPerUser = 20
/** A gateway names all its connections once a minute: one that it leaves out twice is gone. */
const unnamedMillis = 150_000
