/** CSV downloads of whole lists, limited in number, and read and sent in parts to bound memory use. */
import * as Csv from "@venue/api/Csv"
import type { Unavailable } from "@venue/cluster/protocol/Market"
import type { UserId } from "@venue/domain/UserId"
import type { Listing } from "@venue/storage/history/RowOrder"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, FiberHandle, Option, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import type { History } from "../History.ts"
import * as Places from "./Places.ts"

/** Maximum number of downloads in progress, per user and in total. */
const maxOfUser = 2
const maxOfAll = 8
/** Rows per part, which are at most 0.5 MB of text. */
const partRows = 2_000
/** Time limit for a client to receive a part, after which its slot is free for other clients. */
const takenWithin = "15 seconds"

export const make = Effect.gen(function* () {
  const refusals = yield* apiProblems
  const place = Places.make({
    maxOfOne: maxOfUser,
    maxOfAll,
    tooMany: () => refusals.tooManyDownloads(maxOfUser),
    full: () => refusals.downloadsFull(maxOfAll)
  })
  return {
    /** Occupies one of the user's slots until the scope closes. */
    admit: (userId: UserId) => Effect.andThen(place(userId), watched)
  }
})

/** Timer for the part that a client is receiving. */
interface Watched {
  /** Stops the timer, because a client that requests the next part has received the current one. */
  readonly taken: Effect.Effect<void>
  /** Starts the timer. When it expires, the connection closes and the body stays incomplete. */
  readonly handedOver: Effect.Effect<void>
}

/** Returns a timer that closes the connection of a client that takes longer than 15 s to receive a part. */
export const watched = Effect.gen(function* () {
  const { socket } = NodeHttpServerRequest.toIncomingMessage(yield* HttpServerRequest.HttpServerRequest)
  const patience = yield* FiberHandle.make()
  const end = Effect.andThen(
    Effect.logWarning("a download was closed: its client took too long to receive a part"),
    Effect.sync(() => socket.destroy())
  )
  return {
    taken: FiberHandle.clear(patience),
    handedOver: Effect.asVoid(FiberHandle.run(patience, Effect.delay(end, takenWithin)))
  } satisfies Watched
})

export interface Lines<Row> {
  readonly columns: ReadonlyArray<string>
  readonly lineOf: (row: Row) => ReadonlyArray<string>
  readonly list: Listing<Row>
  /** Last row of the file, or undefined for an empty list. */
  readonly last: Row | undefined
}

/**
 * Streams a file's lines; each part is read when the client has received the previous one. A failed read closes the
 * connection and leaves the body incomplete.
 */
export const lines = <Row>(
  readOn: History["Service"]["readOn"],
  { columns, last, lineOf, list }: Lines<Row>,
  { handedOver, taken }: Watched
): Stream.Stream<Uint8Array, Unavailable> => {
  const head = Stream.succeed(bytes(Csv.line(columns)))
  if (last === undefined) return head
  const parts = Stream.paginate(
    undefined as Row | undefined,
    Effect.fnUntraced(function* (after) {
      yield* taken
      const rows = yield* readOn(list.part({ after, last, limit: partRows }))
      yield* handedOver
      const text = rows.map((row) => Csv.line(lineOf(row))).join("")
      const next = rows.length < partRows ? Option.none<Row>() : Option.some(rows.at(-1)!)
      return [text === "" ? [] : [bytes(text)], next] as const
    })
  )
  return Stream.concat(head, parts).pipe(
    Stream.tapError((fault) => Effect.logWarning("a download was aborted: a part could not be read", fault))
  )
}

const encoder = new TextEncoder()
const bytes = (text: string): Uint8Array => encoder.encode(text)
