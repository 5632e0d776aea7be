/** The comparison of a running process with its database: after a move, and when a slow wallet answers. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Journal, NotOwner } from "@venue/journal/Journal"
import { Witness } from "@venue/journal/witness/Witness"
import * as WitnessLine from "@venue/journal/witness/WitnessLine"
import * as DatabaseMoves from "@venue/postgres/DatabaseMoves"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { Recoveries } from "@venue/storage/recovery/Recoveries"
import { assert, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Option, Redacted, Schedule } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Witnessing from "../../../../apps/process/witness/Witnessing.ts"
import { postgresLayer } from "../../../Postgres.ts"

const none = Option.none()
const services = (
  moves: DatabaseMoves.Moves,
  places: Partial<Pick<Witnessing.WitnessOptions, "directory" | "wallet">>
) =>
  Layer.mergeAll(Journal.layer, Recoveries.layer, VenueModes.layer).pipe(
    Layer.provideMerge(
      Witnessing.layer({ name: "runner-1", isExpected: true, directory: none, wallet: none, ...places })
    ),
    Layer.provideMerge(Layer.succeed(DatabaseMoves.DatabaseMoves)(moves)),
    Layer.provideMerge(postgresLayer),
    Layer.provideMerge(NodeServices.layer),
    Layer.fresh
  )
const empty = { restore: () => false, replay: () => {} }
const lost = { stream: "market/one", seq: 9, epoch: 5, events: new Uint8Array(1) }
const losses = Effect.gen(function* () {
  const recoveries = yield* Recoveries
  const pending = yield* recoveries.pending
  if (Option.isNone(pending)) return []
  const { recoveryId, state } = pending.value
  const found = yield* recoveries.losses(recoveryId, { limit: 10, offset: 0 })
  return found.map(({ firstMissing, stream, witnessedSeq }) => [state, stream, firstMissing, witnessedSeq])
})

it.live("I57: after a move to a server that lacks rows, halts the venue before a stream is claimed", () =>
  Effect.gen(function* () {
    const directory = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
    const moves = DatabaseMoves.make()
    yield* Effect.gen(function* () {
      const journal = yield* Journal
      const modes = yield* VenueModes
      yield* journal.claim("market/one", empty, Effect.succeed(true))
      moves.moved()
      yield* journal.claim("market/one", empty, Effect.succeed(true))
      assert.deepStrictEqual(yield* losses, [])

      // The former server acknowledged this row.
      ;(yield* Witness)(lost)
      moves.moved()
      const refused = yield* Effect.flip(journal.claim("market/one", empty, Effect.succeed(false)))
      assert.instanceOf(refused, NotOwner)
      assert.deepStrictEqual(yield* losses, [["OPEN", "market/one", 3, 9]])
      assert.strictEqual((yield* modes.read).trading, "HALTED")
    }).pipe(Effect.provide(services(moves, { directory: Option.some(directory) })))
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

it.live("I57: compares the wallet's entries when the wallet first answers, before it appends to them", () =>
  Effect.gen(function* () {
    const requests: Array<string> = []
    let isUp = false
    const line = WitnessLine.encode({
      _tag: "Row",
      row: { stream: lost.stream, seq: lost.seq, epoch: lost.epoch, digest: "0123456789abcdef" }
    })
    const server = createServer((request, response) => {
      request.resume()
      requests.push(`${request.method} ${isUp}`)
      response.statusCode = isUp ? 200 : 503
      response.end(request.method === "GET" && isUp ? `${line}\n` : "")
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => server.closeAllConnections() ?? server.close())
    )
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    yield* Effect.gen(function* () {
      const witness = yield* Witness
      assert.deepStrictEqual(yield* losses, [])
      isUp = true
      // A later row of the same stream does not hide the loss.
      witness({ ...lost, seq: 12, epoch: 6 })
      yield* Effect.repeat(
        Effect.sync(() => requests.includes("POST true")),
        {
          until: (isStored) => isStored,
          schedule: Schedule.spaced("20 millis")
        }
      )
      assert.isBelow(requests.indexOf("GET true"), requests.indexOf("POST true"))
      assert.deepStrictEqual(yield* losses, [["OPEN", "market/one", 1, 9]])
    }).pipe(
      Effect.provide(services(DatabaseMoves.make(), { wallet: Option.some({ url, secret: Redacted.make("secret") }) }))
    )
  }).pipe(Effect.scoped)
)
