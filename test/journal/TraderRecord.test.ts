import { AccountId } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { RailName, WithdrawalMethod } from "@venue/domain/Rail"
import { TraderEvent } from "@venue/domain/Trader"
import { TwapEnding, TwapId } from "@venue/domain/Twap"
import { UserId } from "@venue/domain/UserId"
import { HoldReason } from "@venue/domain/Withdrawal"
import { DepositReason } from "@venue/domain/TreasuryReason"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"

const fixture = (name: string) => {
  const hex = readFileSync(new URL(`./fixtures/${name}.hex`, import.meta.url), "utf8").replaceAll(/\s/g, "")
  return Buffer.from(hex, "hex")
}

const tierSet: TraderEvent = {
  _tag: "TierSet",
  day: 20_778,
  tier: 2,
  effectiveVolume: 2_050_000_000_000n,
  atMillis: 1_795_219_230_000
}

const appointed: TraderEvent = {
  _tag: "BuilderAppointed",
  builderCode: "c2a95d1e-7f30-4b8a-8f64-0d9e3b6c5a21",
  symbols: [MarketSymbol.make("AAPL-USD"), MarketSymbol.make("GOLD-USD")],
  atMillis: 1_795_186_800_000
}

const provider: TraderEvent = {
  _tag: "ProviderAppointed",
  accountId: AccountId.make("5d2b8c1f-60e3-4a97-bc0d-2f7e9a4186c5"),
  symbols: [MarketSymbol.make("AAPL-USD"), MarketSymbol.make("GOLD-USD")],
  limit: 1_000_000_000_000_000,
  atMillis: 1_795_186_800_000
}

const left: TraderEvent = { _tag: "Left", symbol: MarketSymbol.make("GOLD-USD"), atMillis: 1_795_219_830_000 }

const requestKept: TraderEvent = {
  _tag: "RequestKept",
  requestId: "7c1e9f04-2b6d-4d83-a05a-91f3c8e7b642",
  fingerprint: "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
  atMillis: 1_795_219_830_000
}

const switched: TraderEvent = {
  _tag: "DeadManSwitchSet",
  accountId: AccountId.make("5d2b8c1f-60e3-4a97-bc0d-2f7e9a4186c5"),
  askedMillis: 1_795_186_844_200,
  dueMillis: 1_795_186_850_000,
  firedMillis: 1_795_186_844_731
}

const referral: ReadonlyArray<TraderEvent> = [
  {
    _tag: "Referred",
    code: "7ZK4M0QX2P",
    referrerId: UserId.make("3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"),
    atMillis: 1_795_219_830_000
  },
  { _tag: "ReferralsCredited", day: 20_778, amount: 714_000n, atMillis: 1_795_219_500_000 }
]

const treasury: ReadonlyArray<TraderEvent> = [
  {
    _tag: "Deposited",
    depositId: "TRON/4f0c9b2ad1/3",
    rail: "TRON",
    amount: 125_000_000n,
    atMillis: 1_795_219_830_000
  },
  {
    _tag: "DepositReversed",
    depositId: "BANK/ach-20261124-77/0",
    rail: "BANK",
    amount: 2_500_000_000n,
    reason: "bank-return",
    atMillis: 1_795_219_831_000
  },
  {
    _tag: "WithdrawalAccepted",
    withdrawalId: "9d2f6c1e-53ab-4e07-8b1c-70f4d2a9e6b3",
    method: "ARBITRUM_ONE",
    amount: 60_000_000_000n,
    fee: 1_000_000n,
    destination: "0x52908400098527886E0F7030069857D2E4169EE7",
    reasons: ["amount", "new-destination"],
    atMillis: 1_795_219_832_000
  },
  {
    _tag: "WithdrawalReturned",
    withdrawalId: "9d2f6c1e-53ab-4e07-8b1c-70f4d2a9e6b3",
    ending: "REJECTED",
    reason: { _tag: "Rejected", text: "the destination is flagged" },
    method: "ARBITRUM_ONE",
    amount: 60_000_000_000n,
    atMillis: 1_795_219_833_000
  }
]

const twapId = TwapId.make("0f7b2d96-84ae-4c1d-9b53-7e20a6c8d4f1")
const twap: ReadonlyArray<TraderEvent> = [
  {
    _tag: "TwapAccepted",
    symbol: MarketSymbol.make("GOLD-USD"),
    terms: {
      twapId,
      userId: UserId.make("3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"),
      accountId: AccountId.make("5d2b8c1f-60e3-4a97-bc0d-2f7e9a4186c5"),
      clientTwapId: "unwind-12",
      side: "SELL",
      totalLots: 12_000,
      slices: 6,
      intervalMillis: 45_000,
      reduceOnly: true,
      worstTicks: 33_905,
      builderCode: "c2a95d1e-7f30-4b8a-8f64-0d9e3b6c5a21",
      startMillis: 1_790_503_301_400,
      createdAtMillis: 1_790_503_244_118
    }
  },
  { _tag: "TwapEnded", twapId, ending: "MARGIN", atMillis: 1_790_503_391_407 },
  { _tag: "TwapForgotten", twapId }
]

