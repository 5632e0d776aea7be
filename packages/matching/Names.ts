/** One account's open orders by client order id, which need not be unique. */
export type Names = Map<string, number | Set<number>>

/** Oldest first. */
export const find = (names: Names, clientOrderId: string): Iterable<number> => {
  const found = names.get(clientOrderId)
  return found === undefined ? [] : typeof found === "number" ? [found] : [...found]
}

/** An order without a client order id has no name. */
export const add = (names: Names, clientOrderId: string, slot: number): void => {
  if (clientOrderId === "") return
  const known = names.get(clientOrderId)
  if (known === undefined) names.set(clientOrderId, slot)
  else if (typeof known === "number") names.set(clientOrderId, new Set([known, slot]))
  else known.add(slot)
}

export const remove = (names: Names, clientOrderId: string, slot: number): void => {
  const known = names.get(clientOrderId)
  if (known === slot) names.delete(clientOrderId)
  else if (typeof known === "object" && known.delete(slot) && known.size === 0) names.delete(clientOrderId)
}
