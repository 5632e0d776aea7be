/** JSON-RPC calls to the chain and their results. */
import { Schema, SchemaTransformation } from "effect"
import { call } from "./RpcEndpoint.ts"

/** Some endpoints send upper-case hexadecimal digits, for example in checksummed addresses. */
const hex = (pattern: RegExp) =>
  Schema.String.pipe(
    Schema.decodeTo(
      Schema.String.check(Schema.isPattern(pattern)),
      SchemaTransformation.transform({ decode: (text: string) => text.toLowerCase(), encode: (text: string) => text })
    )
  )
const HexText = hex(/^0x(0|[1-9a-f][0-9a-f]{0,63})$/)
export const Quantity = HexText.pipe(
  Schema.decodeTo(
    Schema.BigInt,
    SchemaTransformation.transform({ decode: (hex: string) => BigInt(hex), encode: (value: bigint) => hexOf(value) })
  )
)
/** A number of blocks, seconds or transactions, far below 2^53. */
export const Count = HexText.check(Schema.isMaxLength(14)).pipe(
  Schema.decodeTo(
    Schema.Number,
    SchemaTransformation.transform({ decode: (hex: string) => Number(hex), encode: (value: number) => hexOf(value) })
  )
)
export const Hash = hex(/^0x[0-9a-f]{64}$/)
export const Address = hex(/^0x[0-9a-f]{40}$/)
export const Bytes = Schema.String.pipe(
  Schema.decodeTo(
    Schema.TemplateLiteral(["0x", Schema.String.check(Schema.isPattern(/^([0-9a-f]{2})*$/))]),
    SchemaTransformation.transform({
      decode: (text: string) => text.toLowerCase() as `0x${string}`,
      encode: (text: string) => text
    })
  )
)

export const hexOf = (value: bigint | number): string => `0x${value.toString(16)}`

/** Permanent identification of a block. */
export interface BlockName {
  readonly number: number
  readonly hash: string
}

export const Block = Schema.Struct({
  number: Count,
  hash: Hash,
  timestamp: Count,
  baseFeePerGas: Schema.optionalKey(Quantity)
})
export type Block = typeof Block.Type

export const Log = Schema.Struct({
  address: Address,
  topics: Schema.Array(Hash),
  data: Bytes,
  blockNumber: Count,
  blockHash: Hash,
  transactionHash: Hash,
  /** Index within the block, which a reorganisation changes. */
  logIndex: Count
})
export type Log = typeof Log.Type

export const Receipt = Schema.Struct({
  transactionHash: Hash,
  status: Count,
  blockNumber: Count,
  blockHash: Hash,
  logs: Schema.Array(Log)
})
export type Receipt = typeof Receipt.Type

export type Tag = number | "latest" | "pending" | "finalized"
const tagOf = (tag: Tag): string => (typeof tag === "number" ? hexOf(tag) : tag)

export const chainId = call("eth_chainId", [], Count)
/** Returns null if no block has this number yet. */
export const block = (tag: Tag) => call("eth_getBlockByNumber", [tagOf(tag), false], Schema.NullOr(Block))
export const receipt = (hash: string) => call("eth_getTransactionReceipt", [hash], Schema.NullOr(Receipt))
export const balance = (address: string, tag: Tag) => call("eth_getBalance", [address, tagOf(tag)], Quantity)
export const transactionCount = (address: string, tag: Tag) =>
  call("eth_getTransactionCount", [address, tagOf(tag)], Count)
export const logs = (filter: {
  readonly address: string
  readonly topics: ReadonlyArray<string | null | ReadonlyArray<string>>
  readonly from: number
  readonly to: number
}) =>
  call(
    "eth_getLogs",
    [{ address: filter.address, topics: filter.topics, fromBlock: hexOf(filter.from), toBlock: hexOf(filter.to) }],
    Schema.Array(Log)
  )
/** Without a receiver, the data is constructor code and the result is that code's return value. */
export const view = (message: { readonly to?: string; readonly data: string }, tag: Tag) =>
  call("eth_call", [message, tagOf(tag)], Bytes)
export const gas = (message: { readonly from: string; readonly to: string; readonly data: string }) =>
  call("eth_estimateGas", [message], Quantity)
export const sendTransaction = (bytes: string) => call("eth_sendRawTransaction", [bytes], Hash)
/** Null if the transaction is neither pending nor in a block. */
export const transaction = (hash: string) =>
  call("eth_getTransactionByHash", [hash], Schema.NullOr(Schema.Struct({ hash: Hash })))