const id = fc.oneof(fc.uuid(), fc.string())
const amount = fc.oneof(
  fc.bigInt({ min: -5n, max: 300n }),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }),
  fc.bigInt()
)
const atMillis = fc.integer({ min: 0, max: 4_000_000_000_000 })
const traderEvent: fc.Arbitrary<TraderEvent> = fc.oneof(
  fc.record({
    _tag: fc.constant("Credited"),
    creditId: id,
    accountId: id.map((text) => AccountId.make(text)),
    amount,
    reason: fc.string(),
    by: fc.string(),
    atMillis
  }),
  fc.record({
    _tag: fc.constant("Transferred"),
    transferId: id,
    fromAccountId: id.map((text) => AccountId.make(text)),
    toAccountId: id.map((text) => AccountId.make(text)),
    amount,
    atMillis
  }),
  fc.record({
    _tag: fc.constant("LeverageSet"),
    accountId: id.map((text) => AccountId.make(text)),
    symbol: id.map((text) => MarketSymbol.make(text)),
    leverage: fc.integer({ min: 1, max: 50 })
  }),
  fc.record({ _tag: fc.constant("AccountOpened"), accountId: id.map((text) => AccountId.make(text)) }),
  fc.record({ _tag: fc.constant("Referred"), code: id, referrerId: id.map((text) => UserId.make(text)), atMillis }),
  fc.record({ _tag: fc.constant("ReferralsCredited"), day: fc.integer({ min: 0, max: 100_000 }), amount, atMillis }),
  fc.record({
    _tag: fc.constant("Deposited"),
    depositId: id,
    rail: fc.constantFrom(...RailName.literals),
    amount,
    atMillis
  }),
  fc.record({
    _tag: fc.constant("DepositReversed"),
    depositId: id,
    rail: fc.constantFrom(...RailName.literals),
    amount,
    reason: fc.constantFrom(...DepositReason.literals),
    atMillis
  }),
  fc.record({
    _tag: fc.constant("WithdrawalAccepted"),
    withdrawalId: id,
    method: fc.constantFrom(...WithdrawalMethod.literals),
    amount,
    fee: amount,
    destination: fc.string(),
    reasons: fc.array(fc.constantFrom(...HoldReason.literals)),
    atMillis
  }),
  fc.record({
    _tag: fc.constant("WithdrawalReturned"),
    withdrawalId: id,
    ending: fc.constantFrom("REJECTED", "FAILED"),
    reason: fc.oneof(
      fc.record({ _tag: fc.constant("Rejected"), text: fc.string() }),
      fc.record({ _tag: fc.constant("TransactionFailed"), code: fc.option(fc.string()) }),
      fc.record({ _tag: fc.constant("PaymentCancelled") })
    ),
    method: fc.constantFrom(...WithdrawalMethod.literals),
    amount,
    atMillis
  }),
  fc.record({ _tag: fc.constant("RequestKept"), requestId: id, fingerprint: id, atMillis }),
  fc.record({ _tag: fc.constant("Joined"), symbol: id.map((text) => MarketSymbol.make(text)) }),
  fc.record({ _tag: fc.constant("Armed"), connectionId: id, accountId: id.map((text) => AccountId.make(text)) }),
  fc.record({ _tag: fc.constant("Disarmed"), connectionId: id }),
  fc.record({
    _tag: fc.constant("TierSet"),
    day: fc.integer({ min: 0, max: 100_000 }),
    tier: fc.integer({ min: 1, max: 5 }),
    effectiveVolume: amount,
    atMillis
  }),
  fc.record({
    _tag: fc.constant("BuilderAppointed"),
    builderCode: id,
    symbols: fc.array(id.map((text) => MarketSymbol.make(text))),
    atMillis
  }),
  fc.record({
    _tag: fc.constant("ProviderAppointed"),
    accountId: id.map((text) => AccountId.make(text)),
    symbols: fc.array(id.map((text) => MarketSymbol.make(text))),
    limit: fc.maxSafeNat(),
    atMillis
  }),
  fc.record({
    _tag: fc.constant("TwapAccepted"),
    symbol: id.map((text) => MarketSymbol.make(text)),
    terms: fc.record({
      twapId: fc.uuid().map((text) => TwapId.make(text)),
      userId: id.map((text) => UserId.make(text)),
      accountId: id.map((text) => AccountId.make(text)),
      clientTwapId: id,
      side: fc.constantFrom("BUY", "SELL"),
      totalLots: fc.maxSafeNat(),
      slices: fc.maxSafeNat(),
      intervalMillis: fc.maxSafeNat(),
      reduceOnly: fc.boolean(),
      worstTicks: fc.maxSafeNat(),
      builderCode: id,
      startMillis: atMillis,
      createdAtMillis: atMillis
    })
  }),
  fc.record({
    _tag: fc.constant("TwapEnded"),
    twapId: fc.uuid().map((text) => TwapId.make(text)),
    ending: fc.constantFrom(...TwapEnding.literals),
    atMillis
  }),
  fc.record({ _tag: fc.constant("TwapForgotten"), twapId: fc.uuid().map((text) => TwapId.make(text)) }),
  fc.record({
    _tag: fc.constant("DeadManSwitchSet"),
    accountId: id.map((text) => AccountId.make(text)),
    askedMillis: atMillis,
    dueMillis: atMillis,
    firedMillis: atMillis
  })
)

