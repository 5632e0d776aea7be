/**
 * Reserves ports for the processes of a test or tool, below the range of outgoing connections. A reservation lasts
 * until this process exits. A file per port keeps other test runs from using the port before its listener has
 * started.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Returns `count` ports that were never returned before. */
export const free = async (count: number): Promise<ReadonlyArray<number>> => {
  const ports: Array<number> = []
  while (ports.length < count) {
    const [port] = await block([0])
    ports.push(port!)
  }
  return ports
}

export const one = async (): Promise<number> => (await free(1))[0]!

/** Returns ports at these offsets from a random first port. */
export const block = async (offsets: ReadonlyArray<number>): Promise<ReadonlyArray<number>> => {
  const room = lastPort - firstPort - Math.max(...offsets)
  for (;;) {
    const first = firstPort + Math.floor(Math.random() * room)
    const ports = offsets.map((offset) => first + offset)
    const taken: Array<number> = []
    for (const port of ports) if (reserve(port)) taken.push(port)
    if (taken.length === ports.length && (await Promise.all(ports.map(isFree))).every(Boolean)) return ports
    for (const port of taken) release(port)
  }
}

/** Returns free ports of a gateway, and the settings that assign them. */
export const ofGateway = async () => {
  const [rest, funding, auth, trade, marketData, admin] = await free(6)
  const variables = {
    VENUE_REST_PORT: String(rest),
    VENUE_FUNDING_PORT: String(funding),
    VENUE_AUTH_PORT: String(auth),
    VENUE_TRADE_PORT: String(trade),
    VENUE_MARKET_DATA_PORT: String(marketData),
    VENUE_ADMIN_PORT: String(admin)
  }
  return { rest: rest!, trade: trade!, marketData: marketData!, admin: admin!, variables }
}

const [firstPort, lastPort] = [20_000, 32_000]
const folder = join(tmpdir(), `venue-ports-${process.getuid?.() ?? "all"}`)
const reserved = new Set<number>()
const fileOf = (port: number): string => join(folder, String(port))

const reserve = (port: number): boolean => {
  mkdirSync(folder, { recursive: true })
  if (reserved.size === 0) process.once("exit", () => [...reserved].forEach(release))
  if (reserved.has(port) || !take(port)) return false
  reserved.add(port)
  return true
}

/** Writes the port's reservation file. Replaces the file of a process that has exited. */
const take = (port: number): boolean => {
  try {
    writeFileSync(fileOf(port), String(process.pid), { flag: "wx" })
    return true
  } catch {
    if (isHeld(port)) return false
    rmSync(fileOf(port), { force: true })
    return take(port)
  }
}

const isHeld = (port: number): boolean => {
  try {
    const pid = Number(readFileSync(fileOf(port), "utf8"))
    // The file is empty while another process is still writing it.
    return pid === 0 || process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

const release = (port: number): void => {
  reserved.delete(port)
  rmSync(fileOf(port), { force: true })
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once("error", () => resolve(false))
    server.listen({ host: "127.0.0.1", port }, () => server.close(() => resolve(true)))
  })
