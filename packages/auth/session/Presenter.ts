/** The presenter of a refresh token, and whether the token is theirs. */
import type { Session } from "@venue/storage/access/Sessions"
import * as Scope from "../oauth/Scope.ts"

export interface Presenter {
  /** An authenticated application; null at the user's own endpoint. */
  readonly clientId: string | null
  /** Whether public clients may omit `apikey` here. */
  readonly allowPublicForm?: boolean
  /** Scope of the new access token, not of the session: the granted scope, or less. */
  readonly scope?: string
}

/**
 * Returns the objection to a presenter: applications may refresh only their own sessions, users theirs, and only
 * within the granted scope.
 */
export const objection = (
  session: Session,
  { allowPublicForm = false, clientId, scope }: Presenter
): "wrong_client" | "invalid_scope" | undefined => {
  const isByForm = clientId === null && session.publicClient && allowPublicForm
  if (session.clientId !== clientId && !isByForm) return "wrong_client"
  return scope === undefined || isWithin(scope, session.scope) ? undefined : "invalid_scope"
}

const isWithin = (requested: string, granted: string | null): boolean =>
  Scope.covers(Scope.list(granted ?? ""), Scope.list(requested))
