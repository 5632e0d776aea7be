/** Whole lists as files: read and sent part by part, so that none takes more memory than another, and few at a time. */
import * as Csv from "@venue/api/Csv"
import { problems } from "@venue/api/Problem"
import type { Unavailable } from "@venue/cluster/protocol/Market"
import type { UserId } from "@venue/domain/UserId"
import type { Listing } from "@venue/storage/history/RowOrder"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, FiberHandle, Option, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import { ApiBaseUrl } from "../http/ApiBaseUrl.ts"
import type { History } from "../History.ts"
import * as Places from "./Places.ts"

/** On their way at a time. */
const maxOfUser = 2
const maxOfAll = 8
/** A part of a file has so many rows: half a megabyte at most. */
const partRows = 2_000
/** Whoever takes longer over a part gives their place to others: half a megabyte is little for who reads at all. */
const takenWithin = "15 seconds"

export const make = Effect.gen(function* () {
  const refusals = problems(yield* ApiBaseUrl)
  const place = Places.make({
    maxOfOne: maxOfUser,
    maxOfAll,
    tooMany: () => refusals.tooManyDownloads(maxOfUser),
    full: () => refusals.downloadsFull(maxOfAll)
  })
  return {
    /** Until the end of the scope. */
    admit: (userId: UserId) => Effect.andThen(place(userId), watched)
  }
})

/** How a client takes its file. */
interface Watched {
  /** It has asked for the next part, and so has taken the one before. */
  readonly taken: Effect.Effect<void>
  /** It is to take a part now, or its connection ends, without an end to the file. */
  readonly handedOver: Effect.Effect<void>
}

/** Ends the connection of a client that takes too long over a part. */
export const watched = Effect.gen(function* () {
  const { socket } = NodeHttpServerRequest.toIncomingMessage(yield* HttpServerRequest.HttpServerRequest)
  const patience = yield* FiberHandle.make()
  const end = Effect.andThen(
    Effect.logWarning("a download was ended, since its client took too long over a part"),
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
  /** Undefined where the list is empty. */
  readonly last: Row | undefined
}

/** Each part is read when the one before it was taken. One that cannot be read ends all, without an end to the file. */
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
    Stream.tapError((fault) => Effect.logWarning("a download was broken off", fault))
  )
}

const encoder = new TextEncoder()
const bytes = (text: string): Uint8Array => encoder.encode(text)
