/** The accepted token: the form of its transfers, and the calls that move it (ERC-20 and EIP-3009). */
import { encodeFunctionData, getAddress, type Hex, pad, parseAbi } from "viem"
import type { Log } from "./Chain.ts"

/** Topic of `Transfer(address,address,uint256)`. */
export const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

export const topicOf = (address: string): string => pad(address.toLowerCase() as Hex)

export interface Transfer {
  readonly from: string
  readonly to: string
  readonly amount: bigint
}

/**
 * Returns the transfer in a log, or undefined for any other event. An amount beyond a ledger's range does not count
 * as a transfer.
 */
export const transferOf = (log: Pick<Log, "topics" | "data">): Transfer | undefined => {
  const [event, from, to] = log.topics
  if (event !== transferTopic || from === undefined || to === undefined || log.topics.length !== 3) return undefined
  if (![from, to].every((topic) => /^0x0{24}/.test(topic)) || !/^0x[0-9a-f]{64}$/.test(log.data)) return undefined
  const amount = BigInt(log.data)
  return amount > maxAmount ? undefined : { from: addressOf(from), to: addressOf(to), amount }
}

const addressOf = (topic: string): string => getAddress(`0x${topic.slice(26)}`)

export const transferData = (to: string, amount: bigint): Hex =>
  encodeFunctionData({ abi, functionName: "transfer", args: [to as Hex, amount] })

/** Transfer authorization signed by `from`, which anyone can send. The nonce is valid once. */
export interface Authorization {
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly validBeforeSeconds: number
  readonly nonce: string
}

export const authorizedTransferData = (
  { amount, from, nonce, to, validBeforeSeconds }: Authorization,
  { r, s, v }: { readonly r: Hex; readonly s: Hex; readonly v: bigint }
): Hex =>
  encodeFunctionData({
    abi,
    functionName: "transferWithAuthorization",
    args: [from as Hex, to as Hex, amount, 0n, BigInt(validBeforeSeconds), nonce as Hex, Number(v), r, s]
  })

/** Returns the data to sign; `name` and `version` are the values of USDC on Arbitrum One. */
export const typedDataOf = (
  { amount, from, nonce, to, validBeforeSeconds }: Authorization,
  { chainId, token }: { readonly chainId: number; readonly token: string }
) =>
  ({
    domain: { name: "USD Coin", version: "2", chainId, verifyingContract: token as Hex },
    types: {
      TransferWithAuthorization: [
        { name: "from", type: "address" },
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "validAfter", type: "uint256" },
        { name: "validBefore", type: "uint256" },
        { name: "nonce", type: "bytes32" }
      ]
    },
    primaryType: "TransferWithAuthorization",
    message: {
      from: from as Hex,
      to: to as Hex,
      value: amount,
      validAfter: 0n,
      validBefore: BigInt(validBeforeSeconds),
      nonce: nonce as Hex
    }
  }) as const

/** Largest amount that a ledger can hold. */
const maxAmount = 2n ** 63n - 1n

const abi = parseAbi([
  "function transfer(address to, uint256 value) returns (bool)",
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)"
])
