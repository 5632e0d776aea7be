/** Refusals that the market itself decides, and idempotent commands. */
import { AccountId } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { id } from "../Id.ts"
import { eventOf, friday, orderIdOf, Scene, ticks, told, usd } from "./EngineScene.ts"

describe("price checks", () => {
  it("a market refuses orders as closed before its first price", () => {
    assert.deepStrictEqual(told(new Scene(NaN).buy(1, 200)), ["REJECTED_MARKET_CLOSED"])
  })

  it("at mark 204 during trading hours, refuses a buy at 225 and accepts a sell at 225", () => {
    const scene = new Scene(204)
    assert.deepStrictEqual(told(scene.buy(1, 225)), ["PRICE_GREATER_THAN_MAX_PRICE"])
    assert.deepStrictEqual(told(scene.sell(1, 225)), ["Accepted"])
    assert.deepStrictEqual(told(scene.buy(1, 224.4, { account: "bob" })), ["Accepted"])
    assert.deepStrictEqual(told(scene.sell(1, 183.59)), ["PRICE_LESS_THAN_MIN_PRICE"])
    assert.deepStrictEqual(told(scene.sell(1, 183.6)), ["Accepted", "Traded 1 @ 224.4 bob"])
  })

  it("refuses buys and sells outside the daily price bounds", () => {
    const scene = new Scene()
    assert.deepStrictEqual(told(scene.sell(1, 260.01)), ["PRICE_GREATER_THAN_MAX_PRICE"])
    assert.deepStrictEqual(told(scene.buy(1, 139.99)), ["PRICE_LESS_THAN_MIN_PRICE"])
    assert.deepStrictEqual(told(scene.sell(1, 260)), ["Accepted"])
    assert.deepStrictEqual(told(scene.buy(1, 140)), ["Accepted"])
  })

  it("refuses an order that is worth less than 10 USD at its price or at the mark", () => {
    const scene = new Scene()
    scene.sell(5, 200.5, { account: "bob" })
    assert.deepStrictEqual(told(scene.buy(0.049, 200)), ["REJECTED_LESS_THAN_MIN_NOTIONAL"])
    assert.deepStrictEqual(told(scene.buy(0.05, 200)), ["Accepted"])
    const market = { type: "MARKET", timeInForce: "IOC" } as const
    assert.deepStrictEqual(told(scene.buy(0.049, 0, market)), ["REJECTED_LESS_THAN_MIN_NOTIONAL"])
    assert.deepStrictEqual(told(scene.buy(0.05, 0, market)), ["Accepted", "Traded 0.05 @ 200.5 bob"])
  })

  it("a malformed order is refused and leaves the book unchanged", () => {
    const scene = new Scene()
    assert.deepStrictEqual(told(scene.buy(1, 200, { type: "STOP_MARKET" })), ["INVALID_ORDER_TYPE"])
    assert.deepStrictEqual(told(scene.buy(1, 200, { type: "MARKET" })), ["INVALID_TIME_IN_FORCE"])
    assert.deepStrictEqual(told(scene.buy(NaN, 200)), ["INVALID_TICK_SIZE_PRECISION_QUANTITY"])
    assert.deepStrictEqual(told(scene.buy(-1, 200)), ["INVALID_TICK_SIZE_PRECISION_QUANTITY"])
    assert.deepStrictEqual(told(scene.buy(1, NaN)), ["INVALID_TICK_SIZE_PRECISION_PRICE"])
    assert.deepStrictEqual(told(scene.modify(orderIdOf(scene.buy(1, 200)), { quantityLots: 0.5 })), [
      "INVALID_TICK_SIZE_PRECISION_QUANTITY"
    ])
    assert.deepStrictEqual(scene.levels(), ["BUY 1 @ 200"])
  })
})

