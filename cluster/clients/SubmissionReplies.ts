/** Replies to the submissions of one desk, and which of the submissions may have been executed without a reply. */
import type { UserId } from "@venue/domain/UserId"
import type { Submission, Submitted } from "../protocol/Desk.ts"

/** A queued submission and the state of its reply. */
export interface Part {
  readonly submission: Submission
  readonly reply: (submitted: Submitted) => void
  readonly isOutstanding: () => boolean
  /** Whether it may have been executed: a call with it failed, or a desk handed it on and then failed. */
  mayBeDone: boolean
  isAnswered: boolean
}

export interface SubmissionReplies {
  /** Counts a submission whose reply is outstanding. */
  readonly expect: (part: Part) => void
  /** Delivers an answer. `isLocal`: the desk is on this node and cannot fail before the caller does. */
  readonly deliver: (part: Part, answer: Submitted, isLocal?: boolean) => void
  /** Answers with a refusal because it is not sent again; the refusal is `DeskUnreachable` if it may have been executed. */
  readonly giveUp: (part: Part, refusal: "AccountLoading" | "DeskOverloaded") => void
  /** Marks parts whose call failed, and returns them. */
  readonly markUnknown: (parts: ReadonlyArray<Part>) => ReadonlyArray<Part>
  /** Whether the outcome of some part is unknown. */
  readonly isAnyUnknown: () => boolean
  /** Calls back when every earlier submission of the user has its reply; at once if there is none. */
  readonly whenReplied: (userId: UserId, then: () => void) => void
  /** Calls back the waiters whose replies are complete. Called after each call's answers are delivered. */
  readonly callWaiters: () => void
}

/** `handedOn` receives each part that a desk of another node has handed on to its market. */
export const make = (handedOn: (part: Part) => void): SubmissionReplies => {
  /** Number of submissions without a reply, by user. */
  const unanswered = new Map<UserId, number>()
  let waiters: ReadonlyArray<{ readonly userId: UserId; readonly done: () => void; left: number }> = []
  let unknown = 0

  /** Replies of one user come in the order of submission, so a count is enough to find the waiters that are due. */
  const answered = (userId: UserId) => {
    const left = unanswered.get(userId)! - 1
    if (left === 0) unanswered.delete(userId)
    else unanswered.set(userId, left)
    for (const waiter of waiters) if (waiter.userId === userId) waiter.left--
  }

  const deliver = (part: Part, answer: Submitted, isLocal = true) => {
    if (part.mayBeDone) unknown--
    part.mayBeDone = false
    const isFirst = !part.isAnswered
    part.isAnswered = true
    if (isFirst) answered(part.submission.userId)
    if (answer._tag === "HandedOn" && !isLocal) handedOn(part)
    if (isFirst || (answer._tag !== "HandedOn" && part.isOutstanding())) part.reply(answer)
  }
  return {
    deliver,
    expect: ({ submission: { userId } }) => void unanswered.set(userId, (unanswered.get(userId) ?? 0) + 1),
    giveUp: (part, refusal) => deliver(part, refused(part.submission, part.mayBeDone ? "DeskUnreachable" : refusal)),
    markUnknown: (parts) => {
      for (const part of parts) {
        if (!part.mayBeDone) unknown++
        part.mayBeDone = true
      }
      return parts
    },
    isAnyUnknown: () => unknown > 0,
    whenReplied: (userId, then) => {
      const left = unanswered.get(userId)
      if (left === undefined) then()
      else waiters = [...waiters, { userId, done: then, left }]
    },
    callWaiters: () => {
      if (waiters.length === 0) return
      const due = waiters.filter(({ left }) => left <= 0)
      waiters = waiters.filter(({ left }) => left > 0)
      for (const { done } of due) done()
    }
  }
}

/** Returns a refusal by this node rather than by the desk. */
export const refused = (
  { request }: Submission,
  tag: "AccountLoading" | "DeskOverloaded" | "DeskUnreachable"
): Submitted => ({ _tag: "Refused", commandId: request.commandId.text, refusal: { _tag: tag } })
