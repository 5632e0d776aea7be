/** What the kernel says of the venue's process and of its ends of connections: nothing that the venue could colour. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { onTestFinished } from "vitest"

/** 0 once the process has ended. */
export const residentBytes = (pid: number): number => {
  const status = existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/status`, "utf8") : ""
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024
}

/** Files, sockets and pipes that the process holds. */
export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** Looks ten times a second; `stop` answers the highest that was seen. */
export const watchResident = (pid: number): { readonly stop: () => number } => {
  let highest = residentBytes(pid)
  const look = () => (highest = Math.max(highest, residentBytes(pid)))
  const timer = setInterval(look, 100)
  onTestFinished(() => clearInterval(timer))
  return {
    stop: () => {
      clearInterval(timer)
      return look()
    }
  }
}

/** The venue's end of one connection. */
export interface End {
  /** False once the venue has let go of it, whatever the kernel still tries to deliver. */
  readonly isHeld: boolean
  /** Given to the kernel, on either side of the connection, and not read by the peer. */
  readonly unreadBytes: number
}

/** By the peer's port, as it was a twentieth of a second ago at most. */
export const endsAt = (venuePort: number): ReadonlyMap<number, End> => {
  const table = connections()
  const port = venuePort.toString(16).toUpperCase().padStart(4, "0")
  // Number, local address and port, the peer's, state, bytes to send and bytes to read.
  const theirs = table.matchAll(new RegExp(`^ *\\d+: \\w+:(\\w+) \\w+:${port} \\w+ \\w+:(\\w+)`, "gm"))
  const arrived = new Map(Array.from(theirs, ([, peer = "", unread = ""]) => [peer, Number.parseInt(unread, 16)]))
  const ours = table.matchAll(new RegExp(`^ *\\d+: \\w+:${port} \\w+:(\\w+) (\\w+) (\\w+):`, "gm"))
  return new Map(
    Array.from(ours, ([, peer = "", state, unsent = ""]) => [
      Number.parseInt(peer, 16),
      { isHeld: state === established, unreadBytes: Number.parseInt(unsent, 16) + (arrived.get(peer) ?? 0) }
    ])
  )
}

const established = "01"

/** The kernel walks a quarter of a million places for each look, so all who ask share one for a while. */
const connections = (): string => {
  const now = performance.now()
  if (now > seen.atMillis + maxAgeMillis) seen = { atMillis: now, table: readFileSync("/proc/net/tcp", "utf8") }
  return seen.table
}
let seen = { atMillis: Number.NEGATIVE_INFINITY, table: "" }
const maxAgeMillis = 50
