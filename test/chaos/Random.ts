/** Seeded random numbers: the same draws in the same order on every run. */

export interface Random {
  /** Returns a number in [0, 1). */
  readonly next: () => number
  readonly between: (least: number, most: number) => number
  readonly whole: (below: number) => number
  readonly pick: <A>(list: ReadonlyArray<A>) => A
  readonly chance: (probability: number) => boolean
}

/** Returns an independent sequence for each name, so that one client's draws do not affect another client's. */
export const make = (seed: number, name: string): Random => {
  let state = seed >>> 0
  for (const letter of name) state = (Math.imul(state ^ letter.charCodeAt(0), 2_654_435_761) + 0x9e3779b9) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (below: number) => Math.floor(next() * below)
  return {
    next,
    between: (least, most) => least + next() * (most - least),
    whole,
    pick: (list) => list[whole(list.length)]!,
    chance: (probability) => next() < probability
  }
}
