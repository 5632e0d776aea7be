/** Time without an acknowledgement around a disaster. */

export interface Acknowledgement {
  /** Time of arrival in milliseconds. */
  readonly at: number
  readonly symbol: string
  readonly orderId: string
}

export interface Silence {
  /** Longest time between two acknowledgements of any market, in milliseconds. */
  readonly ofVenue: number
  /** Longest time between two acknowledgements of the same market, in milliseconds. */
  readonly ofMarket: number
}

/**
 * Returns the longest times without an acknowledgement that end after `since`. Acknowledgements that were on their way at
 * that time arrive a moment later, so the first one after it does not end the silence.
 */
export const silenceOf = (acknowledgements: ReadonlyArray<Acknowledgement>, since: number): Silence => {
  const bySymbol = Map.groupBy(acknowledgements, ({ symbol }) => symbol)
  return {
    ofVenue: longest(acknowledgements, since),
    ofMarket: Math.max(0, ...[...bySymbol.values()].map((ofMarket) => longest(ofMarket, since)))
  }
}

const longest = (acknowledgements: ReadonlyArray<Acknowledgement>, since: number): number =>
  acknowledgements.reduce((most, { at }, index) => {
    const before = acknowledgements[index - 1]
    return before === undefined || at <= since ? most : Math.max(most, at - before.at)
  }, 0)
