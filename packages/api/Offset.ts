/** Maximum offset of a list, in rows. Clients page further by time, or download the whole list. */
export const maxOffset = 100_000
