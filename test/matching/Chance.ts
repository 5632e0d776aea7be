/** Seeded random numbers that are the same on every machine. */

export interface Chance {
  /** Returns an integer from `from` to `to`, both included. */
  readonly whole: (from: number, to: number) => number
  readonly percent: (percent: number) => boolean
  readonly pick: <A>(...choices: ReadonlyArray<A>) => A
}

/** A small generator of good quality (mulberry32). */
export const chanceOf = (seed: number): Chance => {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1))
  return {
    whole,
    percent: (percent) => next() * 100 < percent,
    pick: (...choices) => choices[whole(0, choices.length - 1)]!
  }
}
