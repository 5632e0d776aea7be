/** One node's HTTP interface, as much of it as the rail asks. What is final is asked under `/walletsolidity`. */
import { Effect, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { textOf, whyOf } from "../../HttpAnswer.ts"
import { RailUnavailable } from "../RailProvider.ts"

export const rail = "TRON"
export const unavailable = (cause: unknown) => new RailUnavailable({ rail, cause })

const hex = (digits: number) => Schema.String.check(Schema.isPattern(new RegExp(`^[0-9a-f]{${digits}}$`)))
const Hash = hex(64)
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

/** Of the first block nodes tell neither number nor time. */
const BlockAnswer = Schema.Struct({
  blockID: Hash,
  block_header: Schema.Struct({
    raw_data: Schema.Struct({
      number: Schema.optionalKey(Count),
      timestamp: Schema.optionalKey(Count),
      parentHash: Hash,
      txTrieRoot: Schema.optionalKey(Hash)
    })
  })
})

export interface Block {
  readonly number: number
  readonly id: string
  readonly parentId: string
  readonly timestampMillis: number
  readonly hasTransactions: boolean
}

/** Anybody's contracts log, so that only what is ours is looked at closely. */
const Log = Schema.Struct({
  /** 20 bytes, without the 41 that begins an address. */
  address: Schema.String,
  topics: Schema.optionalKey(Schema.Array(Schema.String)),
  data: Schema.optionalKey(Schema.String)
})
export type Log = typeof Log.Type

/** What became of a transaction. Absent members have the value that is usual. */
export const TransactionInfo = Schema.Struct({
  id: Hash,
  blockNumber: Count,
  receipt: Schema.optionalKey(Schema.Struct({ result: Schema.optionalKey(Schema.String) })),
  result: Schema.optionalKey(Schema.String),
  log: Schema.optionalKey(Schema.Array(Log))
})
export type TransactionInfo = typeof TransactionInfo.Type

/** An empty object says that there is none. */
const NoneOr = <A, I>(schema: Schema.Codec<A, I>) => Schema.Union([schema, Schema.Record(Schema.String, Schema.Never)])
const InfoAnswer = NoneOr(TransactionInfo)
const InfosAnswer = NoneOr(Schema.Array(TransactionInfo))

const BroadcastAnswer = Schema.Struct({
  result: Schema.optionalKey(Schema.Boolean),
  code: Schema.optionalKey(Schema.String)
})

const CallAnswer = Schema.Struct({
  result: Schema.Struct({ result: Schema.Literal(true) }),
  constant_result: Schema.NonEmptyArray(hex(64))
})

export interface TronNode {
  readonly head: Effect.Effect<Block, RailUnavailable>
  /** The newest block that is final. */
  readonly solid: Effect.Effect<Block, RailUnavailable>
  readonly block: (number: number) => Effect.Effect<Block, RailUnavailable>
  /** Of all transactions of a block. A node that has not got that far answers with none. */
  readonly infosOf: (number: number) => Effect.Effect<ReadonlyArray<TransactionInfo>, RailUnavailable>
  readonly info: (id: string, finality: Finality) => Effect.Effect<TransactionInfo | undefined, RailUnavailable>
  /** Undefined when it was taken, else the node's name of what is wrong. */
  readonly broadcast: (transaction: string) => Effect.Effect<string | undefined, RailUnavailable>
  /** In final blocks. */
  readonly balanceOf: (token: string, owner: string) => Effect.Effect<bigint, RailUnavailable>
}

export type Finality = "included" | "solid"

export interface TronNodeOptions {
  /** Paths are added to it. It may hold a key. */
  readonly url: Redacted.Redacted
  /** TronGrid wants one in a header. */
  readonly apiKey: Redacted.Redacted | undefined
}

export const make = Effect.fn("TronNode.make")(function* (
  options: TronNodeOptions
): Effect.fn.Return<TronNode, never, HttpClient.HttpClient> {
  const ask = asking(yield* HttpClient.HttpClient, options)
  const block = asked(ask, BlockAnswer, maxBlockBytes)
  const infos = asked(ask, InfosAnswer, maxInfosBytes)
  const info = asked(ask, InfoAnswer, maxInfosBytes)
  const broadcast = asked(ask, BroadcastAnswer, maxAnswerBytes)
  const call = asked(ask, CallAnswer, maxAnswerBytes)
  return {
    head: Effect.map(block("/wallet/getnowblock", {}), blockOf),
    solid: Effect.map(block("/walletsolidity/getnowblock", {}), blockOf),
    block: Effect.fn("TronNode.block")(function* (number) {
      const found = blockOf(yield* block("/wallet/getblock", { id_or_num: String(number), detail: false }))
      return found.number === number ? found : yield* unavailable(`a node answers for block ${number} with another`)
    }),
    infosOf: (num) =>
      Effect.map(infos("/wallet/gettransactioninfobyblocknum", { num }), (found) => (isList(found) ? found : [])),
    info: Effect.fn("TronNode.info")(function* (id, finality) {
      const path = finality === "solid" ? "walletsolidity" : "wallet"
      const found = yield* info(`/${path}/gettransactioninfobyid`, { value: id })
      if (!isInfo(found)) return undefined
      return found.id === id ? found : yield* unavailable(`a node answers for transaction ${id} with another`)
    }),
    broadcast: (transaction) =>
      Effect.map(broadcast("/wallet/broadcasthex", { transaction }), ({ code, result }) =>
        result === true ? undefined : (code ?? "unknown")
      ),
    balanceOf: (token, owner) =>
      Effect.map(
        call("/walletsolidity/triggerconstantcontract", {
          owner_address: owner,
          contract_address: token,
          function_selector: "balanceOf(address)",
          parameter: owner.slice(2).padStart(64, "0")
        }),
        ({ constant_result: [balance] }) => BigInt(`0x${balance}`)
      )
  }
})

const isInfo = (found: typeof InfoAnswer.Type): found is TransactionInfo => "id" in found
const isList = (found: typeof InfosAnswer.Type): found is ReadonlyArray<TransactionInfo> => Array.isArray(found)

const blockOf = ({ block_header, blockID }: typeof BlockAnswer.Type): Block => {
  const { number = 0, parentHash, timestamp = 0, txTrieRoot = noTransactions } = block_header.raw_data
  return {
    number,
    id: blockID,
    parentId: parentHash,
    timestampMillis: timestamp,
    hasTransactions: txTrieRoot !== noTransactions
  }
}

const noTransactions = "0".repeat(64)

/** One request within its deadline. Errors of requests hold addresses and keys, so that only a sentence is made of them. */
const asking =
  (client: HttpClient.HttpClient, { apiKey, url }: TronNodeOptions) =>
  (path: string, body: object, maxBytes: number): Effect.Effect<string, RailUnavailable> => {
    const request = HttpClientRequest.post(`${Redacted.value(url).replace(/\/$/, "")}${path}`).pipe(
      HttpClientRequest.bodyText(JSON.stringify(body), "application/json"),
      HttpClientRequest.setHeaders(apiKey === undefined ? {} : { "TRON-PRO-API-KEY": Redacted.value(apiKey) })
    )
    return client.execute(request).pipe(
      Effect.flatMap((response) =>
        response.status === 200
          ? textOf(response, maxBytes)
          : Effect.fail(new Error(`it answers with status ${response.status}`))
      ),
      Effect.timeout(deadline),
      Effect.mapError((error) => unavailable(whyOf(error)))
    )
  }

const asked = <A, I>(ask: ReturnType<typeof asking>, answer: Schema.Codec<A, I>, maxBytes: number) => {
  const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(answer))
  return (path: string, body: object): Effect.Effect<A, RailUnavailable> =>
    Effect.flatMap(ask(path, body, maxBytes), (text) =>
      Effect.mapError(decode(text), (error) => unavailable(`${path}: ${whyOf(error)}`))
    )
}

const deadline = "10 seconds"
const maxAnswerBytes = 1_048_576
/** The newest block comes with all of its transactions, some of which are large. */
const maxBlockBytes = 8 * 1_048_576
/** What was read with its block is read alone too. */
const maxInfosBytes = 32 * 1_048_576
