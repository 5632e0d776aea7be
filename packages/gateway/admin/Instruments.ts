/** Handles the operator endpoints that list instruments and add an instrument. */
import { AdminApi } from "@venue/api/admin/Api"
import { listedInstrument } from "@venue/api/admin/Instruments"
import { Feed } from "@venue/cluster/feed/Feed"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { nearestMultiple, unitsOf } from "@venue/domain/Decimal"
import type { Terms } from "@venue/domain/Instrument"
import * as Listing from "@venue/domain/Listing"
import { Listings } from "@venue/storage/listing/Listings"
import { ListingReach } from "@venue/storage/listing/LiveListings"
import { Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeRecordRequest } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "instruments",
  Effect.fnUntraced(function* (handlers) {
    const recordRequest = yield* makeRecordRequest
    const feed = yield* Feed
    const listings = yield* Listings
    const { instruments } = yield* VenueSettings
    const reach = yield* ListingReach
    const refusals = yield* apiProblems
    const unanswered = { DatabaseUnavailable: () => Effect.fail(refusals.draining()) }
    const waiting = Effect.map(listings.all, (all) => all.filter(({ symbol }) => !instruments.has(symbol)))

    return handlers
      .handle("list", () =>
        Effect.zip(waiting, reach).pipe(
          Effect.map(([later, isInForce]) => {
            const data = [
              ...Array.from(feed.instruments.values(), (instrument) =>
                listedInstrument(instrument, isInForce(instrument.symbol))
              ),
              ...later.map((instrument) => listedInstrument(instrument, false))
            ]
            return { data, count: data.length }
          }),
          Effect.catchTags(unanswered)
        )
      )
      .handle(
        "add",
        Effect.fnUntraced(function* ({ payload }) {
          const terms = termsOf(payload)
          const flaw = Listing.flawOf(terms)
          if (flaw !== undefined) return yield* refusals.unfit(`body.${fields[flaw.term]}`, `Expected ${flaw.expected}`)
          const find = Effect.map(waiting, (later) =>
            [...instruments.values(), ...later].find(({ base }) => base === terms.base)
          )
          const before = yield* find
          if (before === undefined) {
            const { reason, ...facts } = payload
            yield* recordRequest("listing_asked", `${terms.base}-USD`, { ...facts, reason })
            yield* listings.add(terms)
          }
          const listed = before ?? (yield* find)!
          if (!Listing.isListedAs(listed, terms)) return yield* refusals.symbolListed(listed.symbol)
          const inForce = feed.instruments.get(listed.symbol)
          return listedInstrument(inForce ?? listed, inForce !== undefined && (yield* reach)(listed.symbol))
        }, Effect.catchTags(unanswered))
      )
  })
)

const fields: Record<keyof Terms, string> = {
  base: "base_asset",
  category: "product_category",
  tickE8: "tick_size",
  lotE8: "lot_size",
  minQuantityLots: "min_quantity",
  maxQuantityLots: "max_quantity",
  maxLeverage: "default_max_leverage"
}

interface ListingBody {
  readonly base_asset: string
  readonly product_category: Terms["category"]
  readonly tick_size: number
  readonly lot_size: number
  readonly min_quantity: number
  readonly max_quantity: number
  readonly default_max_leverage: number
}

function termsOf(body: ListingBody): Terms {
  const lotE8 = unitsOf(body.lot_size)
  return {
    base: body.base_asset.toUpperCase(),
    category: body.product_category,
    tickE8: unitsOf(body.tick_size),
    lotE8,
    minQuantityLots: unitsOf(nearestMultiple(body.min_quantity, lotE8)) / lotE8,
    maxQuantityLots: unitsOf(nearestMultiple(body.max_quantity, lotE8)) / lotE8,
    maxLeverage: body.default_max_leverage
  }
}
