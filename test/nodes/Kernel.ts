/** The kernel's measurements of the venue's process and connections. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { onTestFinished } from "vitest"

/** Returns the process's resident memory in bytes, or 0 if it has exited. */
export const residentBytes = (pid: number): number => {
  const status = existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/status`, "utf8") : ""
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024
}

/** Returns the number of the process's open files, sockets and pipes. */
export const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** Samples the resident memory every 100 ms; `stop` returns the maximum in bytes. */
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

/** The venue's side of one connection. */
export interface End {
  /** False after the venue has closed the connection, even while the kernel still delivers data. */
  readonly isHeld: boolean
  /** Bytes in both sides' kernel buffers that the client has not read. */
  readonly unreadBytes: number
}

/** Returns the connections to the venue's port by client port. The data is at most 50 ms old. */
export const endsAt = (venuePort: number): ReadonlyMap<number, End> => {
  const table = connections()
  const port = venuePort.toString(16).toUpperCase().padStart(4, "0")
  // Columns: number, local address and port, remote address and port, state, bytes to send and bytes to read.
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

/** Reads the kernel's connection table at most every 50 ms, because the kernel walks 250,000 entries for each read. */
const connections = (): string => {
  const now = performance.now()
  if (now > seen.atMillis + maxAgeMillis) seen = { atMillis: now, table: readFileSync("/proc/net/tcp", "utf8") }
  return seen.table
}
let seen = { atMillis: Number.NEGATIVE_INFINITY, table: "" }
const maxAgeMillis = 50
