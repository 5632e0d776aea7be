/**
 * Rounds a request's prices and quantities to multiples of tick and lot. A JSON number is a double, so client
 * arithmetic leaves noise: 59174 × 0.1 is 5917.400000000001. Numbers sent as strings are exact, so they are not
 * rounded (rule 0.5).
 */
import * as Incoming from "@venue/api/Incoming"
import { nearestMultiple } from "@venue/domain/Decimal"
import type { Instrument } from "@venue/domain/Instrument"

/** Numeric fields of a request, each with its wire name and its increment. */
const members = {
  price: ["price", "tickE8"],
  quantity: ["quantity", "lotE8"],
  takeProfit: ["take_profit", "tickE8"],
  stopLoss: ["stop_loss", "tickE8"],
  totalQuantity: ["total_quantity", "lotE8"],
  worstPrice: ["worst_price", "tickE8"]
} as const
const names = Object.keys(members) as ReadonlyArray<keyof typeof members>

/** Rounds noisy numbers. Parses `text`, the client's frame, only if a number is not a multiple of its increment. */
export const denoised = <A extends object>(request: A, instrument: Instrument | undefined, text: string): A => {
  if (instrument === undefined) return request
  let result = request
  for (const name of names) {
    const decimal = (request as Partial<Record<typeof name, number>>)[name]
    if (decimal === undefined || decimal === 0) continue
    const [field, step] = members[name]
    const nearest = nearestMultiple(decimal, instrument[step])
    if (nearest !== decimal && typeof fieldsOf(text)[field] === "number") result = { ...result, [name]: nearest }
  }
  return result
}

const fieldsOf = (text: string): Incoming.Fields => {
  const parsed = Incoming.parse(text)
  if (!Incoming.isFields(parsed)) return {}
  const { params } = parsed
  return Incoming.isFields(params) ? params : parsed
}
