/** Reduce-only orders never reverse or increase a position, alone or together. */
import { assert, describe, it } from "@effect/vitest"
import { lots, orderIdOf, Scene, ticks, told } from "./EngineScene.ts"

const reduceOnly = { reduceOnly: true } as const
const atOnce = { reduceOnly: true, timeInForce: "IOC" } as const

describe("I33: reduce-only orders", () => {
  it("rejects a reduce-only order without an opposite position", () => {
    const scene = new Scene()
    assert.deepStrictEqual(told(scene.buy(1, 199, reduceOnly)), ["REJECTED"])
    scene.hold("alice", 5)
    assert.deepStrictEqual(told(scene.buy(1, 199, reduceOnly)), ["REJECTED"])
    assert.deepStrictEqual(told(scene.sell(1, 201, reduceOnly)), ["Accepted"])
  })

  it("accepts a reduce-only order larger than the position and then cuts it to the position", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    assert.deepStrictEqual(told(scene.sell(8, 201, reduceOnly)), ["Accepted", "Modified 5 @ 201"])
    assert.deepStrictEqual(scene.levels(), ["SELL 5 @ 201"])
  })

  it("a resting reduce-only order is cut to the quantity that earlier reduce-only orders leave, and refused if that is 0", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(3, 201, reduceOnly)
    assert.deepStrictEqual(told(scene.sell(3, 202, reduceOnly)), ["Accepted", "Modified 2 @ 202"])
    assert.deepStrictEqual(told(scene.sell(1, 203, reduceOnly)), ["REJECTED"])
  })

  it("an immediate reduce-only order can close the whole position, although resting reduce-only orders exist", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(2, 201, reduceOnly)
    scene.sell(3, 202, reduceOnly)
    scene.buy(9, 200, { account: "bob" })
    assert.deepStrictEqual(told(scene.sell(1, 200, atOnce)), ["Accepted", "Traded 1 @ 200 bob", "Modified 2 @ 202"])
    assert.deepStrictEqual(told(scene.sell(3, 200, atOnce)), [
      "Accepted",
      "Traded 3 @ 200 bob",
      "CANCELLED 2 alice",
      "Modified 1 @ 201"
    ])
    assert.deepStrictEqual(told(scene.sell(7, 200, atOnce)), [
      "Accepted",
      "Modified 1 @ 200",
      "Traded 1 @ 200 bob",
      "CANCELLED 1 alice"
    ])
    assert.strictEqual(scene.position("alice"), 0)
  })

  it("resting reduce-only orders are cut before the next trade when another resting order shrinks the position", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(5, 200.5)
    scene.sell(5, 201, reduceOnly)
    assert.deepStrictEqual(told(scene.buy(10, 201, { account: "bob" })), [
      "Accepted",
      "Traded 5 @ 200.5 alice",
      "CANCELLED 5 alice"
    ])
    assert.deepStrictEqual(scene.levels(), ["BUY 5 @ 201"])
    assert.strictEqual(scene.position("alice"), 0)
  })

  it("a reduce-only order ends when the position reverses", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(5, 201, reduceOnly)
    scene.buy(8, 200, { account: "bob" })
    assert.deepStrictEqual(told(scene.sell(8, 200)), ["Accepted", "Traded 8 @ 200 bob", "CANCELLED 5 alice"])
    assert.strictEqual(scene.position("alice"), -3)
    assert.deepStrictEqual(told(scene.buy(3, 199, reduceOnly)), ["Accepted"])
  })

  it("a reduce-only order stays when the position grows", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(5, 201, reduceOnly)
    scene.hold("alice", 5)
    assert.deepStrictEqual(scene.orders("alice"), ["SELL 5 of 5 @ 201"])
  })

  it("a reduce-only order modified beyond the position is cut to the quantity that other reduce-only orders leave", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(2, 202, reduceOnly)
    const orderId = orderIdOf(scene.sell(1, 201, reduceOnly))
    const over = { side: "SELL", reduceOnly: true } as const
    assert.deepStrictEqual(told(scene.modify(orderId, { ...over, quantityLots: lots(9) })), [
      "Modified 3 @ 201 requeued",
      "Done"
    ])
    scene.buy(3, 200, { account: "bob" })
    assert.deepStrictEqual(told(scene.modify(orderId, { ...over, priceTicks: ticks(200) })), [
      "Modified 3 @ 200 requeued",
      "Traded 3 @ 200 bob",
      "Done"
    ])
    assert.deepStrictEqual(scene.orders("alice"), ["SELL 2 of 2 @ 202"])
    assert.strictEqual(scene.position("alice"), 2)
  })

  it("a crossing reduce-only order trades before resting reduce-only orders are cut, whatever its time in force", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(3, 202, reduceOnly)
    scene.sell(2, 203, reduceOnly)
    scene.buy(3, 200, { account: "bob" })
    assert.deepStrictEqual(told(scene.sell(3, 200, reduceOnly)), [
      "Accepted",
      "Traded 3 @ 200 bob",
      "CANCELLED 2 alice",
      "Modified 2 @ 202"
    ])
    assert.strictEqual(scene.position("alice"), 2)
  })

  it("a crossing reduce-only order rests only as much of its remainder as other reduce-only orders leave", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(3, 202, reduceOnly)
    scene.buy(1, 200, { account: "bob" })
    assert.deepStrictEqual(told(scene.sell(8, 200, reduceOnly)), [
      "Accepted",
      "Modified 5 @ 200",
      "Traded 1 @ 200 bob",
      "Modified 1 @ 200"
    ])
    assert.deepStrictEqual(scene.orders("alice"), ["SELL 3 of 3 @ 202", "SELL 1 of 2 @ 200"])
    scene.buy(1, 200, { account: "bob" })
    assert.deepStrictEqual(told(scene.buy(2, 199.99, { account: "bob" })), ["Accepted"])
    // The resting order already reduces the whole position of 3. Selling one cuts that order, so no quantity is left
    // for another resting order.
    assert.deepStrictEqual(told(scene.sell(3, 199.99, { ...reduceOnly, clientOrderId: "all" })), [
      "Accepted",
      "Traded 2 @ 199.99 bob",
      "Modified 1 @ 202",
      "CANCELLED 1 alice"
    ])
    assert.deepStrictEqual(scene.orders("alice"), ["SELL 1 of 1 @ 202"])
    assert.strictEqual(scene.position("alice"), 1)
  })

  it("rejects a reduce-only ALO order if no quantity is left to reduce, even at a crossing price", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(5, 202, reduceOnly)
    scene.buy(1, 200, { account: "bob" })
    assert.deepStrictEqual(told(scene.sell(1, 200, { ...reduceOnly, type: "ALO" })), ["REJECTED"])
  })

  it("the remainder of a reduce-only order that was modified to a crossing price still counts as the older order", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    const orderId = orderIdOf(scene.sell(2, 201, reduceOnly))
    scene.sell(3, 202, reduceOnly)
    scene.buy(1, 200, { account: "bob" })
    const over = { side: "SELL", reduceOnly: true, priceTicks: ticks(200), quantityLots: lots(9) } as const
    assert.deepStrictEqual(told(scene.modify(orderId, over)), [
      "Modified 5 @ 200 requeued",
      "Traded 1 @ 200 bob",
      "Modified 1 @ 200",
      "Done"
    ])
    assert.deepStrictEqual(scene.orders("alice"), ["SELL 1 of 2 @ 200", "SELL 3 of 3 @ 202"])
    // The newer order is cut first.
    assert.deepStrictEqual(told(scene.buy(1, 200, { account: "bob" })), ["Accepted", "Traded 1 @ 200 alice"])
    scene.buy(2, 199, { account: "bob" })
    assert.deepStrictEqual(told(scene.sell(2, 199, atOnce)), ["Accepted", "Traded 2 @ 199 bob", "Modified 1 @ 202"])
  })

  it("a reduce-only order modified to a crossing price ends if other orders leave no quantity for its remainder", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(4, 202, reduceOnly)
    const orderId = orderIdOf(scene.sell(1, 201, reduceOnly))
    scene.buy(1, 200, { account: "bob" })
    const over = { side: "SELL", reduceOnly: true, priceTicks: ticks(200), quantityLots: lots(3) } as const
    assert.deepStrictEqual(told(scene.modify(orderId, over)), [
      "Modified 3 @ 200 requeued",
      "Traded 1 @ 200 bob",
      "CANCELLED 2 alice",
      "Done"
    ])
    assert.deepStrictEqual(scene.orders("alice"), ["SELL 4 of 4 @ 202"])
  })

  it("a reduce-only MARKET order fills only at prices within both its own price limit and the price band", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    const sale = { ...atOnce, type: "MARKET" } as const
    scene.buy(1, 190, { account: "bob" })
    scene.buy(1, 185, { account: "bob" })
    scene.buy(1, 179.99, { account: "bob" })
    assert.deepStrictEqual(told(scene.sell(5, 185.01, sale)), [
      "Accepted",
      "Traded 1 @ 190 bob",
      "IOC_PARTIALLY_FILLED 4 alice"
    ])
    assert.deepStrictEqual(told(scene.sell(4, 170, sale)), [
      "Accepted",
      "Traded 1 @ 185 bob",
      "IOC_PARTIALLY_FILLED 3 alice"
    ])
    assert.deepStrictEqual(told(scene.sell(3, 0, sale)), ["Accepted", "IOC_CANCELLED 3 alice"])
  })

  it("a reduce-only order can be worth less than 10 USD", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    assert.deepStrictEqual(told(scene.sell(0.001, 201, reduceOnly)), ["Accepted"])
  })

  it("a FOK order does not count reduce-only quantity that its own match would cut", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(3, 200.5)
    scene.sell(5, 201, reduceOnly)
    assert.deepStrictEqual(told(scene.buy(6, 201, { account: "bob", timeInForce: "FOK" })), [
      "Accepted",
      "CANCELLED 6 bob"
    ])
    assert.deepStrictEqual(told(scene.buy(5, 201, { account: "bob", timeInForce: "FOK" })), [
      "Accepted",
      "Traded 3 @ 200.5 alice",
      "Modified 2 @ 201",
      "Traded 2 @ 201 alice"
    ])
  })

  it("reduce-only orders do not limit a close of the whole position", () => {
    const scene = new Scene()
    scene.hold("alice", -5)
    scene.buy(5, 199, reduceOnly)
    scene.sell(5, 200, { account: "bob" })
    assert.deepStrictEqual(told(scene.close()), ["Accepted", "Traded 5 @ 200 bob", "CANCELLED 5 alice"])
    assert.strictEqual(scene.position("alice"), 0)
  })
})
