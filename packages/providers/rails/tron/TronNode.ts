/** One node's HTTP interface, as much of it as the rail asks. What is final is asked under `/walletsolidity`. */
import { Effect, type Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"
import { RailUnavailable } from "../RailProvider.ts"
import { Buffer } from "node:buffer"
import * as TronHttp from "./TronHttp.ts"

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
  }),
  transactions: Schema.optionalKey(Schema.Array(Schema.Struct({ txID: Hash })))
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

const TakenAnswer = Schema.Struct({ result: Schema.Literal(true) })
const NotTakenAnswer = Schema.Struct({
  code: Schema.String.check(Schema.isPattern(/^[A-Z_]{1,40}$/)),
  message: Schema.optionalKey(Schema.String)
})

/** A transaction that a node has not taken, with the node's name of the reason and its words. */
export interface NotTaken {
  readonly code: string
  readonly reason: string
}

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
  /** Undefined when the transaction was taken. */
  readonly broadcast: (transaction: string) => Effect.Effect<NotTaken | undefined, RailUnavailable>
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
  const send = TronHttp.make(yield* HttpClient.HttpClient, options)
  const ask = <A, I>(path: string, body: object, answer: Schema.Codec<A, I>, maxBytes: number) =>
    Effect.mapError(send(path, body, answer, maxBytes), unavailableAt(path))
  const block = (path: string, body: object) => ask(path, body, BlockAnswer, maxBlockBytes)

  const info = Effect.fn("TronNode.info")(function* (id: string, finality: Finality) {
    const path = finality === "solid" ? "walletsolidity" : "wallet"
    const found = yield* ask(`/${path}/gettransactioninfobyid`, { value: id }, InfoAnswer, maxInfosBytes)
    if (!isInfo(found)) return undefined
    return found.id === id ? found : yield* unavailable(`a node answers for transaction ${id} with another`)
  })

  /** Asks for each transaction of a block by itself: anybody's contracts answer as much as they like. */
  const infosOneByOne = Effect.fnUntraced(function* (number: number) {
    const { transactions = [] } = yield* block("/wallet/getblock", { id_or_num: String(number), detail: true })
    const infos = yield* Effect.forEach(transactions, ({ txID }) => info(txID, "included"), { concurrency: 4 })
    return infos.filter((one) => one !== undefined)
  })

  return {
    head: Effect.map(block("/wallet/getnowblock", {}), blockOf),
    solid: Effect.map(block("/walletsolidity/getnowblock", {}), blockOf),
    block: Effect.fn("TronNode.block")(function* (number) {
      const found = blockOf(yield* block("/wallet/getblock", { id_or_num: String(number), detail: false }))
      return found.number === number ? found : yield* unavailable(`a node answers for block ${number} with another`)
    }),
    infosOf: (num) => {
      const path = "/wallet/gettransactioninfobyblocknum"
      return send(path, { num }, InfosAnswer, maxInfosBytes).pipe(
        Effect.map((found) => (isList(found) ? found : [])),
        Effect.catch(({ kind, reason }) =>
          kind === "large" ? infosOneByOne(num) : Effect.fail(unavailableAt(path)({ reason }))
        )
      )
    },
    info,
    broadcast: (transaction) => {
      const path = "/wallet/broadcasthex"
      return send(path, { transaction }, TakenAnswer, maxAnswerBytes, NotTakenAnswer).pipe(
        Effect.map((answer) => ("code" in answer ? { code: answer.code, reason: reasonOf(answer) } : undefined)),
        Effect.mapError(unavailableAt(path))
      )
    },
    balanceOf: (token, owner) => {
      const call = {
        owner_address: owner,
        contract_address: token,
        function_selector: "balanceOf(address)",
        parameter: owner.slice(2).padStart(64, "0")
      }
      return Effect.map(
        ask("/walletsolidity/triggerconstantcontract", call, CallAnswer, maxAnswerBytes),
        ({ constant_result: [balance] }) => BigInt(`0x${balance}`)
      )
    }
  }
})

const unavailableAt =
  (path: string) =>
  ({ reason }: { readonly reason: string }) =>
    unavailable(`${path}: ${reason}`)

/** Nodes write their words as hex of the text. */
const reasonOf = ({ code, message = "" }: { readonly code: string; readonly message?: string }): string => {
  const text = /^([0-9a-f]{2})+$/i.test(message) ? Buffer.from(message, "hex").toString("latin1") : message
  const words = text
    .replaceAll(/[^\x20-\x7e]/g, "")
    .trim()
    .slice(0, 200)
  return words === "" ? code : `${code}: ${words}`
}

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

const maxAnswerBytes = 1_048_576
/** The newest block comes with all of its transactions, some of which are large. */
const maxBlockBytes = 16 * 1_048_576
/** A block whose transactions answer more is read one transaction at a time. */
const maxInfosBytes = 32 * 1_048_576
