/** One server that answers for the chain, by JSON-RPC over HTTP. What it says is decoded here, and believed nowhere yet. */
import { Array as Arr, Effect, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { AnswerTooLarge, textOf, whyOf } from "../../HttpAnswer.ts"

export interface RpcCall<A> {
  readonly method: string
  readonly params: ReadonlyArray<Schema.Json>
  readonly result: Schema.Codec<A, Schema.Json>
}

export const call = <A, I extends Schema.Json>(
  method: string,
  params: ReadonlyArray<Schema.Json>,
  result: Schema.Codec<A, I>
): RpcCall<A> => ({ method, params, result: result as unknown as RpcCall<A>["result"] })

/** `reason` holds nothing of the address, since that may hold a key. */
export class RpcFault extends Schema.TaggedError<RpcFault>()("RpcFault", {
  endpoint: Schema.String,
  reason: Schema.String,
  /** It answered, and the answer was no: the same call again will meet the same. */
  isRefusal: Schema.Boolean,
  /** More was answered than is read: less has to be asked at once. */
  isTooLarge: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    return `${this.endpoint}: ${this.reason}`
  }
}

type Results<Calls extends ReadonlyArray<RpcCall<unknown>>> = {
  readonly [Index in keyof Calls]: Calls[Index] extends RpcCall<infer A> ? A : never
}

export interface RpcEndpoint {
  /** Its place among the addresses of the settings, such as `endpoint 2`. */
  readonly name: string
  /** In the order asked, a bounded number at a time. */
  readonly ask: <const Calls extends ReadonlyArray<RpcCall<unknown>>>(
    calls: Calls
  ) => Effect.Effect<Results<Calls>, RpcFault>
}

export const make = Effect.fn("RpcEndpoint.make")(function* (
  name: string,
  url: Redacted.Redacted
): Effect.fn.Return<RpcEndpoint, never, HttpClient.HttpClient> {
  const client = yield* HttpClient.HttpClient
  const post = HttpClientRequest.post(Redacted.value(url))
  const hidden = secretsOf(Redacted.value(url))
  const fault = (reason: string, is: Partial<Pick<RpcFault, "isRefusal" | "isTooLarge">> = {}) =>
    new RpcFault({ endpoint: name, reason: without(hidden, reason).slice(0, maxReason), isRefusal: false, ...is })

  const send = (calls: ReadonlyArray<RpcCall<unknown>>) => {
    const body = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }))
    return client.execute(HttpClientRequest.bodyJsonUnsafe(post, body)).pipe(
      Effect.flatMap(HttpClientResponse.filterStatusOk),
      Effect.flatMap((response) => textOf(response, calls.length === 1 ? maxBytesOfOne : maxBytes)),
      Effect.flatMap(decode),
      Effect.timeout(deadline),
      Effect.mapError((error) => fault(whyOf(error), { isTooLarge: Schema.is(AnswerTooLarge)(error) })),
      // A span of the request would show the address.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )
  }

  const askSome = Effect.fnUntraced(function* (calls: ReadonlyArray<RpcCall<unknown>>) {
    const said = yield* send(calls)
    const answers: ReadonlyArray<typeof Answer.Type> = Array.isArray(said) ? said : [said]
    const refusal = answers.find(({ error }) => error !== undefined)?.error
    if (refusal !== undefined) {
      const { code, message } = refusal
      return yield* fault(`it refuses: ${message} (${code})`, { isRefusal: true, isTooLarge: code === tooLarge })
    }
    return yield* Effect.forEach(calls, ({ method, result }, index) => {
      const answer = answers.find(({ id }) => id === index)
      return Schema.decodeUnknownEffect(result)(answer?.result).pipe(
        Effect.mapError(() => fault(`its answer to ${method} has another form than was agreed`))
      )
    })
  })

  /** Anybody makes receipts large, so that many of them at once may be more than is read. */
  const askParts = (calls: ReadonlyArray<RpcCall<unknown>>, most: number): Effect.Effect<Array<unknown>, RpcFault> =>
    Effect.map(
      Effect.forEach(Arr.chunksOf(calls, most), (part) =>
        Effect.catchIf(
          askSome(part),
          ({ isTooLarge }) => isTooLarge === true && part.length > 1,
          () => askParts(part, Math.ceil(part.length / 2))
        )
      ),
      (parts) => parts.flat()
    )

  return { name, ask: ((calls) => askParts(calls, maxCalls)) as RpcEndpoint["ask"] }
})

const Answer = Schema.Struct({
  id: Schema.NullOr(Schema.Int),
  result: Schema.optionalKey(Schema.Json),
  error: Schema.optionalKey(Schema.Struct({ code: Schema.Int, message: Schema.String }))
})
const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Union([Answer, Schema.Array(Answer)])))

/** All parts of an address that may be a key; a refusal may repeat them. */
const secretsOf = (url: string): ReadonlyArray<string> => {
  const { hostname, password, pathname, search, username } = new URL(url)
  const parts = [hostname, ...pathname.split("/"), ...search.split(/[?&=]/), username, password]
  return parts.filter((part) => part.length >= shortestSecret)
}

const without = (hidden: ReadonlyArray<string>, text: string): string =>
  hidden.reduce((rest, secret) => rest.replaceAll(secret, "…"), text)

const shortestSecret = 6
const maxReason = 300
const maxCalls = 50
const maxBytes = 16 * 1_048_576
/** A transaction has 32 million gas at most, which is 35 MB of empty logs: no receipt of the chain is larger. */
const maxBytesOfOne = 64 * 1_048_576
/** Nodes answer so for what of a batch goes beyond a bound of their own. */
const tooLarge = -32_003
const deadline = "10 seconds"
