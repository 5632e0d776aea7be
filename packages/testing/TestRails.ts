/** Made-up rails for a venue in memory. They look once a second, so that a test which moves whole days is better without. */
import * as Rails from "@venue/cluster/entities/rail/Rails"
import * as SimulatedRails from "@venue/cluster/entities/rail/SimulatedRails"
import { Layer } from "effect"

/** Over `TestVenue.layerMemory`. */
export const layer = Rails.layer.pipe(Layer.provideMerge(SimulatedRails.layer))
