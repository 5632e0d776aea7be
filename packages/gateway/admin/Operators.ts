/** Who may use the operator interface: whoever has its token. Each deed is done in their name. */
import { Operator, OperatorOnly } from "@venue/api/admin/Operator"
import { problems } from "@venue/api/Problem"
import { Effect, Layer, Redacted } from "effect"
import { isSameText } from "../SameText.ts"

export const layer = (baseUrl: string, token: Redacted.Redacted) =>
  Layer.succeed(OperatorOnly, {
    operator: (answer, { credential }) =>
      isSameText(Redacted.value(credential), Redacted.value(token))
        ? Effect.provideService(answer, Operator, { name: "operator" })
        : Effect.fail(problems(baseUrl).credentialsNotAccepted())
  })

/** Whoever asks, with the reason they give. */
export const inTheNameOf = (reason: string) => Effect.map(Operator, ({ name }) => ({ actor: name, reason }))
