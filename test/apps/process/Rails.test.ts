/** Tests of a venue's connections to its rails, which environment variables configure. */
import { RailProviders } from "@venue/providers/rails/RailProvider"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import { assert, describe, it } from "@effect/vitest"
import { Config, ConfigProvider, Context, Effect, Layer, Redacted } from "effect"
import { inspect } from "node:util"
import * as ArbitrumSettings from "../../../apps/process/ArbitrumSettings.ts"
import * as BankSettings from "../../../apps/process/BankSettings.ts"
import * as Rails from "../../../apps/process/Rails.ts"
import * as TronSettings from "../../../apps/process/TronSettings.ts"
import * as TestChain from "../../providers/rails/arbitrum/TestChain.ts"
import * as TestRail from "../../providers/rails/arbitrum/TestRail.ts"
import * as TestWallet from "../wallet/TestWallet.ts"
import { tronKeyText } from "../wallet/TronOrders.ts"

type Variables = Readonly<Record<string, string>>

const connected = (variables: Variables) =>
  Effect.gen(function* () {
    const settings = yield* Config.all({
      arbitrum: ArbitrumSettings.all,
      tron: TronSettings.all,
      bank: BankSettings.all
    })
    return Context.get(yield* Layer.build(Rails.layer(settings)), RailProviders)
  }).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(variables)))

const local = {
  VENUE_ARBITRUM_RPC_URLS: "http://127.0.0.1:9",
  VENUE_ARBITRUM_XPUB: TestRail.xpub,
  VENUE_WALLET_HOT_KEY: TestRail.hotKey,
  VENUE_WALLET_XPRV: TestRail.xprv
}
const wallet = { VENUE_WALLET_URL: "http://127.0.0.1:9", VENUE_WALLET_SECRET: TestWallet.secret }
const { VENUE_ARBITRUM_RPC_URLS, VENUE_ARBITRUM_XPUB } = local

