/** Signing record: an append-only file with one line per event, which is on disk before anything is signed. */
import { Effect, FileSystem, type PlatformError, Result, Schema, type Scope, Semaphore } from "effect"
import { dirname } from "node:path"
import * as SigningPolicy from "./SigningPolicy.ts"

/**
 * First line, with the record's key and chain. A record for a different key or chain would allow signed payments
 * again.
 */
const Heading = Schema.TaggedStruct("SigningRecord", {
  version: Schema.Literal(1),
  hot: Schema.String,
  chainId: Schema.Int
})
export type Owner = Pick<typeof Heading.Type, "hot" | "chainId">
const HeadingLine = Schema.fromJsonString(Heading)
const EventLine = Schema.fromJsonString(SigningPolicy.SigningEvent)

export class RecordRefused extends Schema.TaggedError<RecordRefused>()("RecordRefused", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** A write failed, so the file's contents are unknown. From then on, this process signs nothing. */
export class RecordBroken extends Schema.TaggedError<RecordBroken>()("RecordBroken", { cause: Schema.Defect() }) {
  override get message() {
    return `the signing record cannot be written, so nothing is signed: ${String(this.cause)}`
  }
}

export interface SigningRecord {
  /** Applies `decide` and returns once its event is on disk. Calls run one after another. */
  readonly decide: (
    decide: (policy: SigningPolicy.SigningPolicy) => Result.Result<SigningPolicy.SigningEvent | undefined, string>
  ) => Effect.Effect<Result.Result<void, string>, RecordBroken>
  /** Returns the last day with a payment, and the total of that day's payments in 1e-6 USD. */
  readonly paid: () => Pick<SigningPolicy.SigningPolicy, "day" | "paidOfDay">
}

/** Creates an empty record. Never replaces an existing file. */
export const create = Effect.fn("SigningRecord.create")(function* (path: string, owner: Owner) {
  const files = yield* FileSystem.FileSystem
  const file = yield* files.open(path, { flag: "wx", mode: 0o600 }).pipe(
    Effect.mapError(
      () =>
        new RecordRefused({
          reason: `${path} cannot be created: a record exists already, or its folder does not exist`
        })
    )
  )
  yield* file.writeAll(bytesOf(Schema.encodeSync(HeadingLine)({ _tag: "SigningRecord", version: 1, ...owner })))
  yield* file.sync
  // A new file's name is on disk once its directory is synced.
  const folder = yield* files.open(dirname(path), { flag: "r" })
  yield* folder.sync
}, Effect.scoped)

export const open = Effect.fn("SigningRecord.open")(function* (
  path: string,
  owner: Owner
): Effect.fn.Return<SigningRecord, RecordRefused | PlatformError.PlatformError, FileSystem.FileSystem | Scope.Scope> {
  const files = yield* FileSystem.FileSystem
  const text = yield* files.readFileString(path).pipe(
    Effect.mapError(
      () =>
        new RecordRefused({
          reason: `the signing record ${path} cannot be read. For a new key, create the record with the argument new-record. Restore a lost record; otherwise withdrawals might be paid twice`
        })
    )
  )
  const whole = text.slice(0, text.lastIndexOf("\n") + 1)
  const policy = yield* read(path, whole, owner)
  let size = Buffer.byteLength(whole)
  yield* cutOff(path, size)
  const file = yield* files.open(path, { flag: "a" })

  let isBroken = false
  const append = Effect.fnUntraced(function* (event: SigningPolicy.SigningEvent) {
    const bytes = bytesOf(Schema.encodeSync(EventLine)(event))
    yield* file.writeAll(bytes)
    yield* file.sync
    size += bytes.length
    const { size: actual } = yield* file.stat
    if (Number(actual) !== size) return yield* new RecordRefused({ reason: "another process writes to the record" })
  })
  const turn = yield* Semaphore.make(1)
  return {
    paid: () => policy,
    decide: (decide) =>
      Effect.gen(function* () {
        if (isBroken) return yield* new RecordBroken({ cause: "an earlier write failed" })
        const decided = decide(policy)
        if (Result.isFailure(decided)) return Result.fail(decided.failure)
        const event = decided.success
        if (event === undefined) return Result.void
        yield* append(event).pipe(
          Effect.mapError((cause) => {
            isBroken = true
            return new RecordBroken({ cause })
          })
        )
        SigningPolicy.apply(policy, event)
        return Result.void
      }).pipe(Effect.uninterruptible, turn.withPermit)
  }
})

/** Truncates an incomplete last line, which was never acknowledged. */
const cutOff = Effect.fnUntraced(function* (path: string, size: number) {
  const files = yield* FileSystem.FileSystem
  const file = yield* files.open(path, { flag: "r+" })
  yield* file.truncate(size)
  yield* file.sync
}, Effect.scoped)

const read = Effect.fnUntraced(function* (path: string, text: string, owner: Owner) {
  const [first = "", ...lines] = text.split("\n").slice(0, -1)
  const heading = Schema.decodeUnknownOption(HeadingLine)(first)
  if (heading._tag === "None") return yield* new RecordRefused({ reason: `${path} is not a signing record` })
  const { chainId, hot } = heading.value
  if (hot !== owner.hot || chainId !== owner.chainId)
    return yield* new RecordRefused({ reason: `${path} is the record of ${hot} on chain ${chainId}, not of this key` })
  const policy = SigningPolicy.empty()
  for (const [index, line] of lines.entries()) {
    const event = Schema.decodeUnknownOption(EventLine)(line)
    if (event._tag === "None")
      return yield* new RecordRefused({
        reason: `line ${index + 2} of ${path} is damaged; restore an undamaged copy`
      })
    SigningPolicy.apply(policy, event.value)
  }
  return policy
})

const bytesOf = (line: string): Uint8Array => Buffer.from(`${line}\n`)
