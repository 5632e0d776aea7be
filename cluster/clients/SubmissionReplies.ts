/** What was submitted to one desk and has its reply, or may have been done all the same. */
import type { UserId } from "@venue/domain/UserId"
import type { Submission, Submitted } from "../protocol/Desk.ts"

export interface Part {
  readonly submission: Submission
  readonly reply: (submitted: Submitted) => void
  readonly isOutstanding: () => boolean
  /** A call that had it in it did not answer, or it was handed on. */
  mayBeDone: boolean
  /** It has its reply. */
  isTold: boolean
}

export interface SubmissionReplies {
  /** It is to have its reply. */
  readonly expect: (part: Part) => void
  /** A desk that is `here` does not die before whoever asks it. */
  readonly tell: (part: Part, answer: Submitted, here?: boolean) => void
  /** It is not asked any more, and nobody has decided it. */
  readonly giveUp: (part: Part, refusal: "AccountLoading" | "DeskOverloaded") => void
  /** Nobody knows what the desk did of them. */
  readonly lost: (parts: ReadonlyArray<Part>) => ReadonlyArray<Part>
  /** Whether some of those without a reply may have been done. */
  readonly isAnyUnknown: () => boolean
  readonly whenReplied: (userId: UserId, then: () => void) => void
  /** All that one call answered has been told. */
  readonly tellWaiters: () => void
}

export const make = (handedOn: (part: Part) => void): SubmissionReplies => {
  /** So many of each user's have no reply yet. */
  const unanswered = new Map<UserId, number>()
  let waiters: ReadonlyArray<{ readonly userId: UserId; readonly done: () => void; left: number }> = []
  let unknown = 0

  /** A user's replies come in the order in which they were pushed. */
  const answered = (userId: UserId) => {
    const left = unanswered.get(userId)! - 1
    if (left === 0) unanswered.delete(userId)
    else unanswered.set(userId, left)
    for (const waiter of waiters) if (waiter.userId === userId) waiter.left--
  }

  const tell = (part: Part, answer: Submitted, here = true) => {
    if (part.mayBeDone) unknown--
    part.mayBeDone = false
    const isNews = !part.isTold
    part.isTold = true
    if (isNews) answered(part.submission.userId)
    if (answer._tag === "HandedOn" && !here) handedOn(part)
    if (isNews || (answer._tag !== "HandedOn" && part.isOutstanding())) part.reply(answer)
  }
  return {
    tell,
    expect: ({ submission: { userId } }) => void unanswered.set(userId, (unanswered.get(userId) ?? 0) + 1),
    giveUp: (part, refusal) => tell(part, refused(part.submission, part.mayBeDone ? "DeskUnreachable" : refusal)),
    lost: (parts) => {
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
    tellWaiters: () => {
      if (waiters.length === 0) return
      const due = waiters.filter(({ left }) => left <= 0)
      waiters = waiters.filter(({ left }) => left > 0)
      for (const { done } of due) done()
    }
  }
}

export const refused = (
  { request }: Submission,
  tag: "AccountLoading" | "DeskOverloaded" | "DeskUnreachable"
): Submitted => ({ _tag: "Refused", commandId: request.commandId.text, refusal: { _tag: tag } })
