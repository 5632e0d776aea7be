/** Messages to operator webhooks that are not delivered yet. */
import { integer, text, timestamptz } from "@venue/postgres/Column"
import * as Store from "@venue/postgres/Store"
import * as Table from "@venue/postgres/Table"
import type { AlarmMessage } from "@venue/domain/AlarmWebhook"
import { Context } from "effect"

const messageTable = Table.make("alarm_message", {
  messageId: text,
  webhookId: text,
  body: text,
  atMillis: timestamptz,
  attempts: integer,
  dueAtMillis: timestamptz
})

/** Store of the messages, in the order in which they are due. */
export class AlarmMessages extends Context.Service<AlarmMessages, Store.Store<AlarmMessage>>()(
  "@venue/storage/alarms/AlarmMessages"
) {
  static readonly layer = Store.layer(AlarmMessages, () => make)
  static readonly layerMemory = Store.layerMemory(AlarmMessages, () => make)
}

const make = Store.make(messageTable, {
  key: ["webhookId", "messageId"],
  order: { dueAtMillis: "asc", atMillis: "asc", messageId: "asc", webhookId: "asc" }
})
