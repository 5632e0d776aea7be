/** One account's open orders by client order id. Several orders can have the same client order id. */
export type ClientOrderIds = Map<string, number | Set<number>>

/** Returns the slots of the orders with this client order id, oldest first. */
export const find = (ids: ClientOrderIds, clientOrderId: string): Iterable<number> => {
  const found = ids.get(clientOrderId)
  return found === undefined ? [] : typeof found === "number" ? [found] : [...found]
}

/** Adds an order; an order without a client order id is not listed. */
export const add = (ids: ClientOrderIds, clientOrderId: string, slot: number): void => {
  if (clientOrderId === "") return
  const known = ids.get(clientOrderId)
  if (known === undefined) ids.set(clientOrderId, slot)
  else if (typeof known === "number") ids.set(clientOrderId, new Set([known, slot]))
  else known.add(slot)
}

export const remove = (ids: ClientOrderIds, clientOrderId: string, slot: number): void => {
  const known = ids.get(clientOrderId)
  if (known === slot) ids.delete(clientOrderId)
  else if (typeof known === "object" && known.delete(slot) && known.size === 0) ids.delete(clientOrderId)
}
