/** What a message to a user says, as JSON: the deposit or withdrawal as its user's list has it, as it was at that time. */
import { Schema } from "effect"
import { assets, DepositRail, Network, PayoutRail } from "./Rail.ts"
import { DepositEvent, WithdrawalEvent } from "./Webhook.ts"
import { WithdrawalState } from "./Withdrawal.ts"

const text = (description: string) => Schema.String.annotate({ description })
const usd = (description: string) => Schema.Finite.annotate({ description: `${description}, in USD.` })
const instant = (description: string) =>
  Schema.String.annotate({ description: `${description}, in ISO 8601 and UTC.`, format: "date-time" })

const hash = Schema.NullOr(text("It is in the chain, or about to be, under this hash."))
const kind = Schema.Literals(["crypto", "fiat"])
const timestamp = instant("It happened then")
const network = Schema.optionalKey(Network)

export const WebhookDepositMessage = Schema.Struct({
  type: DepositEvent,
  timestamp,
  data: Schema.Struct({
    id: text("Names the deposit."),
    kind,
    amount: usd("What came"),
    asset: Schema.Literals(Object.values(assets)),
    network,
    payment_rail: Schema.optionalKey(DepositRail),
    status: Schema.Literals(["CREDITED", "REVERSED"]),
    tx_hash: hash,
    created_at: instant("It was first seen then"),
    credited_at: Schema.NullOr(instant("The account has it since then"))
  })
}).annotate({ identifier: "WebhookDepositMessage" })

export const WebhookWithdrawalMessage = Schema.Struct({
  type: WithdrawalEvent,
  timestamp,
  data: Schema.Struct({
    id: text("Names the withdrawal."),
    kind,
    amount: usd("Taken from the account"),
    fee: usd("Kept by the venue"),
    net_amount: usd("What arrives"),
    network,
    payment_rail: Schema.optionalKey(PayoutRail),
    destination: Schema.NullOr(
      text("An address, or the last digits of a bank account's number; null where that is known no more.")
    ),
    status: WithdrawalState,
    tx_hash: hash,
    created_at: instant("It was accepted then"),
    updated_at: instant("It came into this status then")
  })
}).annotate({ identifier: "WebhookWithdrawalMessage" })

export const WebhookBody = Schema.Union([WebhookDepositMessage, WebhookWithdrawalMessage])
export type WebhookBody = typeof WebhookBody.Type
