/** Tests of the mark price, with worked examples and with missing inputs. */
import { longestStepMillis, mark, mid, premiumAfter } from "@venue/domain/Mark"
import { assert, it } from "@effect/vitest"

const usd = (price: number): number => Math.round(price * 1e8)
const touch = { bidE8: usd(200.18), askE8: usd(200.24), lastE8: usd(200.3) }

it("the mark is the median of three prices: 200.12 of 200.00, 200.12 and 200.24", () => {
  assert.strictEqual(mark(usd(200), usd(0.12), touch), usd(200.12))
})

it("moves the average premium from 0.12 to 0.120598 in one second if the premium is 0.21", () => {
  assert.strictEqual(mid(touch), usd(200.21))
  assert.strictEqual(premiumAfter(usd(0.12), usd(0.21), 1_000), usd(0.120598))
})

it("uses the last trade if one side of the book is empty, and the external price if there was no trade yet", () => {
  assert.strictEqual(mark(usd(200), usd(5), { ...touch, bidE8: undefined }), usd(200.3))
  assert.strictEqual(mark(usd(200), usd(5), { ...touch, lastE8: undefined }), usd(200))
  assert.strictEqual(mid({ ...touch, askE8: undefined }), undefined)
})

it("gives a late sample the effect of at most one second, however long ago the previous sample was", () => {
  assert.strictEqual(premiumAfter(0, usd(1), 3_600_000), premiumAfter(0, usd(1), longestStepMillis))
  assert.isBelow(premiumAfter(0, usd(1), 3_600_000), usd(0.014))
})

it("a negative premium lowers the average premium as fast as a positive premium raises it", () => {
  assert.strictEqual(premiumAfter(0, usd(-1), 1_000), -premiumAfter(0, usd(1), 1_000))
})
