/** Returns the first reply to a repeated submission. A gateway repeats a submission if the reply did not arrive. */
import type { Submission, Submitted } from "../../../protocol/Desk.ts"

export interface Repeats {
  readonly submit: (submissions: ReadonlyArray<Submission>, nowMillis: number) => ReadonlyArray<Submitted>
}

interface FirstAnswer {
  readonly answer: Submitted
  /** Trader object that replied. Its replies no longer count once it is dropped, because its commands might be lost. */
  readonly holder: unknown
}

/** Replies are kept for one to two times this long; gateways stop retrying earlier. */
const keptMillis = 15_000
/**
 * Maximum number of replies in each of the two generations that are kept. Above it, the oldest replies are dropped,
 * but the market still recognises the command ids.
 */
const maxKept = 32_768

export const make = (
  submit: (submissions: ReadonlyArray<Submission>) => ReadonlyArray<Submitted>,
  holderOf: (submission: Submission) => unknown
): Repeats => {
  let recent = new Map<string, FirstAnswer>()
  let older = new Map<string, FirstAnswer>()
  let rotatedAtMillis = 0
  const firstAnswerTo = (submission: Submission) => {
    const { text } = submission.request.commandId
    const first = recent.get(text) ?? older.get(text)
    return first?.holder === holderOf(submission) ? first?.answer : undefined
  }

  return {
    submit: (submissions, nowMillis) => {
      if (Math.abs(nowMillis - rotatedAtMillis) > keptMillis || recent.size > maxKept) {
        older = recent
        recent = new Map()
        rotatedAtMillis = nowMillis
      }
      const earlier = submissions.map(firstAnswerTo)
      const fresh = submissions.filter((_, index) => earlier[index] === undefined)
      const answers = submit(fresh)
      for (let i = 0; i < fresh.length; i++) {
        // An undecided submission is repeated until it is decided.
        if (!isUndecided(answers[i]!))
          recent.set(answers[i]!.commandId, { answer: answers[i]!, holder: holderOf(fresh[i]!) })
      }
      let next = 0
      return earlier.map((answer) => answer ?? answers[next++]!)
    }
  }
}

/**
 * Whether the desk could not decide yet, because the trader is not loaded or still lacks the list of commands that
 * its former owner sent.
 */
export const isUndecided = (answer: Submitted): boolean =>
  answer._tag === "Refused" && answer.refusal._tag === "AccountLoading"
