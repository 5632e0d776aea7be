/** The sentence for each stored reason about a deposit, withdrawal or rail. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import {
  DepositReason,
  type EndReason,
  type PaymentObstacle,
  type RailOutage,
  type StoredDepositReason
} from "@venue/domain/TreasuryReason"
import { Schema } from "effect"

/** Returns why a deposit is not credited, or was reversed. */
export const deposit = (reason: StoredDepositReason): string => (isKnown(reason) ? deposits[reason] : unknown(reason))

const isKnown = (reason: string): reason is DepositReason => Schema.is(DepositReason)(reason)

/** Returns the sentence for a reason that a newer release stored. */
const unknown = (tag: string): string => `A newer release stored the reason ${tag}, which this release cannot describe.`

const deposits: { readonly [Reason in DepositReason]: string } = {
  "below-minimum": "The amount is below the minimum.",
  "unknown-message": "The reference of the bank transfer matches no user.",
  "paying-account": "The transfer was sent to the account from which the venue pays withdrawals.",
  "venue-own": "The deposit is recorded as the venue's own money.",
  "seen-again": "The deposit appeared on the chain again after its reversal.",
  "bank-return": "The bank reversed the deposit.",
  "missing-on-chain": "The deposit is no longer on the chain."
}

/** Returns why a withdrawal was returned to the account. */
export const end = (reason: EndReason): string => {
  switch (reason._tag) {
    case "Rejected":
      return reason.text
    case "PaymentCancelled":
      return "The payment was cancelled."
    case "CancelOvertaken":
      return "The payment was cancelled, and a transaction unknown to the venue used its nonce."
    case "TransferRejected":
      return "The token contract rejected the transfer."
    case "TransactionFailed":
      return reason.code === null
        ? "The transaction failed; the chain returned no result code."
        : `The transaction failed with result code ${reason.code}.`
    case "PayoutFailed":
      return reason.code === null
        ? "The payout failed at the bank, which gave no reason."
        : `The payout failed at the bank with reason code ${reason.code}.`
    case "SimulatedFailure":
      return "The payment failed on the simulated rail."
    case "Unknown":
      return unknown(reason.tag)
  }
}

/** Returns why a payment is not signed, or cannot arrive, and how an operator resolves it. */
export const obstacle = (reason: PaymentObstacle): string => {
  switch (reason._tag) {
    case "BankAccountUnlinked":
      return "The bank account of the withdrawal was unlinked; cancel the withdrawal."
    case "InvalidDestination":
      return "The destination is not a valid address on the network; cancel the withdrawal."
    case "UnpayableDestination":
      return "The destination is the token contract, the account that pays withdrawals or the zero address; cancel the withdrawal."
    case "TokenBalanceTooLow":
      return (
        `Token balance too low: account ${reason.account} holds ${usd(reason.held)} USD but needs ` +
        `${usd(reason.amount)} USD for this withdrawal and ${usd(reason.promised)} USD for other withdrawals; add funds.`
      )
    case "GasBalanceTooLow":
      return (
        `Gas balance too low: account ${reason.account} holds ${reason.heldWei} wei but might need ` +
        `${reason.neededWei} wei; add gas.`
      )
    case "ChainRejects":
      return `The chain would reject the transaction: ${reason.text}`
    case "WalletRefuses":
      return `The wallet refuses to sign: ${reason.text}`
    case "SignedOtherPayment":
      return "The signer signed a transaction other than the requested one; check the wallet."
    case "SignerChanged":
      return `An earlier attempt was signed by ${reason.signedBy}, but the paying account is now ${reason.account}; restore the earlier key.`
    case "UnreadableAttempt":
      return `Stored attempt ${reason.attempt} cannot be decoded as a transaction.`
    case "NoncesBehind":
      return (
        `Account ${reason.account} has sent ${reason.sent} transactions, but earlier withdrawals used every nonce ` +
        `below ${reason.stored}; restore the key that signed those withdrawals.`
      )
    case "UnknownTransaction":
      return `Account ${reason.account} has sent a transaction unknown to the venue; the next withdrawal waits until that transaction is final.`
    case "NonceUsed":
      return `A transaction unknown to the venue used nonce ${reason.nonce}; cancel the withdrawal.`
    case "PaymentCancelled":
      return "The payment was cancelled."
    case "EarlierAttemptOpen":
      return "An earlier payment attempt might still succeed, or has already ended."
    case "PayoutStarted":
      return reason.purpose === "cancel"
        ? "The payout is already queued for the bank and can no longer be cancelled; wait until it settles or fails."
        : "The payout is already recorded for sending to the bank; a withdrawal has only one payout."
    case "InvalidPayout":
      return `The payout has an invalid ${reason.member}; cancel the withdrawal.`
    case "AddressNotDerived":
      return `The extended key does not derive deposit address ${reason.address} at index ${reason.index}; restore the extended key that does.`
    case "Unknown":
      return unknown(reason.tag)
  }
}

/** Returns why a rail is unavailable. */
export const outage = (reason: RailOutage): string => {
  switch (reason._tag) {
    case "Unreachable":
      return reason.text
    case "FinalityStalled":
      return (
        `The final block has stayed at ${reason.finalBlock} for ${reason.minutes} minutes, while the head block moved from ` +
        `${reason.fromHead} to ${reason.toHead}.`
      )
    case "Unknown":
      return unknown(reason.tag)
  }
}

const usd = (micros: string): string => String(decimalOfMoney(BigInt(micros)))
