/** Who shows a refresh token, and whether it is theirs to show. */
import type { Session } from "@venue/storage/access/Sessions"
import * as Scope from "../oauth/Scope.ts"

export interface Presenter {
  /** An application that has proven itself; null for the user's own endpoint. */
  readonly clientId: string | null
  /** Whether there a public application may go without saying who it is. */
  readonly allowPublicForm?: boolean
  /** The new access token gets it, not the session: what was granted, or less. */
  readonly scope?: string
}

/** An application has its own sessions and no others, the user has theirs, and nobody more than was granted. */
export const objection = (
  session: Session,
  { allowPublicForm = false, clientId, scope }: Presenter
): "wrong_client" | "invalid_scope" | undefined => {
  const isByForm = clientId === null && session.publicClient && allowPublicForm
  if (session.clientId !== clientId && !isByForm) return "wrong_client"
  return scope === undefined || isWithin(scope, session.scope) ? undefined : "invalid_scope"
}

const isWithin = (asked: string, granted: string | null): boolean =>
  Scope.covers(Scope.list(granted ?? ""), Scope.list(asked))
