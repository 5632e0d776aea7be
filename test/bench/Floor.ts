/** Lower bound for a durable acknowledgement: one WebSocket echo and one commit of a small row. */
import { WebSocket } from "ws"
import type { PostgresClient } from "./Database.ts"
import * as Worker from "./Worker.ts"

export interface Floor {
  readonly echoMillis: number
  readonly commitMillis: number
}

/** Measures each operation for half the time and returns the medians. */
export const measure = async (database: PostgresClient, seconds: number): Promise<Floor> => {
  const server = Worker.start("Echo.ts", [])
  const port = await server.hear<number>()
  const echoMillis = await echo(port, seconds / 2)
  await server.stop()
  await database.query("create table if not exists floor (id serial primary key, body bytea)")
  const body = Buffer.alloc(200, 7)
  const commit = { name: "floor", text: "insert into floor (body) values ($1)", values: [body] }
  const commitMillis = await medianOf(seconds / 2, () => database.query(commit))
  return { echoMillis, commitMillis }
}

async function echo(port: number, seconds: number): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false })
  await new Promise((resolve) => socket.once("open", resolve))
  const frame = "x".repeat(300)
  const millis = await medianOf(seconds, () => {
    const heard = new Promise((resolve) => socket.once("message", resolve))
    socket.send(frame)
    return heard
  })
  socket.terminate()
  return millis
}

async function medianOf(seconds: number, once: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < 100; i++) await once()
  const took: Array<number> = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const startedAt = performance.now()
    await once()
    took.push(performance.now() - startedAt)
  }
  return took.sort((a, b) => a - b)[took.length >> 1]!
}
