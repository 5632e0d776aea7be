/**
 * State that each release stored, read by this one: a market's and a trader's logs and snapshots, with the hash of
 * their state. A release adds its own file and never changes an earlier one. Records of every kind are in
 * `test/journal/fixtures`, and table rows are in `0.1.0.sql`.
 */
import * as MarketSnapshot from "@venue/cluster/entities/market/MarketSnapshot"
import { initialInstruments } from "@venue/domain/Instrument"
import * as OpenInterest from "@venue/domain/OpenInterest"
import { UserId } from "@venue/domain/UserId"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as TraderRecord from "@venue/journal/TraderRecord"
import * as Ledger from "@venue/ledger/Ledger"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { unpack } from "msgpackr"
import { readdirSync, readFileSync } from "node:fs"

interface Stored {
  /** Journal rows in order, in base64. */
  readonly log: ReadonlyArray<string>
  /** Snapshot after the last row, in base64. */
  readonly snapshot: string
  readonly hash: string
}

interface Release {
  readonly market: Stored
  readonly trader: Stored
}

const folder = new URL("./", import.meta.url)
const releases = readdirSync(folder).filter((file) => file.endsWith(".json"))
const bytes = (text: string) => Buffer.from(text, "base64")

const apple = initialInstruments.find(({ symbol }) => symbol === "AAPL-USD")!
const instruments = new Map(initialInstruments.map((instrument) => [instrument.symbol, instrument]))
const newTrader = () => Ledger.make(UserId.make("alice"), instruments, new Map(), OpenInterest.none(), Ledger.defaults)

describe.each(releases)("I6: state stored by %s", (file) => {
  const { market, trader }: Release = JSON.parse(readFileSync(new URL(file, folder), "utf8"))

  it("replaying a market's log from an earlier release reproduces the recorded state", () => {
    const engine = Engine.make(apple, Engine.defaults)
    for (const row of market.log) for (const event of MarketRecord.decode(bytes(row))) Engine.apply(engine, event)
    assert.strictEqual(Engine.hash(engine), market.hash)
  })

  it("restoring a market's snapshot from an earlier release reproduces the recorded state", () => {
    const snapshot = MarketSnapshot.decode(bytes(market.snapshot))!
    assert.strictEqual(Engine.hash(Engine.restore(apple, Engine.defaults, snapshot)), market.hash)
  })

  it("replaying a trader's log from an earlier release reproduces the recorded state", () => {
    const replayed = newTrader()
    for (const row of trader.log) for (const event of TraderRecord.decode(bytes(row))) Ledger.apply(replayed, event)
    assert.strictEqual(Ledger.hash(replayed), trader.hash)
  })

  it("restoring a trader's snapshot from an earlier release reproduces the recorded state", () => {
    const restored = newTrader()
    Ledger.restore(restored, Ledger.readSnapshot(unpack(bytes(trader.snapshot)))!)
    assert.strictEqual(Ledger.hash(restored), trader.hash)
  })
})
