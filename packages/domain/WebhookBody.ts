/** JSON body of a webhook message: the deposit or withdrawal as the user's list shows it, at the time of the event. */
import { Schema } from "effect"
import { assets, DepositRail, Network, PayoutRail } from "./Rail.ts"
import { DepositEvent, WithdrawalEvent } from "./Webhook.ts"
import { WithdrawalState } from "./Withdrawal.ts"

const text = (description: string) => Schema.String.annotate({ description })
const usd = (description: string) => Schema.Finite.annotate({ description: `${description}, in USD.` })
const instant = (description: string) =>
  Schema.String.annotate({ description: `${description}, ISO 8601 in UTC.`, format: "date-time" })

const hash = Schema.NullOr(text("Transaction hash; null for `fiat`, and until the transaction is signed."))
const kind = Schema.Literals(["crypto", "fiat"]).annotate({
  description: "Rail kind: `crypto` for a blockchain, `fiat` for the bank."
})
const timestamp = instant("Time of the event")
const network = Schema.optionalKey(Network.annotate({ description: "Blockchain network; omitted for `fiat`." }))
const type = { description: "Event that the message reports." }
const data = { description: "Deposit or withdrawal after the event." }
const rail = { description: "Bank payment rail; omitted for `crypto`." }

/** Body of a deposit event. */
export const WebhookDepositMessage = Schema.Struct({
  type: DepositEvent.annotate(type),
  timestamp,
  data: Schema.Struct({
    id: text("Deposit id."),
    kind,
    amount: usd("Deposit amount"),
    asset: Schema.Literals(Object.values(assets)).annotate({ description: "Asset that was sent." }),
    network,
    payment_rail: Schema.optionalKey(DepositRail.annotate(rail)),
    status: Schema.Literals(["CREDITED", "REVERSED"]).annotate({ description: "Deposit state." }),
    tx_hash: hash,
    created_at: instant("Time at which the deposit was first seen"),
    credited_at: Schema.NullOr(instant("Time at which the account was credited"))
  }).annotate(data)
}).annotate({ identifier: "WebhookDepositMessage" })

/** Body of a withdrawal event. */
export const WebhookWithdrawalMessage = Schema.Struct({
  type: WithdrawalEvent.annotate(type),
  timestamp,
  data: Schema.Struct({
    id: text("Withdrawal id."),
    kind,
    amount: usd("Amount taken from the account, including the fee"),
    fee: usd("Withdrawal fee, included in the amount"),
    net_amount: usd("Amount that arrives at the destination"),
    network,
    payment_rail: Schema.optionalKey(PayoutRail.annotate(rail)),
    destination: Schema.NullOr(
      text("Blockchain address, or last digits of the bank account number; null if the bank account was unlinked.")
    ),
    status: WithdrawalState.annotate({ description: "Withdrawal state." }),
    tx_hash: hash,
    created_at: instant("Time at which the withdrawal was accepted"),
    updated_at: instant("Time of the last state change")
  }).annotate(data)
}).annotate({ identifier: "WebhookWithdrawalMessage" })

/** Body of any webhook message. */
export const WebhookBody = Schema.Union([WebhookDepositMessage, WebhookWithdrawalMessage])
export type WebhookBody = typeof WebhookBody.Type
