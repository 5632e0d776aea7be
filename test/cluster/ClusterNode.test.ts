/** Tests of connections between nodes, in plain text and with mutual TLS. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as ClusterNode from "@venue/cluster/ClusterNode"
import type { ClusterTls } from "@venue/cluster/ClusterTls"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted, Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { readFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import * as Tls from "node:tls"
import { freshDatabase } from "../Postgres.ts"
import { freePort } from "./VenueNodes.ts"

const file = (name: string) => readFileSync(join(import.meta.dirname, "certificates", name), "utf8")
const tlsOf = (name: string, authority = "authority"): ClusterTls => ({
  cert: file(`${name}.pem`),
  key: Redacted.make(file(`${name}.key`)),
  ca: file(`${authority}.pem`)
})

const Echo = Entity.make("Echo", [Rpc.make("Say", { payload: { words: Schema.String } })])

type Options = Partial<Pick<ClusterNode.RunnerOptions, "dialFrom" | "tls" | "address">>
const common = { lockSeconds: 3, dialFrom: undefined, tls: undefined }

/** Starts a runner, and returns the messages that it received and its log lines. */
const listening = Effect.fnUntraced(function* (url: Redacted.Redacted, options: Options = {}) {
  const heard: Array<string> = []
  const logged: Array<string> = []
  const listen = { host: "127.0.0.1", port: yield* Effect.promise(freePort) }
  const echo = Echo.toLayer({ Say: ({ payload: { words } }) => Effect.sync(() => void heard.push(words)) })
  yield* Layer.build(
    echo.pipe(
      Layer.provide(ClusterNode.runner({ ...common, listen, address: listen, ...options })),
      Layer.provide(testLayer(url)),
      Layer.provide(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))]))
    )
  )
  return { listen, heard, logged }
})

/** Few shards, so that they are assigned quickly. */
const testLayer = (url: Redacted.Redacted) =>
  Layer.merge(
    Layer.fresh(PgClient.layer({ url, maxConnections: 4 })),
    Layer.succeed(VenueSettings)({ ...defaults, desks: 2 })
  )

/** Sends a message to the runner from a node without entities, and collects log lines. */
const say = (url: Redacted.Redacted, words: string, options: Options = {}, logged: Array<string> = []) =>
  Effect.flatMap(Echo.client, (client) => client("one").Say({ words })).pipe(
    Effect.provide(
      ClusterNode.gateway({ ...common, ...options }).pipe(
        Layer.provide(testLayer(url)),
        Layer.provide(Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))]))
      )
    )
  )

/** Waits until a log line matches. */
const until = (logged: ReadonlyArray<string>, said: RegExp) =>
  Effect.repeat(Effect.sleep("20 millis"), { until: () => logged.some((line) => said.test(line)) }).pipe(
    Effect.timeoutOrElse({
      duration: "10 minutes",
      orElse: () => Effect.sync(() => assert.fail(`${said} is not in: ${logged.join("; ")}`))
    })
  )

it.live(
  "accepts only connections with a certificate from the venue's authority, and logs each refused connection",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { heard, listen, logged } = yield* listening(url, { tls: tlsOf("runner") })
      yield* say(url, "a node of the venue", { tls: tlsOf("gateway") })
      assert.deepEqual(heard, ["a node of the venue"])

      const refusals: ReadonlyArray<readonly [said: RegExp, options: Options]> = [
        [/refused a connection from 127\.0\.0\.1 .*UNABLE_TO_VERIFY_LEAF_SIGNATURE/, { tls: tlsOf("stranger") }],
        [/refused a connection from 127\.0\.0\.1 .*wrong version number/i, {}]
      ]
      for (const [said, options] of refusals) {
        const saying = Effect.ignoreCause(say(url, "a stranger", options))
        yield* Effect.raceFirst(Effect.andThen(saying, Effect.never), until(logged, said))
      }
      const bare = Tls.connect({ ...listen, ca: file("authority.pem"), checkServerIdentity: () => undefined })
      bare.on("error", () => {})
      yield* until(logged, /refused a connection .*did not return a certificate/)

      // The refused node also refuses the runner's connections.
      const own: Array<string> = []
      const saying = Effect.ignoreCause(say(url, "a stranger", { tls: tlsOf("stranger", "other-authority") }, own))
      yield* Effect.raceFirst(
        Effect.andThen(saying, Effect.never),
        until(own, /TLS handshake with node 127\.0\.0\.1:\d+ failed \(self-signed certificate/)
      )
      yield* say(url, "a node of the venue again", { tls: tlsOf("gateway") })
      assert.deepEqual(heard, ["a node of the venue", "a node of the venue again"])
      const refused = logged.filter((line) => line.includes("refused a connection"))
      assert.strictEqual(new Set(refused).size, refused.length, "logs a repeated refusal once")
    }).pipe(Effect.scoped),
  900_000
)

it.live(
  "refuses a connection that resumes the TLS session of a refused handshake",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { listen, logged } = yield* listening(url, { tls: tlsOf("runner") })
      const { ca, cert, key } = tlsOf("stranger")
      const come = (session?: Buffer) =>
        Effect.callback<Buffer | undefined>((resume) => {
          const shown = { ca, cert, key: Redacted.value(key), checkServerIdentity: () => undefined }
          const socket = Tls.connect({ ...listen, ...shown, ...(session === undefined ? {} : { session }) })
          let given: Buffer | undefined
          socket.on("session", (one) => (given = one))
          socket.on("error", () => {})
          socket.on("data", () => assert.fail("a stranger was answered"))
          socket.on("close", () => resume(Effect.succeed(given)))
          socket.on("secureConnect", () => socket.write("anything"))
        })
      const session = yield* come()
      yield* come(session)
      yield* until(logged, /refused a connection/)
    }).pipe(Effect.scoped),
  900_000
)

for (const tls of [undefined, tlsOf("runner")]) {
  it.live(
    `a node connects from its configured source address, ${tls === undefined ? "in plain text" : "with TLS"}`,
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase
        const from = new Set<string | undefined>()
        const front = yield* Effect.promise(freePort)
        yield* Effect.acquireRelease(
          Effect.callback<ReturnType<typeof createServer>>((resume) => {
            const server = createServer((socket) => {
              from.add(socket.remoteAddress)
              const onward = connect(runner.listen.port, "127.0.0.1")
              for (const one of [socket, onward]) one.on("error", () => {})
              socket.pipe(onward).pipe(socket)
            }).listen(front, "127.0.0.1", () => resume(Effect.succeed(server)))
          }),
          (server) => Effect.sync(() => server.close())
        )
        const runner = yield* listening(url, {
          tls,
          address: { host: "127.0.0.1", port: front },
          dialFrom: "127.0.0.8"
        })
        yield* say(url, "from there", { tls, dialFrom: "127.0.0.9" })
        assert.deepEqual(runner.heard, ["from there"])
        // The runner also pings itself, from the other address.
        from.delete("127.0.0.8")
        assert.deepEqual([...from], ["127.0.0.9"])
      }).pipe(Effect.scoped),
    900_000
  )
}
