/** Tests that runs of equal premiums give the same rate as single samples, for any reader and any starting point. */
import * as Funding from "@venue/domain/Funding"
import type { Funded, Sampled } from "@venue/domain/Funding"
import * as Sampling from "@venue/domain/Sampling"
import { expect, it } from "@effect/vitest"
import * as fc from "fast-check"

const hour = Date.UTC(2026, 10, 20, 15)
const mark = (n: number) => hour + n * Funding.sampleMillis

const sampled = (n: number, premiumE10: number | null): Sampled => ({ _tag: "Sampled", premiumE10, atMillis: mark(n) })
const funded = (atMillis: number): Funded => ({
  _tag: "Funded",
  rateE12: 0,
  markE8: 1,
  remainder: 0,
  fromMillis: 0,
  skipped: false,
  atMillis
})
const bps = (count: number) => count * 1_000_000

it("rule 10.4: a premium sample counts only from 2 s after the instant at which it was taken", () => {
  const log = [sampled(1, bps(20)), sampled(2, bps(24)), sampled(3, bps(28))]
  const sampling = log.reduce(Sampling.after, Sampling.after(Sampling.unsampled, funded(hour)))
  expect(Sampling.rateE12(sampling, mark(3) + 2_000)).toBe(20_333_333)
  expect(Sampling.rateE12(sampling, mark(3) + 1_999)).toBe(Funding.rateE12({ count: 2, weighted: bps(68) }))
})

it("rule 10.4: keeps the rate of a finished hour until its payment is recorded, and then starts at 0", () => {
  const sampling = Sampling.after(Sampling.after(Sampling.unsampled, funded(hour)), sampled(1, bps(25)))
  const next = hour + Funding.hourMillis
  expect(Sampling.rateE12(sampling, next + 60_000)).toBe(20_000_000)
  expect(Sampling.rateE12(Sampling.after(sampling, funded(next)), next + 1_000)).toBe(0)
  expect(Sampling.rateE12(Sampling.after(sampling, funded(next)), mark(721) + 2_000)).toBe(20_000_000)
})

it("rule 10.4: computes the same rate from a log of premium changes as from single samples", () => {
  const premium = fc.option(fc.integer({ min: -bps(40), max: bps(40) }))
  const changes = fc.uniqueArray(fc.tuple(fc.integer({ min: 1, max: 719 }), premium), { selector: ([at]) => at })
  fc.assert(
    fc.property(changes, fc.integer({ min: 1, max: 719 }), (log, upTo) => {
      const ordered = log.sort(([a], [b]) => a - b).filter(([at]) => at <= upTo)
      const sampling = ordered
        .map(([at, premiumE10]) => sampled(at, premiumE10))
        .reduce(Sampling.after, Sampling.after(Sampling.unsampled, funded(hour)))
      const twin: Array<number> = []
      for (let n = 1; n <= upTo; n++) {
        const inForce = ordered.findLast(([at]) => at <= n)?.[1] ?? null
        if (inForce !== null) twin.push(inForce)
      }
      const weighted = twin.reduce((sum, one, at) => sum + one * (at + 1), 0)
      expect(Sampling.rateE12(sampling, mark(upTo) + 2_000)).toBe(Funding.rateE12({ count: twin.length, weighted }))
    })
  )
})
