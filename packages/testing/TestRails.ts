/**
 * Simulated rails for a venue in memory. They poll once a second, so a test that advances the clock by days should omit
 * them.
 */
import * as Rails from "@venue/cluster/entities/rail/Rails"
import * as StoredRails from "@venue/simulation/rails/StoredRails"
import { Layer } from "effect"

/** Rails for use on top of `TestVenue.layerMemory`. */
export const layer = Rails.layer.pipe(Layer.provideMerge(StoredRails.layer))
