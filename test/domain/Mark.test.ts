/** The mark by its worked numbers and without some of its inputs. */
import { longestStepMillis, mark, mid, premiumAfter } from "@venue/domain/Mark"
import { assert, it } from "@effect/vitest"

const usd = (price: number): number => Math.round(price * 1e8)
const touch = { bidE8: usd(200.18), askE8: usd(200.24), lastE8: usd(200.3) }

it("200.00, 200.12 and 200.24 give 200.12", () => {
  assert.strictEqual(mark(usd(200), usd(0.12), touch), usd(200.12))
})

it("a second later the premium 0.12 has moved to 0.120598 towards 0.21", () => {
  assert.strictEqual(mid(touch), usd(200.21))
  assert.strictEqual(premiumAfter(usd(0.12), usd(0.21), 1_000), usd(0.120598))
})

it("with one side empty the book says the last trade, and without any trade the outside price", () => {
  assert.strictEqual(mark(usd(200), usd(5), { ...touch, bidE8: undefined }), usd(200.3))
  assert.strictEqual(mark(usd(200), usd(5), { ...touch, lastE8: undefined }), usd(200))
  assert.strictEqual(mid({ ...touch, askE8: undefined }), undefined)
})

it("no one sample moves the premium further than one late second would, however long the silence", () => {
  assert.strictEqual(premiumAfter(0, usd(1), 3_600_000), premiumAfter(0, usd(1), longestStepMillis))
  assert.isBelow(premiumAfter(0, usd(1), 3_600_000), usd(0.014))
})

it("the premium falls as it rises", () => {
  assert.strictEqual(premiumAfter(0, usd(-1), 1_000), -premiumAfter(0, usd(1), 1_000))
})
