import * as ReasonText from "@venue/api/treasury/ReasonText"
import {
  DepositReason,
  EndReason,
  PaymentObstacle,
  RailOutage,
  stored,
  StoredDepositReason
} from "@venue/domain/TreasuryReason"
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"

const sentence = /^[A-Z].+/u

it("describes every deposit reason in one sentence", () => {
  const texts = DepositReason.literals.map(ReasonText.deposit)
  for (const text of texts) assert.match(text, /^The .*\.$/u)
  assert.strictEqual(new Set(texts).size, texts.length)
})

it("describes every obstacle to a payment and every payment outcome, with the value of each field", () => {
  const account = "0xhot"
  const obstacles: ReadonlyArray<readonly [obstacle: PaymentObstacle, text: string]> = [
    [
      { _tag: "TokenBalanceTooLow", account, held: "1500000", amount: "2000000", promised: "250000" },
      "Token balance too low: account 0xhot holds 1.5 USD but needs 2 USD for this withdrawal and 0.25 USD for other withdrawals; add funds."
    ],
    [
      { _tag: "GasBalanceTooLow", account, heldWei: "5", neededWei: "90071992547409930" },
      "Gas balance too low: account 0xhot holds 5 wei but might need 90071992547409930 wei; add gas."
    ],
    [{ _tag: "ChainRejects", text: "reverted" }, "The chain would reject the transaction: reverted"],
    [{ _tag: "NonceUsed", nonce: 7 }, "A transaction unknown to the venue used nonce 7; cancel the withdrawal."],
    [{ _tag: "InvalidPayout", member: "payee" }, "The payout has an invalid payee; cancel the withdrawal."]
  ]
  for (const [obstacle, text] of obstacles) assert.strictEqual(ReasonText.obstacle(obstacle), text)
  assert.strictEqual(
    ReasonText.end({ _tag: "PayoutFailed", code: "account_closed" }),
    "The payout failed at the bank with reason code account_closed."
  )
  assert.strictEqual(ReasonText.end({ _tag: "Rejected", text: "a known thief" }), "a known thief")
})

it("shows the tag of a reason that only a newer release can describe", () => {
  const text = "A newer release stored the reason Foreign, which this release cannot describe."
  const foreign = { _tag: "Foreign", field: 7 }
  assert.strictEqual(ReasonText.end(Schema.decodeUnknownSync(stored(EndReason))(foreign)), text)
  assert.strictEqual(ReasonText.obstacle(Schema.decodeUnknownSync(stored(PaymentObstacle))(foreign)), text)
  assert.strictEqual(ReasonText.outage(Schema.decodeUnknownSync(stored(RailOutage))(foreign)), text)
  assert.strictEqual(ReasonText.deposit(Schema.decodeUnknownSync(StoredDepositReason)("Foreign")), text)
  const known = { _tag: "NonceUsed", nonce: 7 } as const
  assert.deepStrictEqual(Schema.decodeUnknownSync(stored(PaymentObstacle))(known), known)
})

it("returns a text for any reason that a table can contain", () => {
  const tags = PaymentObstacle.members.map(({ fields }) => fields._tag.schema.literal)
  for (const tag of tags) {
    const fields = { account: "a", held: "1", amount: "1", promised: "1", heldWei: "1", neededWei: "1", text: "t" }
    const more = {
      signedBy: "b",
      attempt: 1,
      sent: 1,
      stored: 2,
      nonce: 3,
      purpose: "pay",
      member: "id",
      index: 4,
      address: "c",
      tag: "Foreign"
    }
    const obstacle = Schema.decodeUnknownSync(PaymentObstacle)({ _tag: tag, ...fields, ...more })
    assert.match(ReasonText.obstacle(obstacle), sentence, tag)
  }
  for (const { fields } of EndReason.members) {
    const reason = Schema.decodeUnknownSync(EndReason)({
      _tag: fields._tag.schema.literal,
      code: null,
      text: "Text.",
      tag: "Foreign"
    })
    assert.match(ReasonText.end(reason), sentence)
  }
  const stall: RailOutage = { _tag: "FinalityStalled", finalBlock: 7, minutes: 60, fromHead: 70, toHead: 90 }
  assert.strictEqual(
    ReasonText.outage(stall),
    "The final block has stayed at 7 for 60 minutes, while the head block moved from 70 to 90."
  )
})
