/** CAPTCHA policy for sign-ins: always, never, or after too many attempts from one network, counted over all nodes. */
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { SignInAttempts } from "@venue/storage/access/SignInAttempts"
import { Effect } from "effect"

export type Setting = "always" | "never" | "risk"

export interface CaptchaRule {
  /** Counts a sign-in when it begins, so that concurrent ones count; returns true if a CAPTCHA is needed. */
  readonly begin: (network: string) => Effect.Effect<boolean, DatabaseUnavailable>
  /** Counts a refused sign-in. */
  readonly fail: (network: string) => Effect.Effect<void, DatabaseUnavailable>
}

export const make = (setting: Setting): Effect.Effect<CaptchaRule, never, SignInAttempts> =>
  Effect.map(SignInAttempts, ({ count }) =>
    setting === "risk"
      ? {
          begin: (network) =>
            Effect.map(
              count(network, { signIns: 1, failures: 0 }),
              ({ failures, signIns }) => failures >= maxFailures || signIns > maxSignIns
            ),
          fail: (network) => Effect.asVoid(count(network, { signIns: 0, failures: 1 }))
        }
      : { begin: () => Effect.succeed(setting === "always"), fail: () => Effect.void }
  )

/** Limits without a CAPTCHA: 10 sign-ins or 3 failures per network within 15 minutes of its first attempt. */
const maxSignIns = 10
const maxFailures = 3
