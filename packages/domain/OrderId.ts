/** Order ids. */
import { Schema } from "effect"
import * as Id from "./Id.ts"

/** Id of an order. */
export const OrderId = Id.schema.pipe(Schema.brand("OrderId"))
export type OrderId = typeof OrderId.Type

/** Returns the id of the order that a command places: the id of the command. */
export const orderIdFrom = (commandId: Id.Id): OrderId => commandId as OrderId

/** Parses an order id: a UUID in lower case. Returns undefined for any other text. */
export const parseOrderId = (text: string): OrderId | undefined => Id.parse(text) as OrderId | undefined
