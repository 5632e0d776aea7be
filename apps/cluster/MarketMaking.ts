/** A cluster's market maker: quotes through one gateway, and moves to another if that one fails. */
import type { ApiKey } from "@venue/client/Credentials"
import { Effect } from "effect"
import * as MarketMaker from "../dev/MarketMaker.ts"
import type { PlannedGateway } from "./ClusterPlan.ts"
import type { Supervisor } from "./Supervisor.ts"

const lookEvery = "100 millis"

/** Quotes through the first gateway that is serving, until it stops serving. */
export const run = Effect.fn("MarketMaking.run")(function* (
  gateways: ReadonlyArray<PlannedGateway>,
  { isServing }: Pick<Supervisor, "isServing">,
  keys: ApiKey
) {
  const serving = () => gateways.find(({ name }) => isServing(name))
  yield* Effect.gen(function* () {
    yield* Effect.repeat(Effect.sleep(lookEvery), { until: () => serving() !== undefined })
    const gateway = serving()
    if (gateway === undefined) return
    const { name, urls } = gateway
    const lost = Effect.repeat(Effect.sleep(lookEvery), { until: () => !isServing(name) })
    const quoting = MarketMaker.run({
      restUrl: urls.rest,
      tradeUrl: urls.trade,
      marketDataUrl: urls.market_data,
      keys
    })
    yield* Effect.raceFirst(quoting, lost)
  }).pipe(Effect.forever)
})
