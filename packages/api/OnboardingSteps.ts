/** Missing steps of onboarding and the call that completes each. */
import type { Missing } from "@venue/domain/Onboarding"

/** Returns one entry per step: the name that `GET /user/onboarding` lists, and the call that completes the step. */
export const missingSteps = (
  missing: ReadonlyArray<Missing>
): ReadonlyArray<{ readonly location: string; readonly message: string }> =>
  missing.map((step) => ({ location: `onboarding.${step}`, message: `${step}: ${steps[step]}` }))

const steps: Readonly<Record<Missing, string>> = {
  identity: "verify your identity with POST /user/verification of the REST interface",
  terms:
    "accept the current terms with POST /user/terms of the REST interface; GET /user/onboarding returns their version",
  region: "the venue does not serve the country of your verified identity or of your connection; ask the operator",
  second_factor: "enrol a second factor with POST /auth/v1/factors and sign in with it",
  frozen: "the operator has frozen the account; ask the operator for the reason"
}
