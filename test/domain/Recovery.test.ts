/** Losses of a restored database, as values. */
import * as Recovery from "@venue/domain/Recovery"
import { assert, describe, it } from "@effect/vitest"

const witnessed = { stream: "market/GOLD-USD", seq: 10, epoch: 3, digest: "aaaa" }
const stored = { headSeq: 12, headEpoch: 3, epoch: 3, digest: "aaaa" }

describe("losses", () => {
  it("a journal with the witnessed row has no loss, also if it has later rows", () => {
    assert.isUndefined(Recovery.lossOf(witnessed, stored))
    assert.isUndefined(Recovery.lossOf(witnessed, { ...stored, headSeq: 10 }))
  })

  it("a journal that ends before the witnessed row lacks every row between them", () => {
    const loss = Recovery.lossOf(witnessed, { headSeq: 6, headEpoch: 2, epoch: null, digest: null })!
    assert.deepInclude(loss, { databaseSeq: 6, databaseEpoch: 2, witnessedSeq: 10, witnessedEpoch: 3, firstMissing: 7 })
    assert.strictEqual(Recovery.missingOf(loss), 4)
  })

  it("a stream without rows lacks all of them", () => {
    const loss = Recovery.lossOf(witnessed, { headSeq: 0, headEpoch: 0, epoch: null, digest: null })!
    assert.strictEqual(Recovery.missingOf(loss), 10)
  })

  it("another epoch or other events under the witnessed number are a loss of at least that row", () => {
    for (const other of [
      { ...stored, epoch: 4 },
      { ...stored, digest: "bbbb" }
    ]) {
      const loss = Recovery.lossOf(witnessed, other)!
      assert.deepStrictEqual([loss.firstMissing, Recovery.missingOf(loss)], [10, 1])
    }
  })

  it("findings of two nodes about one stream become one loss with the widest range", () => {
    const a = { stream: "s", databaseSeq: 6, databaseEpoch: 2, witnessedSeq: 10, witnessedEpoch: 3, firstMissing: 7 }
    const b = { ...a, witnessedSeq: 8, witnessedEpoch: 4, firstMissing: 6 }
    assert.deepStrictEqual(Recovery.mergedByStream([a, b]), [{ ...a, witnessedEpoch: 4, firstMissing: 6 }])
  })

  it("the newest of several changes of a restriction counts", () => {
    const freeze = { kind: "user", subject: "u", number: 4, isRestricted: true } as const
    const unfreeze = { ...freeze, number: 5, isRestricted: false }
    assert.deepStrictEqual(Recovery.newestFacts([unfreeze, freeze]), [unfreeze])
  })
})

describe("credentials after a recovery", () => {
  it("must be dated after the acceptance, and later than any request that was signed before the finding", () => {
    assert.strictEqual(Recovery.credentialsFrom(1_000, 900_000), 900_000)
    assert.strictEqual(Recovery.credentialsFrom(1_000, 2_000), 301_000)
  })
})