describe("limit checks", () => {
  it("an account at its limit of open orders can still send orders that cannot rest", () => {
    const scene = new Scene(200, { maxOpenOrders: 2 })
    scene.buy(1, 190)
    scene.buy(1, 191)
    assert.deepStrictEqual(told(scene.buy(1, 192)), ["REJECTED_TOO_MANY_OPEN_ORDERS"])
    assert.deepStrictEqual(told(scene.buy(1, 192, { timeInForce: "IOC" })), ["Accepted", "IOC_CANCELLED 1 alice"])
    assert.deepStrictEqual(told(scene.buy(1, 192, { account: "bob" })), ["Accepted"])
  })

  it("rule 6.8: an account has a default limit of 200 open orders", () => {
    const scene = new Scene()
    for (let count = 0; count < 200; count++) scene.buy(1, 190)
    assert.deepStrictEqual(told(scene.buy(1, 190)), ["REJECTED_TOO_MANY_OPEN_ORDERS"])
    assert.lengthOf(scene.orders("alice"), 200)
  })

  it("a desk's refusal takes the same precedence as the market's own check for the same fault", () => {
    const scene = new Scene()
    const many = { finding: "REJECTED_TOO_MANY_OPEN_ORDERS" } as const
    const margin = { finding: "FAILED_MARGIN_CHECK" } as const
    const total = { finding: "REJECTED_TOTAL_OPEN_INTEREST_LIMIT" } as const
    assert.deepStrictEqual(told(scene.buy(1, 200, many)), ["REJECTED_TOO_MANY_OPEN_ORDERS"])
    assert.deepStrictEqual(told(scene.buy(1, 200, margin)), ["FAILED_MARGIN_CHECK"])
    assert.deepStrictEqual(told(scene.buy(1, 200, total)), ["REJECTED_TOTAL_OPEN_INTEREST_LIMIT"])
    assert.deepStrictEqual(told(scene.buy(1, 300, many)), ["PRICE_GREATER_THAN_MAX_PRICE"])
    assert.deepStrictEqual(told(scene.buy(1, 200, { ...margin, reduceOnly: true })), ["REJECTED"])
    for (const found of [margin, total])
      assert.deepStrictEqual(told(scene.buy(1, 200, { ...found, maxNotional: 1 })), [
        "REJECTED_WOULD_BREACH_MAX_NOTIONAL"
      ])
  })

  it("the position limit counts the positions and resting orders of all of a user's accounts", () => {
    const scene = new Scene()
    const limit = { maxNotional: 3_000_000_000 }
    scene.hold("alice", 5)
    scene.buy(4, 200, { account: "alice-2", user: "alice" })
    const other = { account: "alice-3", user: "alice", ...limit }
    assert.deepStrictEqual(told(scene.buy(6.001, 200, other)), ["REJECTED_WOULD_BREACH_MAX_NOTIONAL"])
    assert.deepStrictEqual(told(scene.buy(6, 200.01, other)), ["REJECTED_WOULD_BREACH_MAX_NOTIONAL"])
    assert.deepStrictEqual(told(scene.buy(6, 200, other)), ["Accepted"])
    assert.deepStrictEqual(told(scene.sell(10.001, 230, other)), ["REJECTED_WOULD_BREACH_MAX_NOTIONAL"])
    assert.deepStrictEqual(told(scene.sell(10, 230, other)), ["Accepted"])
  })

  it("rule 6.3: at the weekend the position limit is 250,000 USD, so a user with a long position of 300,000 USD can only sell", () => {
    const scene = new Scene()
    scene.hold("alice", 1500)
    scene.now = friday + 24 * 3_600_000
    scene.ask({ _tag: "Tick" })
    assert.strictEqual(Engine.prices(scene.engine)!.limitShareBps, 1_000)
    assert.deepStrictEqual(told(scene.buy(1, 200)), ["REJECTED_WOULD_BREACH_MAX_NOTIONAL"])
    assert.deepStrictEqual(told(scene.buy(1_250.001, 200, { account: "bob" })), ["REJECTED_WOULD_BREACH_MAX_NOTIONAL"])
    assert.deepStrictEqual(told(scene.buy(1_250, 200, { account: "bob" })), ["Accepted"])
    assert.deepStrictEqual(told(scene.sell(1501, 201)), ["REJECTED_WOULD_BREACH_MAX_NOTIONAL"])
    assert.deepStrictEqual(told(scene.sell(1500, 201)), ["Accepted"])
    assert.deepStrictEqual(told(scene.sell(1, 201)), ["REJECTED_WOULD_BREACH_MAX_NOTIONAL"])
  })

  it("near the open-interest limit, accepts a buy of 500, refuses a buy of 1,000, and always accepts a reducing order", () => {
    const scene = new Scene(204)
    const free = { maxNotional: 9e14 }
    scene.sell(122_000, 204, { account: "bob", ...free })
    scene.buy(122_000, 204, { account: "alice", ...free })
    assert.deepStrictEqual(told(scene.buy(1_000, 203, { account: "carol", ...free })), ["REJECTED_OPEN_INTEREST_LIMIT"])
    assert.deepStrictEqual(told(scene.buy(500, 203, { account: "carol", ...free })), ["Accepted"])
    assert.deepStrictEqual(told(scene.sell(1_000, 205, { account: "alice", ...free })), ["Accepted"])
  })
})

