/** How many rows of a list may be passed over: whoever wants more reads from the last row on, by time, or all of it at once. */
export const maxOffset = 100_000