describe("a venue's rails on Arbitrum One", () => {
  it.live("connects a payment rail only if its endpoint is configured", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* connected({})).size, 0)
      // Containers pass unset variables as empty text.
      const empty = { VENUE_ARBITRUM_RPC_URLS: "", VENUE_TRON_NODE_URLS: "", VENUE_BANK_URL: "", VENUE_WALLET_URL: "" }
      assert.strictEqual((yield* connected(empty)).size, 0)
    }).pipe(Effect.scoped)
  )

  it.live("pays through the venue's wallet if rail endpoints are configured", () =>
    Effect.gen(function* () {
      const chain = yield* TestChain.make
      yield* chain.giveGas(TestRail.hot, 10n ** 18n)
      yield* chain.mint(TestRail.hot, 9_000_000n)
      yield* chain.mine()
      const { url } = yield* Effect.flatMap(TestWallet.options(chain.token), TestWallet.open)
      const rails = yield* connected({
        VENUE_ARBITRUM_RPC_URLS: `${chain.url}, ${chain.url}`,
        VENUE_ARBITRUM_LEAST_ENDPOINTS: "2",
        VENUE_ARBITRUM_TOKEN: chain.token,
        VENUE_ARBITRUM_XPUB,
        VENUE_WALLET_URL: `${url}/`,
        VENUE_WALLET_SECRET: TestWallet.secret
      })
      const rail = rails.get("ARBITRUM_ONE")!
      assert.strictEqual(rail.addressAt!(0), TestRail.addressAt(0))
      const payment = yield* rail.sign(TestRail.order({ amount: 4_000_000n }))
      yield* rail.send(payment)
      yield* chain.mine(66)
      assert.strictEqual((yield* rail.outcome([payment]))._tag, "Settled")
    }).pipe(Effect.scoped)
  )

  it.live("a gateway derives deposit addresses from public keys only, and cannot pay", () =>
    Effect.gen(function* () {
      const given = { VENUE_ARBITRUM_XPUB, VENUE_TRON_XPUB: TestRail.xpub, VENUE_BANK_URL: "https://bank.example" }
      const settings = yield* Config.all({
        arbitrum: ArbitrumSettings.all,
        tron: TronSettings.all,
        bank: BankSettings.all
      }).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(given)))
      const rails = Context.get(yield* Layer.build(Rails.layerGateway(settings)), RailProviders)
      assert.strictEqual(rails.get("ARBITRUM_ONE")!.addressAt!(5), TestRail.addressAt(5))
      assert.match(rails.get("TRON")!.addressAt!(5), /^T/)
      assert.strictEqual(rails.get("ARBITRUM_ONE")!.tokenContract, "0xaf88d065e77c8cC2239327C5EDb3A432268e5831")
      assert.strictEqual(rails.get("TRON")!.tokenContract, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t")
      const refused = yield* Effect.flip(rails.get("ARBITRUM_ONE")!.sign(TestRail.order()))
      assert.match(String(Reflect.get(refused, "cause")), /this process makes no payments/)
      assert.sameMembers([...rails.keys()], ["ARBITRUM_ONE", "TRON", "BANK"])
      for (const rail of rails.values()) {
        const unasked = yield* Effect.flip(rail.scan(null, TestRail.watching()))
        assert.strictEqual(unasked._tag, "RailUnavailable")
      }
    }).pipe(Effect.scoped)
  )

  it.live("refuses a missing or wrong Arbitrum setting, and names the setting without printing a key", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* connected(local)).size, 1)
      assert.strictEqual((yield* connected({ VENUE_ARBITRUM_RPC_URLS, VENUE_ARBITRUM_XPUB, ...wallet })).size, 1)
      const refusals: ReadonlyArray<readonly [Variables, RegExp]> = [
        [{ VENUE_ARBITRUM_RPC_URLS: "wss://canary@chain" }, /^VENUE_ARBITRUM_RPC_URLS: expected http or https/],
        [{ VENUE_ARBITRUM_XPUB: "" }, /^VENUE_ARBITRUM_XPUB: expected an extended public key/],
        [{ VENUE_ARBITRUM_XPUB: TestRail.xprv }, /^VENUE_ARBITRUM_XPUB: .* this one is private/],
        [{ VENUE_ARBITRUM_TOKEN: "USDC" }, /^VENUE_ARBITRUM_TOKEN: expected the address/],
        [
          { VENUE_ARBITRUM_TOKEN: `0x${"0".repeat(40)}` },
          /^VENUE_ARBITRUM_TOKEN: expected the address of the token contract, not the zero address/
        ],
        [{ VENUE_ARBITRUM_BLOCKS_AT_ONCE: "0" }, /^VENUE_ARBITRUM_BLOCKS_AT_ONCE: expected 1 to 100000/],
        [{ VENUE_ARBITRUM_LEAST_ENDPOINTS: "2" }, /^VENUE_ARBITRUM_LEAST_ENDPOINTS: expected 1 to 1/],
        [{ VENUE_ARBITRUM_MAX_FEE_GWEI: "0" }, /^VENUE_ARBITRUM_MAX_FEE_GWEI: expected 1 gwei or more/],
        [{ VENUE_ARBITRUM_STALE_SECONDS: "0" }, /^VENUE_ARBITRUM_STALE_SECONDS: expected 1 s or more/],
        [{ VENUE_ARBITRUM_OVERDUE_SECONDS: "0" }, /^VENUE_ARBITRUM_OVERDUE_SECONDS: expected 1 s or more/],
        [{ VENUE_ARBITRUM_SWEEP_ABOVE: "0" }, /^VENUE_ARBITRUM_SWEEP_ABOVE: expected 1 USD or more/],
        [{ VENUE_WALLET_HOT_KEY: "0xcanary" }, /expected the private key of the hot account/],
        [
          { VENUE_WALLET_XPRV: TestRail.otherXprv },
          /^VENUE_WALLET_XPRV: expected the private key for the public key in VENUE_ARBITRUM_XPUB/
        ],
        [wallet, /^VENUE_WALLET_HOT_KEY: expected no value: the wallet holds this key/]
      ]
      for (const [changed, message] of refusals) {
        const refused = yield* Effect.flip(connected({ ...local, ...changed }))
        assert.match(refused.message, message)
        for (const secret of ["canary", TestRail.xprv, TestRail.hotKey]) assert.notInclude(inspect(refused), secret)
      }
      const missing: ReadonlyArray<readonly [Variables, RegExp]> = [
        [
          {},
          /^VENUE_WALLET_URL: expected the URL of the wallet; in development, you can set VENUE_WALLET_HOT_KEY and VENUE_WALLET_XPRV/
        ],
        [{ ...wallet, VENUE_WALLET_SECRET: "" }, /^VENUE_WALLET_SECRET: expected the secret that the wallet expects/],
        [{ ...wallet, VENUE_WALLET_URL: "wallet" }, /^VENUE_WALLET_URL: expected the URL of the wallet/]
      ]
      for (const [given, message] of missing) {
        const refused = yield* Effect.flip(connected({ VENUE_ARBITRUM_RPC_URLS, VENUE_ARBITRUM_XPUB, ...given }))
        assert.match(refused.message, message)
      }
    }).pipe(Effect.scoped)
  )
})

const refusals = Effect.fnUntraced(function* (
  right: Variables,
  all: ReadonlyArray<readonly [Variables, RegExp]>,
  secrets: ReadonlyArray<string>
) {
  assert.strictEqual((yield* connected(right)).size, 1)
  for (const [changed, message] of all) {
    const refused = yield* Effect.flip(connected({ ...right, ...changed }))
    assert.match(refused.message, message)
    for (const secret of secrets) assert.notInclude(inspect(refused), secret)
  }
})