describe("repeated and outdated commands", () => {
  it("I8 I20: a repeat of any command emits no event and leaves the state unchanged", () => {
    const scene = new Scene()
    const commands = [
      scene.placing("SELL", 2, 200, { account: "bob" }),
      scene.placing("BUY", 1, 200),
      scene.placing("BUY", 1, 300),
      scene.placing("BUY", 1, 199, { timeInForce: "FOK" })
    ]
    for (const command of commands) scene.ask(command)
    scene.now += 60_000
    scene.ask({ _tag: "Tick" })
    const hash = Engine.hash(scene.engine)
    for (const command of commands) assert.deepStrictEqual(scene.ask(command), [])
    assert.strictEqual(Engine.hash(scene.engine), hash)
  })

  it("a command's outcome is returned until one minute after its expiry, and only to its user", () => {
    const scene = new Scene()
    const done = scene.placing("BUY", 1, 199, { expires: friday + 1_000 })
    const refused = scene.placing("BUY", 1, 300, { expires: friday + 90_000 })
    scene.ask(done)
    scene.ask(refused)
    scene.buy(1, 199, { account: "bob" })
    assert.strictEqual(Engine.outcome(scene.engine, done.commandId), "DONE")
    assert.strictEqual(Engine.outcome(scene.engine, id("never-seen")), undefined)
    const ofRefused = {
      commandId: refused.commandId,
      outcome: "PRICE_GREATER_THAN_MAX_PRICE",
      expiresAtMillis: refused.expiresAtMillis
    } as const
    assert.deepStrictEqual(Engine.outcomes(scene.engine, UserId.make("alice")), [
      { commandId: done.commandId, outcome: "DONE", expiresAtMillis: done.expiresAtMillis },
      ofRefused
    ])
    scene.now = friday + 61_001
    scene.cancelAll({ account: "carol" })
    assert.strictEqual(Engine.outcome(scene.engine, done.commandId), undefined)
    assert.deepStrictEqual(Engine.outcomes(scene.engine, UserId.make("alice")), [ofRefused])
  })

  it("retains exactly the unexpired outcomes while the ring buffer grows and wraps around", () => {
    const scene = new Scene(200, { maxOpenOrders: 10 })
    const ids = Array.from({ length: 5_000 }, () => scene.id())
    ids.forEach((id, i) => {
      scene.now = friday + i * 20
      scene.cancelAll({ id, account: `trader-${i % 7}` })
    })
    const kept = ids.filter((id) => Engine.outcome(scene.engine, id) === "DONE")
    assert.deepStrictEqual(kept, ids.slice(-3_501))
  })

  it("refuses a command that has expired by market time", () => {
    const scene = new Scene()
    const late = scene.placing("BUY", 1, 199, { expires: friday + 10 })
    scene.ask(scene.placing("BUY", 1, 199), friday + 11)
    assert.deepStrictEqual(told(scene.ask(late, friday)), ["EXPIRED"])
    assert.strictEqual(Engine.outcome(scene.engine, late.commandId), "EXPIRED")
  })

  it("I20: drops a command from an older trader epoch without an event, and executes the new owner's repeat", () => {
    const scene = new Scene()
    assert.deepStrictEqual(told(scene.ask({ _tag: "RaiseEpoch", userId: UserId.make("alice"), traderEpoch: 3 })), [
      "EpochRaised"
    ])
    assert.deepStrictEqual(told(scene.ask({ _tag: "RaiseEpoch", userId: UserId.make("alice"), traderEpoch: 3 })), [])
    const before = Engine.hash(scene.engine)
    const command = scene.placing("BUY", 1, 199, { epoch: 2 })
    assert.deepStrictEqual(scene.ask(command), [])
    assert.deepStrictEqual(scene.ask({ ...command, accountId: AccountId.make("alice-2") }), [])
    assert.isUndefined(Engine.outcome(scene.engine, command.commandId))
    assert.strictEqual(Engine.hash(scene.engine), before)
    assert.deepStrictEqual(told(scene.ask({ ...command, traderEpoch: 3 })), ["Accepted"])
    assert.deepStrictEqual(scene.ask(command), [])
    // A command for another user's account is refused, whatever its epoch.
    const bobs = { ...scene.placing("BUY", 1, 199), userId: UserId.make("bob") }
    assert.deepStrictEqual(told(scene.ask(bobs)), ["REJECTED_FAILED_TO_PROCESS"])
    assert.deepStrictEqual(told(scene.buy(1, 199, { account: "bob", epoch: 0 })), ["Accepted"])
  })

  it("forwards a desk's refusal with its status and the echoed request", () => {
    const scene = new Scene()
    const echo = {
      orderId: "",
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      price: 200.001,
      quantity: 1,
      clientOrderId: "mm-7",
      reduceOnly: false
    } as const
    const [event] = scene.ask({
      _tag: "Refuse",
      ...scene.envelope({}),
      status: "INVALID_TICK_SIZE_PRECISION_PRICE",
      echo
    })
    assert.deepInclude(event, { _tag: "Refused", status: "INVALID_TICK_SIZE_PRECISION_PRICE", echo })
  })

  it("a refused order echoes the request without an order id", () => {
    const scene = new Scene()
    assert.deepStrictEqual(eventOf(scene.buy(2.5, 300, { clientOrderId: "mm-7" }), "Refused").echo, {
      orderId: "",
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      price: 300,
      quantity: 2.5,
      clientOrderId: "mm-7",
      reduceOnly: false
    })
  })
})

