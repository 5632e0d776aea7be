/**
 * Tests of a trader's stops: they hold no margin, are listed with the trader's orders, and can be referenced without
 * a symbol.
 */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import type { Order, StopRequest } from "@venue/domain/Order"
import { orderIdFrom } from "@venue/domain/OrderId"
import { flat } from "@venue/domain/Position"
import * as Ledger from "@venue/ledger/Ledger"
import { assert, test } from "@effect/vitest"
import { id } from "../Id.ts"
import { aapl, alice, gold, make, orderOf, type Scene } from "./Scene.ts"

const account = primaryAccountOf(alice)
const stopLoss = { type: "STOP_LOSS" } as const

const longFive = () => {
  const scene = make()
  scene.credit(10_000)
  scene.price(aapl, 200)
  scene.hold(5, 200)
  return scene
}

/** Records the placement by the market. */
const placed = (scene: Scene, quantity: number, price: number): Order => {
  const command = scene.placed("SELL", quantity, price, stopLoss)
  const order = orderOf(command)
  const { commandId, leverage, takerRate } = command
  const terms = { takerRate, leverage, parentId: null }
  scene.observe({ _tag: "StopPlaced", commandId, expiresAtMillis: 0, order, ...terms, atMillis: 0 })
  return order
}
const listed = (scene: Scene) => Ledger.orders(scene.trader, account).map(({ order }) => order.quantityLots)

test("rule 15.2: holds no margin for a stop, excludes it from the open orders, and still allows leverage changes", () => {
  const scene = longFive()
  const before = scene.balance()
  const order = placed(scene, 5, 190)
  assert.deepStrictEqual(scene.balance(), before)
  assert.strictEqual(Ledger.pending(scene.trader, account, aapl), 0)
  assert.strictEqual(Ledger.holdings(scene.trader, account)[0]!.openOrders, 0)
  assert.deepStrictEqual(Ledger.order(scene.trader, account, aapl, order.orderId.text)?.order, order)
  // A stop does not reduce the closable quantity, so the whole position can still be sold.
  assert.isNull(scene.placed("SELL", 5, 190).finding)
})

test("rule 15.6: applies the market's changes to a stop, and removes the stop when it ends or fires", () => {
  const scene = longFive()
  const [first, second] = [placed(scene, 5, 190), placed(scene, 4, 191)]
  assert.deepStrictEqual(listed(scene), [4_000, 5_000])
  const cut = { ...first, quantityLots: 3_000, remainingLots: 3_000, modified: true }
  scene.observe({ _tag: "Modified", commandId: null, order: cut, requeued: false, atMillis: 0 })
  assert.deepStrictEqual(listed(scene), [4_000, 3_000])
  scene.end(second)
  assert.deepStrictEqual(listed(scene), [3_000])
  const order = { ...cut, type: "STOP_MARKET", timeInForce: "IOC" } as const
  scene.observe({ _tag: "Triggered", stopType: "STOP_LOSS", order, atMillis: 0 })
  assert.deepStrictEqual(listed(scene), [])
  scene.end(order, "IOC_CANCELLED")
  assert.strictEqual(scene.balance().orderMargin, 0n)
})

test("a market's view replaces the trader's stops in that market", () => {
  const scene = longFive()
  const [gone, kept] = [placed(scene, 5, 190), placed(scene, 4, 191)]
  const view = { position: { ...flat(), quantityLots: 5_000 }, isFrozen: false, orders: [], stops: [kept] }
  Ledger.adopt(scene.trader, aapl, account, view)
  Ledger.adopt(scene.trader, aapl, account, view)
  assert.deepStrictEqual(listed(scene), [4_000])
  assert.isUndefined(Ledger.order(scene.trader, account, aapl, gone.orderId.text))
})

test("rule 15.7: treats a stop request as an order request with the stop's id if side and type match", () => {
  const scene = longFive()
  const { orderId } = placed(scene, 5, 190)
  const envelope = { commandId: id("asked"), expiresAtMillis: 60_000, accountId: account, symbol: aapl }
  const named = { ...envelope, orderId: orderId.text }
  const change = { side: null, type: null, price: 191, quantity: 0 }
  const target = (request: StopRequest) => Ledger.stopTarget(scene.trader, request)
  const cancel = { _tag: "CancelStop", ...named, symbol: aapl } as const
  assert.deepStrictEqual(target(cancel), { _tag: "CancelOrder", ...named, byClientOrderId: false })
  const modify = { _tag: "ModifyStop", ...named, ...change } as const
  const asOrder = { side: "SELL", type: "STOP_LOSS", reduceOnly: true, price: 191, quantity: 0 } as const
  assert.deepStrictEqual(target(modify), { _tag: "ModifyOrder", ...named, ...asOrder })
  assert.isUndefined(target({ ...modify, side: "BUY" }))
  assert.isUndefined(target({ ...modify, type: "TAKE_PROFIT" }))
  assert.isUndefined(target({ ...modify, symbol: gold }))
  assert.isUndefined(target({ ...cancel, orderId: orderIdFrom(id("other")).text }))
  assert.isUndefined(target({ ...cancel, accountId: AccountId.make("bob") }))
  assert.deepInclude(scene.modification({ ...orderOf(scene.placed("SELL", 5, 190, stopLoss)), orderId }, 191, 0), {
    _tag: "Modify",
    finding: null,
    priceTicks: 19_100
  })
})
