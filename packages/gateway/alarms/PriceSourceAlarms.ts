/** Alarms for price sources that send no current price. */
import { instant } from "@venue/api/Digits"
import { DeadPriceSources } from "@venue/storage/alarms/DeadPriceSources"
import { Effect } from "effect"
import { reading } from "./AlarmSource.ts"

export const make = Effect.map(DeadPriceSources, ({ list }) =>
  Effect.map(list, (sources) => [
    reading(
      "price-sources",
      sources.map(({ name, reason, sinceMillis }) => ({
        kind: "PRICE_SOURCE_DEAD",
        symbol: null,
        since: instant(sinceMillis),
        price_source: name,
        reason
      }))
    )
  ])
)
