/** The venue's transactions (EIP-1559): built from orders, signed, and read back. */
import { Effect, Option, Result } from "effect"
import {
  bytesToHex,
  getAddress,
  type Hex,
  keccak256,
  parseSignature,
  parseTransaction,
  recoverTransactionAddress
} from "viem"
import { HDKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import type { ArbitrumOrder, ArbitrumSweep } from "../SigningOrder.ts"
import { addressOf, gasPayerIndex } from "./DepositAddresses.ts"
import * as Token from "./Token.ts"

/** Keys of the rail, held only here. */
export interface Keys {
  /** Pays withdrawals and receives sweeps. */
  readonly hot: PrivateKeyAccount
  /** Holds the deposit addresses and the account that pays for sweeping. */
  readonly deposits: HDKey
}

/** A failure states the valid form but no part of the keys. */
export const keys = (hotKey: string, xprv: string): Result.Result<Keys, string> => {
  const hot = Result.try(() => privateKeyToAccount(hotKey as Hex))
  if (Result.isFailure(hot)) return Result.fail("the private key of the hot account, 0x and 64 hexadecimal digits")
  const deposits = Result.try(() => HDKey.fromExtendedKey(xprv))
  if (Result.isFailure(deposits) || deposits.success.privateKey === null)
    return Result.fail("the extended private key of the deposit addresses, which begins with xprv")
  return Result.succeed({ hot: hot.success, deposits: deposits.success })
}

export const sign = Effect.fn("Transactions.sign")(function* ({ deposits, hot }: Keys, order: ArbitrumOrder) {
  const { chainId, gas, maxFeePerGas, maxPriorityFeePerGas, nonce, token } = order
  const sending = { type: "eip1559", chainId, gas, maxFeePerGas, maxPriorityFeePerGas, nonce } as const
  switch (order._tag) {
    case "ArbitrumPayment": {
      const data = Token.transferData(order.destination, order.amount)
      return yield* Effect.promise(() => hot.signTransaction({ ...sending, to: token as Hex, data }))
    }
    case "ArbitrumCancel":
      return yield* Effect.promise(() => hot.signTransaction({ ...sending, to: hot.address, value: 0n }))
    case "ArbitrumSweep": {
      const authorization = authorizationOf(order, deposits, hot.address)
      const depositor = accountAt(deposits, order.index)
      const signature = yield* Effect.promise(() =>
        depositor.signTypedData(Token.typedDataOf(authorization, { chainId, token }))
      )
      const { r, s, yParity } = parseSignature(signature)
      const data = Token.authorizedTransferData(authorization, { r, s, v: BigInt(27 + yParity) })
      const payer = accountAt(deposits, gasPayerIndex)
      return yield* Effect.promise(() => payer.signTransaction({ ...sending, to: token as Hex, data }))
    }
  }
})

const authorizationOf = (order: ArbitrumSweep, deposits: HDKey, hot: string): Token.Authorization => ({
  from: addressOf(deposits.deriveChild(order.index)),
  to: hot,
  amount: order.amount,
  validBeforeSeconds: order.validBeforeSeconds,
  nonce: order.authorization
})

const accountAt = (parent: HDKey, index: number): PrivateKeyAccount =>
  privateKeyToAccount(bytesToHex(parent.deriveChild(index).privateKey!))

export interface Signed {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly chainId: number
  readonly nonce: number
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly data: string
  readonly value: bigint
}

/** Returns the content of signed bytes, or undefined if the bytes are not an EIP-1559 transaction. */
export const read = Effect.fn("Transactions.read")(function* (bytes: string) {
  const text = bytes as `0x02${string}`
  const parsed = Result.try(() => parseTransaction(text))
  if (Result.isFailure(parsed)) return undefined
  const fields = parsed.success
  const from = yield* Effect.option(Effect.tryPromise(() => recoverTransactionAddress({ serializedTransaction: text })))
  if (Option.isNone(from) || fields.type !== "eip1559") return undefined
  return {
    hash: keccak256(text),
    from: from.value,
    to: fields.to === undefined || fields.to === null ? null : getAddress(fields.to),
    chainId: fields.chainId,
    nonce: fields.nonce ?? 0,
    gas: fields.gas ?? 0n,
    maxFeePerGas: fields.maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: fields.maxPriorityFeePerGas ?? 0n,
    data: fields.data ?? "0x",
    value: fields.value ?? 0n
  } satisfies Signed
})
