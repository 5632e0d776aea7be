/** Marks destinations for money on simulated rails. */
import type { RailName } from "@venue/domain/Rail"
import { SimulatedRails } from "@venue/providers/rails/SimulatedRails"
import { Effect } from "effect"

/** Returns the function that gives the mark of a rail: no member for a real rail. */
export const make = Effect.map(
  SimulatedRails,
  (simulated) =>
    (rail: RailName): { readonly simulated?: true } =>
      simulated.has(rail) ? { simulated: true } : {}
)
