/** Mark of a rail that is simulated, in answers that contain a destination for money. */
import { Schema } from "effect"

/** Present and true only on a simulated rail. Money sent to the destination is lost. */
export const SimulatedMark = Schema.optionalKey(
  Schema.Literal(true).annotate({
    description: "Present only if the rail is simulated, as in a rehearsal. Send no money: it would be lost."
  })
)
