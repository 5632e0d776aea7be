/** Which order. */
import { Schema } from "effect"
import * as Id from "./Id.ts"

export const OrderId = Id.schema.pipe(Schema.brand("OrderId"))
export type OrderId = typeof OrderId.Type

/** An order has the id of the command that placed it. */
export const orderIdFrom = (commandId: Id.Id): OrderId => commandId as OrderId

/** Answers nothing unless it is the text of an id to the letter. */
export const parseOrderId = (text: string): OrderId | undefined => Id.parse(text) as OrderId | undefined
