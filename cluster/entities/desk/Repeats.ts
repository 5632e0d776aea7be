/** Submissions that come a second time, since the cluster sends a call again after a broken connection: they get the first answer. */
import type { Submission, Submitted } from "../../protocol/Desk.ts"

export interface Repeats {
  readonly submit: (submissions: ReadonlyArray<Submission>, nowMillis: number) => ReadonlyArray<Submitted>
}

/** Answers are kept for one to two of these; a caller gives up its call in less. */
const keptMillis = 5_000

export const make = (submit: (submissions: ReadonlyArray<Submission>) => ReadonlyArray<Submitted>): Repeats => {
  let recent = new Map<string, Submitted>()
  let older = new Map<string, Submitted>()
  let turnedAtMillis = 0
  const answerOf = ({ request: { commandId } }: Submission) => recent.get(commandId.text) ?? older.get(commandId.text)

  return {
    submit: (submissions, nowMillis) => {
      if (Math.abs(nowMillis - turnedAtMillis) > keptMillis) {
        older = recent
        recent = new Map()
        turnedAtMillis = nowMillis
      }
      const answers = submit(submissions.filter((submission) => answerOf(submission) === undefined))
      for (const answer of answers) recent.set(answer.commandId, answer)
      return submissions.map((submission) => answerOf(submission)!)
    }
  }
}
