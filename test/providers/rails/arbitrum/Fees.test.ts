import * as Fees from "@venue/providers/rails/arbitrum/Fees"
import * as fc from "fast-check"
import { assert, it } from "vitest"

const wei = fc.bigInt({ min: 0n, max: 10n ** 15n })

it("raises both fees by at least an eighth with each attempt, to at least twice the base fee", () => {
  fc.assert(
    fc.property(wei, fc.array(wei, { minLength: 1, maxLength: 20 }), (base, bases) => {
      let fees = Fees.first(base)
      for (const now of bases) {
        const next = Fees.next(fees, now)
        assert.isTrue(next.maxFeePerGas * 8n >= fees.maxFeePerGas * 9n)
        assert.isTrue(next.maxPriorityFeePerGas * 8n >= fees.maxPriorityFeePerGas * 9n)
        assert.isTrue(next.maxFeePerGas >= 2n * now && next.maxFeePerGas >= next.maxPriorityFeePerGas)
        fees = next
      }
    })
  )
})

it("offers at most twice the base fee plus the tip, or an eighth more than the previous attempt if that is higher", () => {
  assert.deepStrictEqual(Fees.first(100n), { maxFeePerGas: 1_000_200n, maxPriorityFeePerGas: 1_000_000n })
  assert.deepStrictEqual(Fees.next({ maxFeePerGas: 8_000_001n, maxPriorityFeePerGas: 1_000_000n }, 100n), {
    maxFeePerGas: 9_000_002n,
    maxPriorityFeePerGas: 1_125_000n
  })
  assert.strictEqual(Fees.next(Fees.first(100n), 10n ** 9n).maxFeePerGas, 2_001_000_000n)
})
