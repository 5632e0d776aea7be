/** Submissions that come again, since a gateway or the cluster did not get the answer: they get the first one. */
import type { Submission, Submitted } from "../../../protocol/Desk.ts"

export interface Repeats {
  readonly submit: (submissions: ReadonlyArray<Submission>, nowMillis: number) => ReadonlyArray<Submitted>
}

interface Given {
  readonly answer: Submitted
  /** Whoever held the trader then: what was handed on by one that is gone may have been dropped on its way. */
  readonly holder: unknown
}

/** Answers are kept for one to two of these; no gateway repeats for longer. */
const keptMillis = 15_000
/** So many at most are kept twice; beyond it the oldest go sooner, and their markets know what was done. */
const maxKept = 32_768

export const make = (
  submit: (submissions: ReadonlyArray<Submission>) => ReadonlyArray<Submitted>,
  holderOf: (submission: Submission) => unknown
): Repeats => {
  let recent = new Map<string, Given>()
  let older = new Map<string, Given>()
  let turnedAtMillis = 0
  const givenTo = (submission: Submission) => {
    const { text } = submission.request.commandId
    const given = recent.get(text) ?? older.get(text)
    return given?.holder === holderOf(submission) ? given?.answer : undefined
  }

  return {
    submit: (submissions, nowMillis) => {
      if (Math.abs(nowMillis - turnedAtMillis) > keptMillis || recent.size > maxKept) {
        older = recent
        recent = new Map()
        turnedAtMillis = nowMillis
      }
      const given = submissions.map(givenTo)
      const fresh = submissions.filter((_, index) => given[index] === undefined)
      const answers = submit(fresh)
      for (let i = 0; i < fresh.length; i++) {
        // It comes again until it is decided.
        if (!isUndecided(answers[i]!))
          recent.set(answers[i]!.commandId, { answer: answers[i]!, holder: holderOf(fresh[i]!) })
      }
      let next = 0
      return given.map((answer) => answer ?? answers[next++]!)
    }
  }
}

/** Its trader is not here, or does not know yet what a former owner did of it. */
export const isUndecided = (answer: Submitted): boolean =>
  answer._tag === "Refused" && answer.refusal._tag === "AccountLoading"
