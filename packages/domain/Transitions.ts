/** Transition of a state machine, such as a deposit or a withdrawal, whose stored row counts its transitions. */

export interface Transition<State, Change> {
  readonly from: State
  /** Tag of the change that makes the transition. */
  readonly change: Change
  readonly to: State
}

/** The part of a row that a transition changes. */
interface Step<State> {
  readonly state: State
  /** Number of the newest transition. */
  readonly step: number
  /** Time of the newest transition, in Unix milliseconds. */
  readonly updatedAtMillis: number
}

export interface Transitions<State, Change> {
  /** Returns the state to which a change leads, or undefined if the change is no transition from this state. */
  readonly stateAfter: (from: State, change: Change) => State | undefined
  /**
   * Returns the members that the transition of a recorded change sets; an empty object if this kind of change never
   * makes a transition. Throws if this kind of change makes transitions, but not from this state.
   */
  readonly stepOf: (
    row: Pick<Step<State>, "state" | "step">,
    change: { readonly _tag: Change; readonly atMillis: number }
  ) => Partial<Step<State>>
}

/** Returns the functions for a table of transitions; `noun` describes the row in the error for an invalid change. */
export const of = <State extends string, Change extends string>(
  noun: string,
  table: ReadonlyArray<Transition<State, Change>>
): Transitions<State, Change> => {
  const stateAfter = (from: State, change: Change): State | undefined =>
    table.find((transition) => transition.from === from && transition.change === change)?.to
  return {
    stateAfter,
    stepOf: ({ state, step }, { _tag, atMillis }) => {
      if (table.every(({ change }) => change !== _tag)) return {}
      const to = stateAfter(state, _tag)
      if (to === undefined) throw new Error(`change ${_tag} is not allowed for a ${noun} in state ${state}`)
      return { state: to, step: step + 1, updatedAtMillis: atMillis }
    }
  }
}
