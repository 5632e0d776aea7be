/** Contract walk through the document of the treasury interface, as for REST. */
import { TreasuryApi } from "@venue/api/treasury/Api"
import { Hmac } from "@venue/auth/access/Hmac"
import { Bearers } from "@venue/auth/session/Bearers"
import { routesOf } from "@venue/gateway/http/Gate"
import { Health } from "@venue/gateway/http/Health"
import * as TreasuryServer from "@venue/gateway/treasury/TreasuryServer"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { TestVenue } from "@venue/testing/TestVenue"
import { WebhookEvent } from "@venue/domain/Webhook"
import { bodyOf } from "@venue/providers/webhooks/WebhookBody"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { credited, settled } from "../../providers/webhooks/Message.ts"
import { treasury } from "../rest/contract/Operations.ts"
import { Scene } from "../rest/contract/Scene.ts"
import { walk } from "../rest/contract/Walk.ts"
import { metBy } from "../rest/contract/ProblemPages.ts"
import { provocations } from "./Provocations.ts"
import { layer, options } from "./TreasuryClient.ts"

const gone = () => Effect.fail(new DatabaseUnavailable({ cause: "a test" }))

const scene = Layer.effect(
  Scene,
  Effect.gen(function* () {
    const venue = yield* TestVenue
    const { url: downUrl } = yield* TreasuryServer.open(options).pipe(
      Effect.updateService(Hmac, (hmac) => ({ ...hmac, verify: gone })),
      Effect.updateService(Bearers, (bearers) => ({ ...bearers, verify: gone })),
      Effect.updateService(Health, (health) => ({ ...health, reason: () => "This gateway is stopping." }))
    )
    return Scene.of({ trader: yield* venue.user("trader"), powerless: yield* venue.user("powerless", 0, []), downUrl })
  })
).pipe(Layer.provideMerge(layer))

it("every webhook message matches the document's schema of its own event and of no other event", () => {
  const { validatorOf, webhooks } = treasury
  expect(Object.keys(webhooks)).toEqual(WebhookEvent.literals)
  const sent = WebhookEvent.literals.flatMap((event) =>
    event.startsWith("deposit.")
      ? [
          { ...credited, event },
          { ...credited, event, method: "fednow" as const, txHash: null, creditedAtMillis: null }
        ]
      : [
          { ...settled, event },
          { ...settled, event, method: "TRON" as const, destination: "T1", txHash: "0x1" }
        ]
  )
  const bodies = sent.map((message) => JSON.parse(bodyOf(message)))
  for (const [event, { example, schema }] of Object.entries(webhooks)) {
    const validate = validatorOf(schema)
    const isOfEvent = bodies.map((body) => [body.type, validate(body)])
    expect(isOfEvent).toEqual(sent.map((message) => [message.event, message.event === event]))
    expect([event, validate(example), validate.errors ?? []]).toEqual([event, true, []])
    const { data, ...rest } = bodies.find(({ type }) => type === event)
    for (const member of Object.keys(data)) {
      if (member === "network" || member === "payment_rail") continue
      const { [member]: _, ...less } = data
      expect([event, member, validate({ ...rest, data: less })]).toEqual([event, member, false])
    }
    expect(validate({ ...rest, data: { ...data, more: 1 } })).toBe(false)
  }
})

walk({
  description: treasury,
  routes: routesOf(TreasuryApi),
  pages: metBy("funding"),
  provocations,
  scene,
  change: ["POST", "/address/rotate", { network: "BITCOIN" }]
})
