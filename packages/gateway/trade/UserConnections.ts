/** Counts the open connections of each user, of which there may be so many at one gateway. */
import type { UserId } from "@venue/domain/UserId"
export interface UserConnections {
  readonly isFull: (userId: UserId) => boolean
  readonly opened: (userId: UserId) => void
  readonly ended: (userId: UserId) => void
}

const maxConnectionsPerUser = 20

export const make = (isLimited: boolean): UserConnections => {
  const openOf = new Map<UserId, number>()
  const count = (userId: UserId, by: 1 | -1) => {
    const now = (openOf.get(userId) ?? 0) + by
    if (now === 0) openOf.delete(userId)
    else openOf.set(userId, now)
  }
  return {
    isFull: (userId) => isLimited && (openOf.get(userId) ?? 0) >= maxConnectionsPerUser,
    opened: (userId) => count(userId, 1),
    ended: (userId) => count(userId, -1)
  }
}
