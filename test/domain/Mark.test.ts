/** Tests of the mark price, with worked examples and with missing inputs. */
import { longestStepMillis, mark, mid, premiumAfter } from "@venue/domain/Mark"
import { assert, it } from "@effect/vitest"

const usd = (price: number): number => Math.round(price * 1e8)
const touch = { bidE8: usd(200.18), askE8: usd(200.24), lastE8: usd(200.3) }

it("returns 200.12 as the median of 200.00, 200.12 and 200.24", () => {
  assert.strictEqual(mark(usd(200), usd(0.12), touch), usd(200.12))
})

it("moves the average premium from 0.12 to 0.120598 towards 0.21 in one second", () => {
  assert.strictEqual(mid(touch), usd(200.21))
  assert.strictEqual(premiumAfter(usd(0.12), usd(0.21), 1_000), usd(0.120598))
})

it("uses the last trade if one side of the book is empty, and the external price before the first trade", () => {
  assert.strictEqual(mark(usd(200), usd(5), { ...touch, bidE8: undefined }), usd(200.3))
  assert.strictEqual(mark(usd(200), usd(5), { ...touch, lastE8: undefined }), usd(200))
  assert.strictEqual(mid({ ...touch, askE8: undefined }), undefined)
})

it("limits the effect of a late sample to that of one second, however long the time since the previous sample", () => {
  assert.strictEqual(premiumAfter(0, usd(1), 3_600_000), premiumAfter(0, usd(1), longestStepMillis))
  assert.isBelow(premiumAfter(0, usd(1), 3_600_000), usd(0.014))
})

it("lowers the average premium as fast as it raises it", () => {
  assert.strictEqual(premiumAfter(0, usd(-1), 1_000), -premiumAfter(0, usd(1), 1_000))
})
