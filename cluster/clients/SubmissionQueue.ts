/**
 * What a node has for one desk: it leaves in its order, and again with its ids until the desk answers or its expiry is past.
 * Only then is it unknown whether it was done. A desk that has handed something on may die before the market has it, so that
 * goes again too until its outcome is known: before what came after it where a call failed, and else after a second.
 * What the desk cannot decide yet waits with all else of its user, and of nobody else.
 */
import type { UserId } from "@venue/domain/UserId"
import type { Submission, Submitted } from "../protocol/Desk.ts"
import * as AwaitedOutcomes from "./AwaitedOutcomes.ts"
import * as Batcher from "./Batcher.ts"
import * as LoadingTraders from "./LoadingTraders.ts"
import { type Part, refused } from "./SubmissionReplies.ts"
import * as SubmissionReplies from "./SubmissionReplies.ts"

export interface SubmissionQueue {
  /**
   * `reply` comes once, in this turn or a later one, and once more where a later desk says otherwise of what was handed on.
   * As long as the outcome `isOutstanding`, what was handed on goes again; unless told, it does not.
   */
  readonly push: (submission: Submission, reply: (submitted: Submitted) => void, isOutstanding?: () => boolean) => void
  /** Calls back once all that was pushed so far of this user has its reply: at once when it has. */
  readonly whenReplied: (userId: UserId, then: () => void) => void
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

export const make = ({ call, gather, nowMillis, sleep }: Options): SubmissionQueue => {
  /** So many calls in a row were not answered; 0 nearly always, and then nothing of this costs anything. */
  let failures = 0
  const replies = SubmissionReplies.make((part) => awaited.add(part))
  const { giveUp, lost } = replies

  const awaited = AwaitedOutcomes.make<Part>({
    isAwaited: ({ isOutstanding, submission }) => nowMillis() <= submission.request.expiresAtMillis && isOutstanding(),
    overdue: (part) => lost([part]).forEach(again),
    sleep,
    nowMillis
  })
  /** Past its expiry no market does it any more, and it is not sent again. */
  const isInTime = (part: Part) => {
    const isIt = nowMillis() <= part.submission.request.expiresAtMillis
    if (!isIt) giveUp(part, "AccountLoading")
    return isIt
  }
  /** `done` is called once, with those the desk could not decide yet, or with undefined when it did not answer. */
  const ask = (parts: ReadonlyArray<Part>, done: (left: ReadonlyArray<Part> | undefined) => void) => {
    const finish = (answers: ReadonlyArray<Submitted> | undefined, here = false) => {
      done(answers && undecided(parts, answers, (part, answer) => replies.tell(part, answer, here)))
      replies.tellWaiters()
    }
    if (parts.length === 0) return finish([])
    const submissions = parts.map(({ submission }) => submission)
    call(submissions, replies.isAnyUnknown(), finish)
  }
  const isLoading = ({ submission }: Part) => loading.has(submission.userId)
  const isNotLoading = (part: Part) => !isLoading(part)
  const enqueue = (part: Part) => (isLoading(part) ? loading.add(part) : batcher.push(part))
  const again = (part: Part) => {
    if (!enqueue(part)) giveUp(part, "DeskOverloaded")
  }
  const waitForTrader = (part: Part) => {
    if (!loading.add(part)) giveUp(part, "DeskOverloaded")
  }

  const batcher = Batcher.make<Part>({
    send: (all, done) => {
      const parts = failures === 0 ? all : all.filter(isInTime)
      ask(parts, (left) => {
        failures = left === undefined ? failures + 1 : 0
        if (left === undefined) {
          const unanswered = lost([...awaited.takeAll(), ...parts])
          unanswered.filter(isLoading).forEach(waitForTrader)
          return done(false, unanswered.filter(isNotLoading))
        }
        left.forEach(waitForTrader)
        // What came for them meanwhile follows it.
        if (left.length > 0) batcher.takeOut(isLoading).forEach(waitForTrader)
        done(true)
      })
    },
    gather,
    pause: (then) => sleep(pauseMillis(failures), then)
  })
  const loading = LoadingTraders.make<Part>({
    userOf: ({ submission }) => submission.userId,
    isRepeat: ({ isTold }) => isTold,
    send: (all, done) => {
      const parts = all.filter(isInTime)
      ask(parts, (left) => {
        if (left !== undefined) return done(new Set(left))
        lost(awaited.takeAll(isLoading)).forEach(waitForTrader)
        done(new Set(lost(parts)))
      })
    },
    loaded: (parts) => parts.forEach(again),
    pause: (tries, then) => sleep(pauseMillis(tries), then)
  })
  return {
    push: (submission, reply, isOutstanding = never) => {
      const part: Part = { submission, reply, isOutstanding, mayBeDone: false, isTold: false }
      if (enqueue(part)) replies.expect(part)
      else reply(refused(submission, "DeskOverloaded"))
    },
    whenReplied: replies.whenReplied
  }
}

/** Tells the answers. Those the desk could not decide yet are left. */
const undecided = (
  parts: ReadonlyArray<Part>,
  answers: ReadonlyArray<Submitted>,
  tell: (part: Part, answer: Submitted) => void
): ReadonlyArray<Part> => {
  const left: Array<Part> = []
  for (let i = 0; i < parts.length; i++) {
    const [answer, part] = [answers[i]!, parts[i]!]
    if (answer._tag === "Refused" && answer.refusal._tag === "AccountLoading") left.push(part)
    else tell(part, answer)
  }
  return left
}

/** What was not answered is sent again after so long, which doubles with each time in a row. */
const firstPauseMillis = 50
const longestPauseMillis = 250
const pauseMillis = (tries: number) => Math.min(firstPauseMillis * 2 ** (tries - 1), longestPauseMillis)
const never = () => false
