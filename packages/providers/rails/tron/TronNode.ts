/** The part of a node's HTTP interface that the rail needs. Final state is read under `/walletsolidity`. */
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

/** Nodes omit the number and time of the first block. */
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

/** Any contract can log anything, so only logs from the venue's token are decoded strictly. */
const Log = Schema.Struct({
  /** 20 bytes without the leading 41 of an address. */
  address: Schema.String,
  topics: Schema.optionalKey(Schema.Array(Schema.String)),
  data: Schema.optionalKey(Schema.String)
})
export type Log = typeof Log.Type

/** Result of a transaction. Absent members have their default values. */
export const TransactionInfo = Schema.Struct({
  id: Hash,
  blockNumber: Count,
  receipt: Schema.optionalKey(Schema.Struct({ result: Schema.optionalKey(Schema.String) })),
  result: Schema.optionalKey(Schema.String),
  log: Schema.optionalKey(Schema.Array(Log))
})
export type TransactionInfo = typeof TransactionInfo.Type

/** Nodes send an empty object if there is no result. */
const NoneOr = <A, I>(schema: Schema.Codec<A, I>) => Schema.Union([schema, Schema.Record(Schema.String, Schema.Never)])
const InfoAnswer = NoneOr(TransactionInfo)
const InfosAnswer = NoneOr(Schema.Array(TransactionInfo))

const TakenAnswer = Schema.Struct({ result: Schema.Literal(true) })
const NotTakenAnswer = Schema.Struct({
  code: Schema.String.check(Schema.isPattern(/^[A-Z_]{1,40}$/)),
  message: Schema.optionalKey(Schema.String)
})

/** A transaction that a node refused, with the node's code and message. */
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
  /** Newest final block. */
  readonly solid: Effect.Effect<Block, RailUnavailable>
  readonly block: (number: number) => Effect.Effect<Block, RailUnavailable>
  /** Returns the infos of all transactions in a block. Fails if the node lacks some of these infos. */
  readonly infosOf: (block: Block) => Effect.Effect<ReadonlyArray<TransactionInfo>, RailUnavailable>
  readonly info: (id: string, finality: Finality) => Effect.Effect<TransactionInfo | undefined, RailUnavailable>
  /** Broadcasts a transaction. Returns undefined if the transaction was accepted. */
  readonly broadcast: (transaction: string) => Effect.Effect<NotTaken | undefined, RailUnavailable>
  /** Reads the balance in final blocks. */
  readonly balanceOf: (token: string, owner: string) => Effect.Effect<bigint, RailUnavailable>
}

export type Finality = "included" | "solid"

export interface TronNodeOptions {
  /** Base URL of the paths, which might hold a key. */
  readonly url: Redacted.Redacted
  /** Sent in a header, as TronGrid requires. */
  readonly apiKey: Redacted.Redacted | undefined
}

export const make = Effect.fn("TronNode.make")(function* (
  options: TronNodeOptions
): Effect.fn.Return<TronNode, never, HttpClient.HttpClient> {
  const { hide, send } = TronHttp.make(yield* HttpClient.HttpClient, options)
  const ask = <A, I>(path: string, body: object, answer: Schema.Codec<A, I>, maxBytes: number) =>
    Effect.mapError(send(path, body, answer, maxBytes), unavailableAt(path))
  const block = (path: string, body: object) => ask(path, body, BlockAnswer, maxBlockBytes)

  const info = Effect.fn("TronNode.info")(function* (id: string, finality: Finality) {
    const path = finality === "solid" ? "walletsolidity" : "wallet"
    const found = yield* ask(`/${path}/gettransactioninfobyid`, { value: id }, InfoAnswer, maxInfosBytes)
    if (!isInfo(found)) return undefined
    return found.id === id ? found : yield* unavailable(`a node returned a different transaction for ${id}`)
  })

  /**
   * Reads each transaction's info separately, because a contract can log any amount. Servers behind one URL might be
   * at different heights: if a server has another block or lacks an info, the whole read fails.
   */
  const infosOneByOne = Effect.fnUntraced(function* ({ id, number }: Block) {
    const found = yield* block("/wallet/getblock", { id_or_num: String(number), detail: true })
    if (found.blockID !== id)
      return yield* unavailable(`the node returned block ${found.blockID} for block ${number}, expected ${id}`)
    const infoOf = Effect.fnUntraced(function* ({ txID }: { readonly txID: string }) {
      const found = yield* info(txID, "included")
      return found ?? (yield* unavailable(`the node has no information about transaction ${txID} in block ${number}`))
    })
    return yield* Effect.forEach(found.transactions ?? [], infoOf, { concurrency: 4 })
  })

  return {
    head: Effect.map(block("/wallet/getnowblock", {}), blockOf),
    solid: Effect.map(block("/walletsolidity/getnowblock", {}), blockOf),
    block: Effect.fn("TronNode.block")(function* (number) {
      const found = blockOf(yield* block("/wallet/getblock", { id_or_num: String(number), detail: false }))
      return found.number === number ? found : yield* unavailable(`a node returned a different block for ${number}`)
    }),
    infosOf: (block) => {
      const path = "/wallet/gettransactioninfobyblocknum"
      return send(path, { num: block.number }, InfosAnswer, maxInfosBytes).pipe(
        Effect.map((found) => (isList(found) ? found : [])),
        Effect.catch(({ kind, reason }) =>
          kind === "large" ? infosOneByOne(block) : Effect.fail(unavailableAt(path)({ reason }))
        ),
        Effect.filterOrFail(isWhole(block), () => unavailable(`a node has only part of block ${block.number}`))
      )
    },
    info,
    broadcast: (transaction) => {
      const path = "/wallet/broadcasthex"
      return send(path, { transaction }, TakenAnswer, maxAnswerBytes, NotTakenAnswer).pipe(
        Effect.map((answer) => ("code" in answer ? { code: answer.code, reason: hide(reasonOf(answer)) } : undefined)),
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

/** Nodes encode their messages in hexadecimal. */
const reasonOf = ({ code, message = "" }: { readonly code: string; readonly message?: string }): string => {
  const text = /^([0-9a-f]{2})+$/i.test(message) ? Buffer.from(message, "hex").toString("latin1") : message
  const words = text.replaceAll(/[^\x20-\x7e]/g, "").trim()
  return words === "" ? code : `${code}: ${words}`
}

const isInfo = (found: typeof InfoAnswer.Type): found is TransactionInfo => "id" in found
const isList = (found: typeof InfosAnswer.Type): found is ReadonlyArray<TransactionInfo> => Array.isArray(found)

const isWhole =
  ({ hasTransactions, number }: Block) =>
  (infos: ReadonlyArray<TransactionInfo>): boolean =>
    hasTransactions === infos.length > 0 && infos.every(({ blockNumber }) => blockNumber === number)

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
/** The newest block is returned with all its transactions, some of which are large. */
const maxBlockBytes = 16 * 1_048_576
/** Size limit of a block's infos; a larger block is read one transaction at a time. */
const maxInfosBytes = 32 * 1_048_576
