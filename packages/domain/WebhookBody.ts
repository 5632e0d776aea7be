/** JSON body of a webhook message: the deposit or withdrawal as the user's list shows it, at the time of the event. */
import { Schema } from "effect"
import { assets, DepositRail, Network, PayoutRail } from "./Rail.ts"
import { DepositEvent, WithdrawalEvent } from "./Webhook.ts"
import { WithdrawalState } from "./Withdrawal.ts"

const text = (description: string) => Schema.String.annotate({ description })
const usd = (description: string) => Schema.Finite.annotate({ description: `${description}, in USD.` })
const instant = (description: string) =>
  Schema.String.annotate({ description: `${description}, in ISO 8601 and UTC.`, format: "date-time" })

const hash = Schema.NullOr(text("Hash of the transaction; null before it is signed and for `fiat`."))
const kind = Schema.Literals(["crypto", "fiat"]).annotate({
  description: "Kind of the rail: `crypto` for a chain, `fiat` for the bank."
})
const timestamp = instant("Time of the event")
const network = Schema.optionalKey(Network.annotate({ description: "Network; left out for `fiat`." }))
const type = { description: "Event of the message." }
const data = { description: "State after the event." }
const rail = { description: "Payment rail of the bank; left out for `crypto`." }

/** Body of a deposit event. */
export const WebhookDepositMessage = Schema.Struct({
  type: DepositEvent.annotate(type),
  timestamp,
  data: Schema.Struct({
    id: text("Id of the deposit."),
    kind,
    amount: usd("Amount of the deposit"),
    asset: Schema.Literals(Object.values(assets)).annotate({ description: "Asset that was sent." }),
    network,
    payment_rail: Schema.optionalKey(DepositRail.annotate(rail)),
    status: Schema.Literals(["CREDITED", "REVERSED"]).annotate({ description: "State of the deposit." }),
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
    id: text("Id of the withdrawal."),
    kind,
    amount: usd("Amount taken from the account, with the fee"),
    fee: usd("Fee, which is a part of the amount"),
    net_amount: usd("Amount that arrives"),
    network,
    payment_rail: Schema.optionalKey(PayoutRail.annotate(rail)),
    destination: Schema.NullOr(
      text("Address, or the last digits of a bank account number; null if the account was unlinked.")
    ),
    status: WithdrawalState.annotate({ description: "State of the withdrawal." }),
    tx_hash: hash,
    created_at: instant("Time of acceptance"),
    updated_at: instant("Time of the last change of state")
  }).annotate(data)
}).annotate({ identifier: "WebhookWithdrawalMessage" })

/** Body of any webhook message. */
export const WebhookBody = Schema.Union([WebhookDepositMessage, WebhookWithdrawalMessage])
export type WebhookBody = typeof WebhookBody.Type
