/** Past values of accounts, by stream row, kept while comparisons need them. Values are replaced, never changed. */

export interface Versions<State> {
  readonly current: Map<string, State>
  /** An account's values before the rows that changed them, oldest first. */
  readonly before: Map<string, Array<readonly [seq: number, state: State | undefined]>>
  /** First row whose values are known. */
  knownFrom: number
}

export const make = <State>(): Versions<State> => ({ current: new Map(), before: new Map(), knownFrom: 0 })

export const set = <State>(versions: Versions<State>, account: string, state: State, seq: number): void => {
  const was = versions.current.get(account)
  versions.current.set(account, state)
  let changes = versions.before.get(account)
  if (changes === undefined) versions.before.set(account, (changes = []))
  // The first change in a row records the value before the row.
  if (changes.at(-1)?.[0] !== seq) changes.push([seq, was])
}

/** Returns the value after row `seq`, or undefined for an account without changes. */
export const asOf = <State>({ before, current }: Versions<State>, account: string, seq: number): State | undefined => {
  const changes = before.get(account)
  let state = current.get(account)
  if (changes === undefined) return state
  for (let last = changes.length - 1; last >= 0 && changes[last]![0] > seq; last--) state = changes[last]![1]
  return state
}

export const isKnown = <State>({ knownFrom }: Versions<State>, seq: number): boolean => seq >= knownFrom

export const forget = <State>(versions: Versions<State>, knownFrom: number): void => {
  if (knownFrom <= versions.knownFrom) return
  versions.knownFrom = knownFrom
  for (const [account, changes] of versions.before) {
    const kept = changes.findIndex(([seq]) => seq > knownFrom)
    if (kept < 0) versions.before.delete(account)
    else if (kept > 0) changes.splice(0, kept)
  }
}
