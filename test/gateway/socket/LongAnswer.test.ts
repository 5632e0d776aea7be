/** Tests of long responses on a real socket: the limit on unread bytes, and the bytes that count towards it. */
import * as Socket from "@venue/gateway/socket/Socket"
import * as SocketBudget from "@venue/gateway/socket/SocketBudget"
import { maxWaitingBytes, type Transport } from "@venue/gateway/socket/Transport"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as RawClient from "./RawClient.ts"

const mib = 1024 * 1024

/** Client that does not read until the test resumes it, with its transport and the number of unread bytes. */
const unreading = Effect.gen(function* () {
  let transport: Transport | undefined
  const unread: Array<number> = []
  const memory = SocketBudget.make({ limits: false, nowMillis: () => 0 }).trade
  const budget: SocketBudget.SocketBudget = {
    refusal: () => undefined,
    open: (address) => {
      const allowance = memory.open(address)
      return { ...allowance, unread: (bytes) => (unread.push(bytes), allowance.unread(bytes)) }
    }
  }
  const { port } = yield* Socket.listen({
    what: "a test",
    host: "127.0.0.1",
    port: 0,
    budget,
    restUrl: "https://rest.venue.test",
    addressOf: () => "",
    accept: (made) => {
      transport = made
      return { text: () => {}, closed: () => {} }
    },
    answer: (_, response) => response.end()
  })
  const client = yield* RawClient.open(port)
  client.socket.pause()
  return { client, transport: transport!, unread }
})

const turn = Effect.callback<void>((resume) => void setImmediate(resume, Effect.void))

/** Sends until this many bytes wait in the socket beyond the kernel buffer. */
const fill = Effect.fnUntraced(function* (transport: Transport, bytes: number) {
  while (transport.waitingBytes() < bytes) {
    transport.send("x".repeat(mib / 2))
    yield* turn
  }
})

for (const inFlight of [0, 4 * mib]) {
  const isAnswered = inFlight > 0
  it.live(
    isAnswered
      ? "answers the ping of a client with less than 1 MiB unread beside the long answer in flight"
      : "cuts off a client that pings while more than 1 MiB waits unread and no long answer is in flight",
    () =>
      Effect.gen(function* () {
        const { client, transport } = yield* unreading
        transport.countAnswers(inFlight, 0)
        yield* fill(transport, 2 * maxWaitingBytes)
        assert.strictEqual(transport.isOverfull(), !isAnswered)
        client.write(RawClient.frame("ping", "beat"))
        yield* Effect.sleep("50 millis")
        client.socket.resume()
        while (!client.socket.destroyed && client.pongs() === 0) yield* turn
        assert.deepEqual([client.socket.destroyed, client.pongs()], isAnswered ? [false, 1] : [true, 0])
      })
  )
}

it.live(
  "counts long responses as unread before they reach the socket, and closes the socket above 256 MiB in total",
  () =>
    Effect.gen(function* () {
      const { client, transport, unread } = yield* unreading
      transport.countAnswers(mib, 2 * mib)
      transport.countAnswers(mib, 0)
      assert.deepEqual(unread, [2 * mib, 0])
      yield* fill(transport, mib)
      const written = transport.waitingBytes()
      transport.countAnswers(mib, 3 * mib)
      assert.deepEqual(unread.slice(-2), [written, written + 3 * mib])
      transport.countAnswers(mib, SocketBudget.limits.unread.bytes)
      client.socket.resume()
      yield* client.until(() => client.closed() !== undefined)
      assert.deepEqual(client.closed(), {
        code: 1013,
        reason: "the client did not read its frames, and the gateway's buffer for unread frames is full"
      })
    })
)
