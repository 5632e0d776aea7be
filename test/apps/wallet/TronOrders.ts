/** Signing orders on TRON as a venue sends them, with a test's changes. */
import type { TronPayment } from "@venue/providers/rails/SigningOrder"
import * as TronTransaction from "@venue/providers/rails/tron/TronTransaction"
import { Redacted, Result } from "effect"

export const tronKeyText = "22".repeat(32)
export const tronKey = Result.getOrThrow(TronTransaction.keyOf(Redacted.make(tronKeyText)))
export const tronToken = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
export const tronLimits = { hot: tronKey.address, token: tronToken, maxFee: 100_000_000 }

/** Returns a payment issued at `nowMillis`. Its transaction is valid for ten minutes. */
export const tronPayment = (nowMillis: number, changed: Partial<TronPayment> = {}): TronPayment => ({
  _tag: "TronPayment",
  withdrawalId: "withdrawal-1",
  token: tronToken,
  destination: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8",
  amount: 40_000_000n,
  refBlockId: "0000000004a1ffff8d3996515f1a5920b10654086f36bcf0f530884da714ed1c",
  expirationMillis: nowMillis + 600_000,
  timestampMillis: nowMillis,
  feeLimit: 100_000_000,
  solidMillis: nowMillis - 60_000,
  ...changed
})
