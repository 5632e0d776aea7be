/** Body of a webhook message, which the funding interface's document describes. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { plainJson } from "@venue/domain/PlainNumber"
import { assets, isNetwork, railOf } from "@venue/domain/Rail"
import type { WebhookMessage } from "@venue/domain/Webhook"
import { WebhookBody } from "@venue/domain/WebhookBody"
import { Schema } from "effect"

const encode = Schema.encodeUnknownSync(Schema.fromJsonString(WebhookBody))

export const bodyOf = (message: WebhookMessage): string =>
  plainJson(encode({ type: message.event, timestamp: instant(message.atMillis), data: dataOf(message) }))

const dataOf = (message: WebhookMessage) => {
  const { amount, atMillis, createdAtMillis, creditedAtMillis, destination, event, fee, method, subjectId, txHash } =
    message
  const kind = isNetwork(method) ? "crypto" : "fiat"
  const way = isNetwork(method) ? { network: method } : { payment_rail: method }
  const status = event.slice(event.indexOf(".") + 1).toUpperCase()
  const [id, created_at] = [subjectId, instant(createdAtMillis)]
  if (fee === null) {
    const asset = assets[railOf(method)]
    const credited_at = creditedAtMillis === null ? null : instant(creditedAtMillis)
    return { id, kind, amount: decimalOfMoney(amount), asset, ...way, status, tx_hash: txHash, created_at, credited_at }
  }
  const amounts = {
    amount: decimalOfMoney(amount),
    fee: decimalOfMoney(fee),
    net_amount: decimalOfMoney(amount - fee)
  }
  const updated_at = instant(atMillis)
  return { id, kind, ...amounts, ...way, destination, status, tx_hash: txHash, created_at, updated_at }
}

const instant = (millis: number): string => new Date(millis).toISOString()
