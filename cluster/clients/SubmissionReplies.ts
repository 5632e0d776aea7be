/** Replies to one desk's submissions. Also tracks submissions that might have been executed without a reply. */
import type { UserId } from "@venue/domain/UserId"
import type { Submission, Submitted } from "../protocol/Desk.ts"

export interface Part {
  readonly submission: Submission
  readonly reply: (submitted: Submitted) => void
  readonly isOutstanding: () => boolean
  /** True after a failed call, or if the desk failed after sending the submission to a market. */
  mayBeDone: boolean
  isAnswered: boolean
}

export interface SubmissionReplies {
  /** Counts a submission whose reply is outstanding. */
  readonly expect: (part: Part) => void
  /** Delivers a response. `isLocal` is true for a desk on this node, which fails only together with the caller. */
  readonly deliver: (part: Part, answer: Submitted, isLocal?: boolean) => void
  /** Refuses a submission that will not be sent again, with `DeskUnreachable` if it might have been executed. */
  readonly giveUp: (part: Part, refusal: "AccountLoading" | "DeskOverloaded") => void
  /** Marks a failed call's submissions as possibly executed, and returns them. */
  readonly markUnknown: (parts: ReadonlyArray<Part>) => ReadonlyArray<Part>
  /** Whether the outcome of any submission is unknown. */
  readonly isAnyUnknown: () => boolean
  /** Calls back when all of the user's earlier submissions have replies; immediately if none is outstanding. */
  readonly whenReplied: (userId: UserId, then: () => void) => void
  /** Calls back the waiters whose replies are complete. Called after each call's responses are delivered. */
  readonly callWaiters: () => void
}

/** Creates the replies. `forwarded` receives each submission that a desk on another node has sent to its market. */
export const make = (forwarded: (part: Part) => void): SubmissionReplies => {
  /** Number of submissions without a reply, by user. */
  const unanswered = new Map<UserId, number>()
  let waiters: ReadonlyArray<{ readonly userId: UserId; readonly done: () => void; left: number }> = []
  let unknown = 0

  /** A count suffices to find the waiters that are due, because one user's replies arrive in order. */
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
    if (answer._tag === "HandedOn" && !isLocal) forwarded(part)
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

/** Returns a refusal that comes from this node instead of the desk. */
export const refused = (
  { request }: Submission,
  tag: "AccountLoading" | "DeskOverloaded" | "DeskUnreachable"
): Submitted => ({ _tag: "Refused", commandId: request.commandId.text, refusal: { _tag: tag } })
