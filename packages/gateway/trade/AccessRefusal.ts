/** Refusal of a command that the key's permissions or the user's onboarding do not allow. */
import type { ErrorCode } from "@venue/api/ErrorFrame"
import { missingSteps } from "@venue/api/OnboardingSteps"
import { missingFor } from "@venue/auth/access/AccessDecision"
import * as Permission from "@venue/auth/access/Permission"
import type { Missing } from "@venue/domain/Onboarding"
import type { Member } from "./Member.ts"

/** Returns the error frame's code and message, or undefined if the member is allowed to send the action. */
export const accessRefusal = (
  { caller, eligibility }: Member,
  action: Permission.Action
): readonly [code: ErrorCode, message: string] | undefined => {
  if (!Permission.permits(caller, action)) return ["PermissionDenied", notPermitted(action)]
  const missing = missingFor(eligibility, action)
  if (missing.length === 0) return undefined
  if (missing.includes("identity")) return ["KycRequired", steps(missing)]
  if (missing.includes("terms")) return ["TncRequired", steps(missing)]
  return ["PermissionDenied", steps(missing)]
}

const notPermitted = (action: Permission.Action): string => {
  const needed = Permission.ruleOf(action)?.anyOf ?? []
  const lacking = needed.length === 0 ? "" : `: it lacks the permission ${needed.join(" or ")}`
  return `this key is not allowed to send ${action}${lacking}`
}

/** Lists the missing onboarding steps, each with the call that completes it. */
const steps = (missing: ReadonlyArray<Missing>): string =>
  `the user is not allowed to do this yet: ${missingSteps(missing)
    .map(({ message }) => message)
    .join("; ")}`
