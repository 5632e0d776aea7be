/** Who may use the operator interface: whoever has its token. Each deed is done in their name. */
import { Operator, OperatorOnly } from "@venue/api/admin/Operator"
import { problems } from "@venue/api/Problem"
import { Effect, Layer, Redacted } from "effect"
import { createHash, timingSafeEqual } from "node:crypto"

export const layer = (baseUrl: string, token: Redacted.Redacted) => {
  const expected = digest(token)
  return Layer.succeed(OperatorOnly, {
    operator: (answer, { credential }) =>
      timingSafeEqual(digest(credential), expected)
        ? Effect.provideService(answer, Operator, { name: "operator" })
        : Effect.fail(problems(baseUrl).credentialsNotAccepted())
  })
}

/** Whoever asks, with the reason they give. */
export const inTheNameOf = (reason: string) => Effect.map(Operator, ({ name }) => ({ actor: name, reason }))

/** Digests are of one length, so that comparing them tells nothing of the token, not even its length. */
const digest = (token: Redacted.Redacted): Uint8Array => createHash("sha256").update(Redacted.value(token)).digest()