const credited: TraderEvent = {
  _tag: "Credited",
  creditId: "c-4",
  accountId: AccountId.make("alice"),
  amount: 12_500_000n,
  reason: "a gift",
  by: "olga",
  atMillis: 1_790_503_244_121
}

const basics: ReadonlyArray<TraderEvent> = [
  { _tag: "AccountOpened", accountId: AccountId.make("5d2b8c1f-60e3-4a97-bc0d-2f7e9a4186c5") },
  { _tag: "Joined", symbol: MarketSymbol.make("GOLD-USD") },
  { _tag: "LeverageSet", accountId: AccountId.make("alice"), symbol: MarketSymbol.make("GOLD-USD"), leverage: 20 },
  {
    _tag: "Credited",
    creditId: "c-1",
    accountId: AccountId.make("alice"),
    amount: 100_000_000_000n,
    reason: "début",
    atMillis: 1_790_503_244_118
  },
  {
    _tag: "Credited",
    creditId: "c-2",
    accountId: AccountId.make("alice"),
    amount: -7n,
    reason: "",
    atMillis: 1_790_503_244_119
  },
  {
    _tag: "Credited",
    creditId: "c-3",
    accountId: AccountId.make("alice"),
    amount: 2n ** 70n,
    reason: "",
    atMillis: 1_790_503_244_119
  },
  {
    _tag: "Transferred",
    transferId: "t-1",
    fromAccountId: AccountId.make("alice"),
    toAccountId: AccountId.make("5d2b8c1f-60e3-4a97-bc0d-2f7e9a4186c5"),
    amount: 1n,
    atMillis: 1_790_503_244_120
  },
  { _tag: "Armed", connectionId: "k-1", accountId: AccountId.make("alice") },
  { _tag: "Disarmed", connectionId: "k-1" }
]

/** Events of each record that release 0.1.0 wrote, by file. */
const kept: Readonly<Record<string, ReadonlyArray<TraderEvent>>> = {
  "0.1.0/trader": basics,
  "0.1.0/trader-tier": [tierSet],
  "0.1.0/trader-builder": [appointed],
  "0.1.0/trader-provider": [provider],
  "0.1.0/trader-twap": twap,
  "0.1.0/trader-left": [left],
  "0.1.0/trader-request": [requestKept],
  "0.1.0/trader-switch": [switched],
  "0.1.0/trader-referral": referral,
  "0.1.0/trader-treasury": treasury,
  "0.1.0/trader-credit": [credited]
}

describe("TraderRecord", () => {
  it("decodes what it encodes, with amounts of any size", () => {
    fc.assert(
      fc.property(fc.array(traderEvent, { maxLength: 6 }), (events) => {
        assert.deepStrictEqual(TraderRecord.decode(TraderRecord.encode(events)), events)
      })
    )
  })

  // A release that adds a kind of event adds a folder for its version; existing files never change.
  it.each(Object.entries(kept))("I6: decodes %s", (name, events) => {
    assert.deepStrictEqual(TraderRecord.decode(fixture(name)), events)
  })

  it("the fixtures contain every kind of event", () => {
    const kinds = new Set(Object.values(kept).flatMap((events) => events.map(({ _tag }) => _tag)))
    const all = TraderEvent.members.map((member) => member.fields._tag.schema.literal)
    assert.deepStrictEqual([...kinds].toSorted(), all.toSorted())
  })

  it("rejects an unknown version and an empty record", () => {
    assert.throws(() => TraderRecord.decode(Uint8Array.of(7, 0x90)), /unknown version 7/)
    assert.throws(() => TraderRecord.decode(new Uint8Array()), /unknown version/)
  })
})
