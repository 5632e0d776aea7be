/** Who may use the operator interface: whoever has its token. Each deed is done in their name. */
import { Operator, OperatorOnly } from "@venue/api/admin/Operator"
import { problems } from "@venue/api/Problem"
import * as RateLimits from "@venue/domain/RateLimits"
import { Clock, Effect, Layer, Redacted } from "effect"
import * as Refusal from "../http/Refusal.ts"
import { isSameText } from "../http/SameText.ts"

export const layer = (baseUrl: string, token: Redacted.Redacted) =>
  Layer.effect(
    OperatorOnly,
    Effect.map(Clock.Clock, (clock) => {
      const refusals = problems(baseUrl)
      const guesses = RateLimits.make({
        enabled: true,
        nowMillis: () => clock.currentTimeMillisUnsafe(),
        capacity: guessesAtOnce,
        refillMillis: guessesAtOnce * guessMillis
      })
      /**
       * Everybody here comes from this machine, so guesses are counted together and the right token is not among them:
       * however many a stranger sends, the operator is let in at once, and hardly more guesses than a second has wait.
       */
      const wrong = Refusal.spend(refusals, guesses, "a guess", 1).pipe(
        Effect.andThen(Effect.sleep(guessMillis)),
        Effect.andThen(Effect.fail(refusals.credentialsNotAccepted()))
      )
      return OperatorOnly.of({
        operator: (answer, { credential }) =>
          isSameText(Redacted.value(credential), Redacted.value(token))
            ? Effect.provideService(answer, Operator, { name: "operator" })
            : wrong
      })
    })
  )

/** A wrong token is answered after so long, and as often, but for the first few. */
const guessMillis = 1_000
const guessesAtOnce = 10

/** Whoever asks, with the reason they give. */
export const inTheNameOf = (reason: string) => Effect.map(Operator, ({ name }) => ({ actor: name, reason }))