describe("TRON rail", () => {
  const tron = {
    VENUE_TRON_NODE_URLS: "http://127.0.0.1:9/canary, https://127.0.0.1:9",
    VENUE_TRON_XPUB: TestRail.xpub,
    VENUE_WALLET_TRON_KEY: tronKeyText
  }

  it.live("derives TRON addresses in the chain's format from the extended public key", () =>
    Effect.gen(function* () {
      const rail = (yield* connected(tron)).get("TRON")!
      assert.match(rail.addressAt!(0), /^T[1-9A-HJ-NP-Za-km-z]{33}$/)
      assert.strictEqual(rail.addressAt!(0), TronAddress.ofEvm(TestRail.addressAt(0)))
    }).pipe(Effect.scoped)
  )

  it.live("refuses a missing or wrong TRON setting, and names the setting without printing a key", () =>
    refusals(
      tron,
      [
        [{ VENUE_TRON_NODE_URLS: "wss://canary@chain" }, /^VENUE_TRON_NODE_URLS: expected http or https/],
        [{ VENUE_TRON_NODE_URLS: " , " }, /^VENUE_TRON_NODE_URLS: expected http or https/],
        [{ VENUE_TRON_XPUB: "" }, /^VENUE_TRON_XPUB: expected an extended public key/],
        [{ VENUE_TRON_XPUB: TestRail.xprv }, /^VENUE_TRON_XPUB: .* this one is private/],
        [{ VENUE_TRON_TOKEN: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831" }, /^VENUE_TRON_TOKEN: expected the address/],
        [
          { VENUE_TRON_TOKEN: TronAddress.ofHex(`41${"0".repeat(40)}`) },
          /^VENUE_TRON_TOKEN: expected the address of the token contract, not the zero address/
        ],
        [{ VENUE_TRON_FEE_LIMIT_TRX: "0" }, /^VENUE_TRON_FEE_LIMIT_TRX: expected 1 to 15000/],
        [{ VENUE_TRON_GENESIS: "mainnet" }, /^VENUE_TRON_GENESIS: expected the id of the first block/],
        [{ VENUE_WALLET_TRON_KEY: "canary" }, /^VENUE_WALLET_TRON_KEY: expected a private key/],
        [{ VENUE_WALLET_TRON_KEY: "0".repeat(64) }, /^VENUE_WALLET_TRON_KEY: expected a private key/],
        [wallet, /^VENUE_WALLET_TRON_KEY: expected no value: the wallet holds this key/]
      ],
      ["canary", TestRail.xprv, tronKeyText]
    ).pipe(Effect.scoped)
  )

  it.live("if TRON node URLs are set but no wallet or key, names the missing wallet setting", () =>
    Effect.gen(function* () {
      const { VENUE_TRON_NODE_URLS, VENUE_TRON_XPUB } = tron
      const refused = yield* Effect.flip(connected({ VENUE_TRON_NODE_URLS, VENUE_TRON_XPUB }))
      assert.match(
        refused.message,
        /^VENUE_WALLET_URL: expected the URL of the wallet; in development, you can set VENUE_WALLET_TRON_KEY/
      )
      assert.strictEqual((yield* connected({ VENUE_TRON_NODE_URLS, VENUE_TRON_XPUB, ...wallet })).size, 1)
    }).pipe(Effect.scoped)
  )
})

describe("bank rail", () => {
  it.live("refuses a missing or wrong bank setting, and names the setting without printing a key", () =>
    refusals(
      { VENUE_BANK_URL: "http://127.0.0.1:9/v1/", VENUE_BANK_KEY: "canary" },
      [
        [{ VENUE_BANK_URL: "bank" }, /^VENUE_BANK_URL: expected an http or https URL/],
        [{ VENUE_BANK_URL: "https://bank.example?key=canary" }, /^VENUE_BANK_URL: expected .* without a query/],
        [{ VENUE_BANK_KEY: "" }, /^VENUE_BANK_KEY: expected the key that the bank issued/]
      ],
      ["canary"]
    ).pipe(Effect.scoped)
  )

  it.live("accepts bank webhooks only if a webhook secret in the right format is configured", () =>
    Effect.gen(function* () {
      const secretOf = (variables: Variables) =>
        Effect.flatMap(Config.all({ bank: BankSettings.all }), ({ bank }) => BankSettings.webhookSecretOf(bank)).pipe(
          Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(variables))
        )
      assert.isUndefined(yield* secretOf({}))
      const right = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
      assert.strictEqual(Redacted.value((yield* secretOf({ VENUE_BANK_WEBHOOK_SECRET: right }))!), right)
      const refused = yield* Effect.flip(secretOf({ VENUE_BANK_WEBHOOK_SECRET: "canary" }))
      assert.match(refused.message, /^VENUE_BANK_WEBHOOK_SECRET: expected whsec_ followed by 24 to 64 bytes/)
      assert.notInclude(inspect(refused), "canary")
    })
  )
})
