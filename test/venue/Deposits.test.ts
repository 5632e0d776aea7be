/** Every state of a deposit, on simulated rails. */
import { DepositMessages } from "@venue/storage/treasury/DepositMessages"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { addressOf, depositOf, has, pass, pathOf, simulated, story, usd } from "./Rails.ts"
import * as Changes from "../storage/treasury/Changes.ts"

story(
  "rule 17.3, I16: detects a deposit, confirms it after 20 blocks, and credits it within two further polls",
  (venue) =>
    Effect.gen(function* () {
      const amy = yield* venue.user("amy", 0)
      const address = yield* addressOf(amy, "ARBITRUM_ONE")
      const { deposit } = yield* simulated("ARBITRUM_ONE")
      yield* pass(3)
      const txHash = yield* deposit(address, usd(100), null)
      yield* pass(2)
      assert.strictEqual((yield* depositOf("ARBITRUM_ONE", txHash))?.state, "DETECTED")
      yield* pass(16)
      assert.strictEqual(yield* has(amy), 0n)
      yield* pass(5)
      assert.strictEqual(yield* pathOf("ARBITRUM_ONE", txHash), "DETECTED CONFIRMED CREDITED")
      assert.strictEqual(yield* has(amy), usd(100))
      yield* pass(120)
      assert.isTrue((yield* depositOf("ARBITRUM_ONE", txHash))?.isFinal)
      assert.strictEqual(yield* has(amy), usd(100))
    })
)

story("rule 17.4: keeps a deposit below the minimum as confirmed with a reason, and credits no user", (venue) =>
  Effect.gen(function* () {
    const amy = yield* venue.user("amy", 0)
    const { deposit } = yield* simulated("TRON")
    const txHash = yield* deposit(yield* addressOf(amy, "TRON"), usd(5) - 1n, null)
    yield* pass(130)
    const found = yield* depositOf("TRON", txHash)
    assert.deepInclude(found, { state: "CONFIRMED", reason: "below-minimum" })
    assert.strictEqual(yield* has(amy), 0n)
  })
)

story(
  "I16: credits a deposit dropped by a 3-block reorganisation once if it is included again, and otherwise never",
  (venue) =>
    Effect.gen(function* () {
      const amy = yield* venue.user("amy", 0)
      const address = yield* addressOf(amy, "ARBITRUM_ONE")
      const { deposit, reorganise } = yield* simulated("ARBITRUM_ONE")
      yield* pass(5)
      const again = yield* deposit(address, usd(10), null)
      yield* pass(2)
      yield* reorganise(3, true)
      yield* pass(25)
      assert.strictEqual((yield* depositOf("ARBITRUM_ONE", again))?.state, "CREDITED")
      const never = yield* deposit(address, usd(20), null)
      yield* pass(2)
      yield* reorganise(3, false)
      yield* pass(30)
      assert.strictEqual(yield* pathOf("ARBITRUM_ONE", never), "DETECTED DROPPED")
      assert.strictEqual(yield* has(amy), usd(10))
    })
)

story(
  "I16: reverses a credited deposit once after a 30-block reorganisation, even if the balance becomes negative",
  (venue) =>
    Effect.gen(function* () {
      const amy = yield* venue.user("amy", 0)
      const address = yield* addressOf(amy, "TRON")
      const { deposit, reorganise } = yield* simulated("TRON")
      yield* pass(5)
      const stays = yield* deposit(address, usd(10), null)
      yield* pass(25)
      yield* reorganise(30, true)
      yield* pass(70)
      assert.strictEqual(yield* pathOf("TRON", stays), "DETECTED CONFIRMED CREDITED")
      const goes = yield* deposit(address, usd(50), null)
      yield* pass(25)
      assert.strictEqual(yield* has(amy), usd(60))
      yield* reorganise(30, false)
      yield* pass(50)
      assert.isNotNull((yield* depositOf("TRON", goes))?.goneSinceMillis)
      assert.strictEqual((yield* depositOf("TRON", goes))?.state, "CREDITED")
      yield* pass(30)
      assert.strictEqual(yield* pathOf("TRON", goes), "DETECTED CONFIRMED CREDITED REVERSED")
      assert.strictEqual(yield* has(amy), usd(10))
    })
)

story(
  "rule 17.6: credits a bank deposit by its reference, holds it if the reference is invalid, and debits a returned one once",
  (venue) =>
    Effect.gen(function* () {
      const amy = yield* venue.user("amy", 0)
      const { message } = yield* (yield* DepositMessages).provide(amy.userId, "ach_push")
      const { deposit, takeBack } = yield* simulated("BANK")
      const txHash = yield* deposit(message, usd(200), "ach_push")
      const nobodys = yield* deposit(`${message} `, usd(300), "wire")
      yield* pass(3)
      assert.deepInclude(yield* depositOf("BANK", txHash), { state: "CREDITED", method: "ach_push" })
      assert.deepInclude(yield* depositOf("BANK", nobodys), { state: "CONFIRMED", reason: "unknown-message" })
      const { assign } = yield* Changes.deposits
      yield* assign(`BANK/${nobodys}/0`, amy.userId, null)
      yield* pass(2)
      assert.strictEqual(yield* has(amy), usd(500))
      assert.isTrue(yield* takeBack(txHash))
      assert.isFalse(yield* takeBack(txHash))
      yield* pass(3)
      assert.strictEqual(yield* pathOf("BANK", txHash), "DETECTED CONFIRMED CREDITED REVERSED")
      assert.strictEqual(yield* has(amy), usd(300))
    })
)

story(
  "reports since when a rail has been unreachable, and credits its deposits once the rail responds again",
  (venue) =>
    Effect.gen(function* () {
      const amy = yield* venue.user("amy", 0)
      const { cutOff, deposit } = yield* simulated("ARBITRUM_ONE")
      const { find } = yield* RailStates
      const address = yield* addressOf(amy, "ARBITRUM_ONE")
      yield* pass(2)
      yield* cutOff(90)
      yield* deposit(address, usd(40), null)
      yield* pass(2)
      const since = (yield* find("ARBITRUM_ONE")).unavailableSinceMillis
      assert.isNotNull(since)
      yield* pass(60)
      assert.strictEqual((yield* find("ARBITRUM_ONE")).unavailableSinceMillis, since)
      assert.strictEqual(yield* has(amy), 0n)
      yield* pass(100)
      assert.isNull((yield* find("ARBITRUM_ONE")).unavailableSinceMillis)
      assert.strictEqual(yield* has(amy), usd(40))
    })
)
