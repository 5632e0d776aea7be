/** Maximum offset of a list, in rows. To read further, clients filter by time or download the whole list. */
export const maxOffset = 100_000
