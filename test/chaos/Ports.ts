/** Ports that nobody listens on, below those that outgoing connections are given. */
import { createServer } from "node:net"

export const free = async (count: number): Promise<ReadonlyArray<number>> => {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((tell) => {
    const server = createServer()
    server.once("error", () => tell(false))
    server.listen({ host: "127.0.0.1", port }, () => server.close(() => tell(true)))
  })
