/** Whole lists as files: read and sent part by part, so that none takes more memory than another, and few at a time. */
import * as Csv from "@venue/api/Csv"
import { problems } from "@venue/api/Problem"
import type { Unavailable } from "@venue/cluster/protocol/Market"
import type { UserId } from "@venue/domain/UserId"
import type { Listing } from "@venue/storage/history/RowOrder"
import { Effect, Option, Stream } from "effect"
import type { History } from "../History.ts"
import { notBefore } from "../http/Refusal.ts"

/** On their way at a time. */
const maxOfUser = 2
const maxOfAll = 8
/** A part of a file has so many rows: half a megabyte at most. */
const partRows = 2_000
/** Most files are there by then. */
const waitMillis = 5_000

export const make = (baseUrl: string) =>
  Effect.sync(() => {
    const refusals = problems(baseUrl)
    const running = new Map<UserId, number>()
    let all = 0
    const enter = Effect.fnUntraced(function* (userId: UserId) {
      const own = running.get(userId) ?? 0
      if (own >= maxOfUser) return yield* notBefore(waitMillis, refusals.tooManyDownloads())
      if (all >= maxOfAll) return yield* notBefore(waitMillis, refusals.downloadsFull())
      running.set(userId, own + 1)
      all += 1
    })
    const leave = (userId: UserId) =>
      Effect.sync(() => {
        const own = running.get(userId)! - 1
        if (own === 0) running.delete(userId)
        else running.set(userId, own)
        all -= 1
      })
    return {
      /** Until the end of the scope. */
      admit: (userId: UserId) => Effect.acquireRelease(enter(userId), () => leave(userId))
    }
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
  { columns, last, lineOf, list }: Lines<Row>
): Stream.Stream<Uint8Array, Unavailable> => {
  const head = Stream.succeed(bytes(Csv.line(columns)))
  if (last === undefined) return head
  const parts = Stream.paginate(undefined as Row | undefined, (after) =>
    Effect.map(readOn(list.part({ after, last, limit: partRows })), (rows) => {
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
