/**
 * What a node has for one desk: it leaves in its order, and again with its ids until the desk answers or its expiry is past.
 * Only then is it unknown whether it was done. A desk that has handed something on may die before the market has it, so that
 * goes again too until its outcome is known: before what came after it where a call failed, and else after a second.
 */
import type { SubmitRefusal } from "@venue/domain/SubmitRefusal"
import type { Submission, Submitted } from "../protocol/Desk.ts"
import * as AwaitedOutcomes from "./AwaitedOutcomes.ts"
import * as Batcher from "./Batcher.ts"

export interface SubmissionQueue {
  /**
   * `reply` comes once, in this turn or a later one, and once more where a later desk says otherwise of what was handed on.
   * As long as the outcome `isOutstanding`, what was handed on goes again; unless told, it does not.
   */
  readonly push: (submission: Submission, reply: (submitted: Submitted) => void, isOutstanding?: () => boolean) => void
  /** Calls back once all that was pushed so far has its reply: at once when it has. */
  readonly whenReplied: (then: () => void) => void
}

export interface Options {
  /**
   * Asks the desk: `done` with an answer to each in order, or with undefined when what it did is not known. What `isRepeated`
   * may have been done, so the desk has to look whether it was. A desk that is `here` does not die before this queue.
   */
  readonly call: (
    submissions: ReadonlyArray<Submission>,
    isRepeated: boolean,
    done: (answers: ReadonlyArray<Submitted> | undefined, here?: boolean) => void
  ) => void
  readonly gather: (send: () => void) => void
  readonly sleep: (millis: number, then: () => void) => void
  readonly nowMillis: () => number
}

interface Part {
  readonly submission: Submission
  readonly reply: (submitted: Submitted) => void
  readonly isOutstanding: () => boolean
  /** A call that had it in it did not answer, or it was handed on. */
  mayBeDone: boolean
  /** It has its reply. */
  isTold: boolean
}

export const make = ({ call, gather, nowMillis, sleep }: Options): SubmissionQueue => {
  /** Submissions that were pushed, and that have their reply. */
  let pushed = 0
  let replied = 0
  let waiters: ReadonlyArray<{ readonly after: number; readonly tell: () => void }> = []
  /** So many of those without a reply may have been done. */
  let unknown = 0
  /** So many calls in a row were not answered in full; 0 nearly always, and then nothing of this costs anything. */
  let failures = 0

  const tellWaiters = () => {
    const due = waiters.filter(({ after }) => after <= replied)
    waiters = waiters.filter(({ after }) => after > replied)
    for (const { tell } of due) tell()
  }
  const tell = (part: Part, answer: Submitted, here = true) => {
    if (part.mayBeDone) unknown--
    part.mayBeDone = false
    const isNews = !part.isTold
    part.isTold = true
    if (isNews) replied++
    if (answer._tag === "HandedOn" && !here) awaited.add(part)
    if (isNews || (answer._tag !== "HandedOn" && part.isOutstanding())) part.reply(answer)
  }
  const awaited = AwaitedOutcomes.make<Part>({
    isAwaited: ({ isOutstanding, submission }) => nowMillis() <= submission.request.expiresAtMillis && isOutstanding(),
    overdue: (part) => void batcher.push(lost([part])[0]!),
    sleep,
    nowMillis
  })
  /** Past its expiry no market does it any more, and it is not sent again. */
  const isInTime = (part: Part) => {
    if (nowMillis() <= part.submission.request.expiresAtMillis) return true
    tell(part, refused(part.submission, { _tag: part.mayBeDone ? "DeskUnreachable" : "AccountLoading" }))
    return false
  }
  /** Nobody knows what the desk did of it. */
  const lost = (parts: ReadonlyArray<Part>) => {
    for (const part of parts) {
      if (!part.mayBeDone) unknown++
      part.mayBeDone = true
    }
    return parts
  }
  /** Tells the answers. Those the desk could not decide yet are left. */
  const take = (parts: ReadonlyArray<Part>, answers: ReadonlyArray<Submitted>, here: boolean) => {
    const left: Array<Part> = []
    for (let i = 0; i < parts.length; i++) {
      const [answer, part] = [answers[i]!, parts[i]!]
      if (answer._tag === "Refused" && answer.refusal._tag === "AccountLoading") left.push(part)
      else tell(part, answer, here)
    }
    return left
  }

  const batcher = Batcher.make<Part>({
    send: (all, done) => {
      const parts = failures === 0 ? all : all.filter(isInTime)
      const finish = (left: ReadonlyArray<Part>) => {
        failures = left.length === 0 ? 0 : failures + 1
        done(left.length === 0, left)
        if (waiters.length > 0) tellWaiters()
      }
      if (parts.length === 0) return finish([])
      call(
        parts.map(({ submission }) => submission),
        unknown > 0,
        (answers, here = false) =>
          finish(answers === undefined ? lost([...awaited.takeAll(), ...parts]) : take(parts, answers, here))
      )
    },
    gather,
    pause: (again) => sleep(Math.min(firstPauseMillis * 2 ** (failures - 1), longestPauseMillis), again)
  })
  return {
    push: (submission, reply, isOutstanding = never) => {
      if (batcher.push({ submission, reply, isOutstanding, mayBeDone: false, isTold: false })) pushed++
      else reply(refused(submission, { _tag: "DeskOverloaded" }))
    },
    whenReplied: (then) => {
      if (pushed === replied) then()
      else waiters = [...waiters, { after: pushed, tell: then }]
    }
  }
}

const refused = ({ request }: Submission, refusal: SubmitRefusal): Submitted => ({
  _tag: "Refused",
  commandId: request.commandId.text,
  refusal
})

/** What was not answered is sent again after so long, which doubles with each time in a row. */
const firstPauseMillis = 50
const longestPauseMillis = 250
const never = () => false
