/** Engine and twin over thirty days of each kind of market. */
import { it } from "@effect/vitest"
import { assertAlike } from "./Play.ts"
import { listings, make } from "./Streams.ts"

it("I23 I32: what the engine says in a month is what the rules say, event for event", () => {
  for (const listing of listings) assertAlike(make(1, undefined, "month", listing))
})
