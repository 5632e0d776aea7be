/** The caller who presents a refresh token, and the check that the token belongs to that caller. */
import type { Session } from "@venue/storage/access/Sessions"
import * as Scope from "../oauth/Scope.ts"

export interface Presenter {
  /** Id of an authenticated application; null at the endpoint for the user's own sessions. */
  readonly clientId: string | null
  /** Whether public clients are allowed to omit `apikey` at this endpoint. */
  readonly allowPublicForm?: boolean
  /** Scope of the new access token, within the session's scope. The session's own scope does not change. */
  readonly scope?: string
}

/**
 * Returns why a caller must not refresh a session, or undefined if the caller is allowed to. An application can
 * refresh only its own sessions, a user only the user's own sessions, and both only within the granted scope.
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