describe("prices over time", () => {
  it("the mark is the median of oracle price, oracle price plus premium, and book price: 200.12 for 200, 200.12 and 200.24", () => {
    const scene = new Scene()
    scene.sell(1, 200.3, { account: "bob" })
    scene.buy(1, 200.3)
    scene.buy(1, 200.18)
    scene.sell(1, 200.24, { account: "bob" })
    Engine.apply(scene.engine, { ...Engine.prices(scene.engine)!, premiumE8: usd(0.12) })
    assert.strictEqual(eventOf(scene.ask({ _tag: "Tick" }), "Priced").markE8, usd(200.12))
    scene.now += 1_000
    assert.strictEqual(eventOf(scene.ask({ _tag: "Tick" }), "Priced").premiumE8, usd(0.120598))
  })

  it("a tick without a change emits no event, and the premium is frozen while the book has no mid price", () => {
    const scene = new Scene()
    scene.buy(1, 190)
    scene.now += 5_000
    const events = scene.ask({ _tag: "Tick" })
    assert.deepStrictEqual(told(events), ["Sampled", "Priced"])
    assert.deepInclude(eventOf(events, "Priced"), {
      bidTicks: ticks(190),
      askTicks: 0,
      premiumE8: 0
    })
    scene.now += 5_000
    assert.deepStrictEqual(scene.ask({ _tag: "Tick" }), [])
    scene.sell(1, 190.02, { account: "bob" })
    scene.now += 1_000
    assert.isBelow(eventOf(scene.ask({ _tag: "Tick" }), "Priced").premiumE8, 0)
  })

  it("the daily price bounds are computed from the price that is current at 00:00 UTC", () => {
    const scene = new Scene()
    scene.ask({ _tag: "Observe", priceE8: usd(210), teller: "operator" })
    assert.strictEqual(Engine.prices(scene.engine)!.maxPriceTicks, ticks(260))
    scene.now = Date.UTC(2026, 10, 21, 0, 0, 1)
    scene.ask({ _tag: "Observe", priceE8: usd(230), teller: "operator" })
    assert.deepInclude(Engine.prices(scene.engine), {
      minPriceTicks: ticks(147),
      maxPriceTicks: ticks(273),
      oracleE8: usd(230)
    })
  })

  it("I29: an invalid price is ignored", () => {
    const scene = new Scene()
    for (const priceE8 of [0, -1, NaN, 0.5, Infinity])
      assert.deepStrictEqual(scene.ask({ _tag: "Observe", priceE8, teller: "operator" }), [])
    assert.strictEqual(Engine.prices(scene.engine)!.oracleE8, usd(200))
  })

  it("I26 I29: ignores prices that are too high for exact arithmetic, so that funding stays exact to 1e-6 USD", () => {
    const scene = new Scene(204)
    const free = { maxNotional: 9e14 }
    scene.sell(122_000, 204, { account: "bob", ...free })
    scene.buy(122_000, 204, { account: "alice", ...free })
    for (const teller of ["operator", "external"] as const)
      assert.deepStrictEqual(scene.ask({ _tag: "Observe", priceE8: usd(36_885.25), teller }), [])
    assert.strictEqual(Engine.prices(scene.engine)!.oracleE8, usd(204))
    scene.ask({ _tag: "Observe", priceE8: usd(36_885.24), teller: "operator" })
    scene.buy(1, 40_000, { account: "bob" })
    scene.now += 3_600_000
    const { rateE12 } = eventOf(scene.ask({ _tag: "Tick" }), "Funded")
    assert.isAbove(rateE12 * usd(36_885.24) * 122_000, Number.MAX_SAFE_INTEGER)
    assert.isAbove(Engine.view(scene.engine, AccountId.make("bob")).position.funding, 3_000_000_000_000)
    assert.deepInclude(Engine.totals(scene.engine), { cash: 0, positions: 0 })
  })

  it("the best prices are returned in ticks", () => {
    const scene = new Scene()
    assert.deepStrictEqual(Engine.best(scene.engine), {
      bidTicks: undefined,
      askTicks: undefined,
      lastTicks: undefined
    })
    scene.hold("alice", 1, 200)
    scene.buy(1, 199)
    scene.sell(1, 201)
    assert.deepStrictEqual(Engine.best(scene.engine), {
      bidTicks: ticks(199),
      askTicks: ticks(201),
      lastTicks: ticks(200)
    })
  })
})
