/** The token's transfers in a transaction's info. */
import type { Log, TransactionInfo } from "./TronNode.ts"
import * as TronAddress from "./TronAddress.ts"

export interface TronTransfer {
  readonly txHash: string
  /** Index of the log within the transaction. */
  readonly logIndex: number
  readonly from: TronAddress.AddressHex
  readonly to: TronAddress.AddressHex
  readonly amount: bigint
}

/** Returns the transfers, or an empty list for a failed transaction. */
export const transfersOf = (info: TransactionInfo, token: TronAddress.AddressHex): ReadonlyArray<TronTransfer> =>
  isSuccess(info)
    ? (info.log ?? []).flatMap((log, logIndex) => {
        const transfer = transferOf(log, token)
        return transfer === undefined ? [] : [{ txHash: info.id, logIndex, ...transfer }]
      })
    : []

/** The receipt of a contract call always has a result. */
export const isSuccess = ({ receipt, result }: TransactionInfo): boolean =>
  receipt?.result === "SUCCESS" && (result === undefined || result === "SUCCESS" || result === "SUCESS")

const transferOf = ({ address, data = "", topics = [] }: Log, token: TronAddress.AddressHex) => {
  const [event, from = "", to = ""] = topics
  if (address !== TronAddress.bodyOf(token) || event !== transferEvent || topics.length !== 3) return undefined
  if (![from, to, data].every((word) => /^[0-9a-f]{64}$/.test(word))) return undefined
  return { from: addressOf(from), to: addressOf(to), amount: BigInt(`0x${data}`) }
}

const addressOf = (topic: string): TronAddress.AddressHex => `41${topic.slice(24)}`

/** Topic of `Transfer(address,address,uint256)`. */
const transferEvent = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
