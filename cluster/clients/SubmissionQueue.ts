/**
 * Submissions from one node to one desk, sent in order and repeated with the same ids until the desk responds or they
 * expire. A desk might fail after it has sent a submission to its market and before the market has recorded it. The
 * submission is therefore repeated until its outcome is known: after a failed call ahead of later submissions,
 * otherwise after 1 s. If it expires first, its outcome is unknown. Submissions for a trader that the desk is still
 * loading do not delay other users' submissions.
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
   * Queues a submission and calls `reply` once, immediately or later. Calls `reply` again if the desk sent the
   * submission to its market and a later owner of the desk refuses it. A submission that was sent to its market is
   * sent again only while `isOutstanding` returns true (by default, never).
   */
  readonly push: (submission: Submission, reply: (submitted: Submitted) => void, isOutstanding?: () => boolean) => void
  /** Calls back when all of the user's earlier submissions have replies; immediately if none is outstanding. */
  readonly whenReplied: (userId: UserId, then: () => void) => void
  /** Returns the number of submissions that are queued or in flight, without those for traders that are loading. */
  readonly size: () => number
}

export interface Options {
  /**
   * Calls the desk. `done` receives one response per submission in order, or undefined if the outcome is unknown.
   * `isRepeated` is true if a submission might have been executed before, so that the desk must look up its first
   * response. `isLocal` is true for a desk on this node, which fails only together with this queue.
   */
  readonly call: (
    submissions: ReadonlyArray<Submission>,
    isRepeated: boolean,
    done: (answers: ReadonlyArray<Submitted> | undefined, isLocal?: boolean) => void
  ) => void
  /** Delays the first batch, so that later submissions join it. */
  readonly gather: (send: () => void) => void
  readonly sleep: (millis: number, then: () => void) => void
  readonly nowMillis: () => number
  /** Called for each submission that is refused because the queue is full. */
  readonly overloaded: () => void
}

export const make = ({ call, gather, nowMillis, overloaded, sleep }: Options): SubmissionQueue => {
  /** Number of consecutive calls without a response. While it is 0, the hot path skips the expiry check. */
  let failures = 0
  const replies = SubmissionReplies.make((part) => awaited.add(part))
  const { giveUp, markUnknown } = replies

  const awaited = AwaitedOutcomes.make<Part>({
    isAwaited: ({ isOutstanding, submission }) => nowMillis() <= submission.request.expiresAtMillis && isOutstanding(),
    overdue: (part) => markUnknown([part]).forEach(again),
    sleep,
    nowMillis
  })
  /** Returns true if the submission has not expired. Otherwise refuses it, because no market would accept it. */
  const isInTime = (part: Part) => {
    const isCurrent = nowMillis() <= part.submission.request.expiresAtMillis
    if (!isCurrent) giveUp(part, "AccountLoading")
    return isCurrent
  }
  /** Calls `done` once with the submissions that are not decided yet, or with undefined if the desk did not respond. */
  const send = (parts: ReadonlyArray<Part>, done: (left: ReadonlyArray<Part> | undefined) => void) => {
    const finish = (answers: ReadonlyArray<Submitted> | undefined, isLocal = false) => {
      done(answers && undecided(parts, answers, (part, answer) => replies.deliver(part, answer, isLocal)))
      replies.callWaiters()
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
      send(parts, (left) => {
        failures = left === undefined ? failures + 1 : 0
        if (left === undefined) {
          const unanswered = markUnknown([...awaited.takeAll(), ...parts])
          unanswered.filter(isLoading).forEach(waitForTrader)
          return done(false, unanswered.filter(isNotLoading))
        }
        left.forEach(waitForTrader)
        // Later submissions from the same users wait behind the undecided ones.
        if (left.length > 0) batcher.takeOut(isLoading).forEach(waitForTrader)
        done(true)
      })
    },
    gather,
    pause: (then) => sleep(pauseMillis(failures), then)
  })
  const loading = LoadingTraders.make<Part>({
    userOf: ({ submission }) => submission.userId,
    isRepeat: ({ isAnswered }) => isAnswered,
    send: (all, done) => {
      const parts = all.filter(isInTime)
      send(parts, (left) => {
        if (left !== undefined) return done(new Set(left))
        markUnknown(awaited.takeAll(isLoading)).forEach(waitForTrader)
        done(new Set(markUnknown(parts)))
      })
    },
    loaded: (parts) => parts.forEach(again),
    pause: (tries, then) => sleep(pauseMillis(tries), then)
  })
  return {
    push: (submission, reply, isOutstanding = never) => {
      const part: Part = { submission, reply, isOutstanding, mayBeDone: false, isAnswered: false }
      if (enqueue(part)) replies.expect(part)
      else {
        overloaded()
        reply(refused(submission, "DeskOverloaded"))
      }
    },
    whenReplied: replies.whenReplied,
    size: batcher.size
  }
}

/** Delivers the responses. Returns the submissions that the desk could not decide yet. */
const undecided = (
  parts: ReadonlyArray<Part>,
  answers: ReadonlyArray<Submitted>,
  deliver: (part: Part, answer: Submitted) => void
): ReadonlyArray<Part> => {
  const left: Array<Part> = []
  for (let i = 0; i < parts.length; i++) {
    const [answer, part] = [answers[i]!, parts[i]!]
    if (answer._tag === "Refused" && answer.refusal._tag === "AccountLoading") left.push(part)
    else deliver(part, answer)
  }
  return left
}

/** Backoff after a call without a response, doubled with each consecutive failure up to `longestPauseMillis`. */
const firstPauseMillis = 50
const longestPauseMillis = 250
const pauseMillis = (tries: number) => Math.min(firstPauseMillis * 2 ** (tries - 1), longestPauseMillis)
const never = () => false
