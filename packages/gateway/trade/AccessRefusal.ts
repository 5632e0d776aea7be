/** Says why a member may not send a command, in the words of the error frame. */
import type { ErrorCode } from "@venue/api/ErrorFrame"
import { missingFor } from "@venue/auth/access/AccessDecision"
import * as Permission from "@venue/auth/access/Permission"
import type { Member } from "./Member.ts"

export const accessRefusal = (
  { caller, eligibility }: Member,
  action: Permission.Action
): readonly [code: ErrorCode, message: string] | undefined => {
  if (!Permission.permits(caller, action)) return ["PermissionDenied", `this key may not send ${action}`]
  const missing = missingFor(eligibility, action)
  if (missing.length === 0) return undefined
  if (missing.includes("identity")) return ["KycRequired", "the identity of the user is not verified"]
  if (missing.includes("terms")) return ["TncRequired", "the user has not accepted the current terms"]
  return ["PermissionDenied", `the user may not do this: ${missing.join(", ")}`]
}
