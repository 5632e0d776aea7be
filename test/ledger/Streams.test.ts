/** Random lives of a trader, compared after every step with a twin that recomputes everything. */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { test } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { live } from "./Life.ts"
import { alice } from "./Scene.ts"
import { step } from "./Steps.ts"

test("I11, I13, I14, I16, I17, I27: matches the reference model after every step of 600 random histories", () => {
  FastCheck.assert(
    FastCheck.property(FastCheck.array(step, { minLength: 10, maxLength: 60, size: "max" }), (steps) => {
      const life = live()
      life.money(primaryAccountOf(alice), 5_000_000_000n)
      life.money(AccountId.make("sub"), 1_500_000_000n)
      for (const step of steps) {
        life.take(step)
        life.check()
      }
      life.settle()
      life.clear()
    }),
    { numRuns: 600 }
  )
}, 900_000)
