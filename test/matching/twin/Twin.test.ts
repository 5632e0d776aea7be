/** The matching engine compared with its slow twin, and with the invariants, on random streams. */
import { AccountId } from "@venue/domain/AccountId"
import type { Fill, MarketCommand, MarketEvent } from "@venue/domain/Market"
import type { Order } from "@venue/domain/Order"
import { isStop } from "@venue/domain/Stop"
import type { Position } from "@venue/domain/Position"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { assertAlike, decide, emptyEngine, play } from "./Play.ts"
import { accountsIn, isOfVenue, isTraderCommand, make, make as makeStream } from "./Streams.ts"
import { repeated } from "./StreamChanges.ts"

describe("engine and reference implementation", () => {
  it(
    "I23: on 1,500 random streams the engine's events equal the reference implementation's",
    { timeout: 900_000 },
    () => {
      for (let seed = 1; seed <= 1_500; seed++) assertAlike(make(seed))
    }
  )

  it("I32: on 600 streams with passing hours, each hour is paid once or skipped", { timeout: 900_000 }, () => {
    let paid = 0
    for (let seed = 1; seed <= 600; seed++) {
      const stream = make(seed, undefined, "hourly")
      assertAlike(stream)
      const engine = emptyEngine(stream)
      const events = stream.steps.flatMap((step) => decide(engine, step))
      paid += events.filter((event) => event._tag === "Funded" && event.remainder > 0).length
    }
    assert.isAbove(paid, 30)
  })

  it(
    "I23: on ten long streams with deep books and reused slots the engine's events equal the reference implementation's",
    { timeout: 900_000 },
    () => {
      for (let seed = 1; seed <= 10; seed++) assertAlike(make(seed, 2_000))
    }
  )
})

describe("idempotent commands", () => {
  it("I20: a repeat emits no event, changes no state and keeps the first outcome; a former owner's repeat is dropped", () => {
    for (let seed = 1; seed <= 150; seed++) {
      const stream = make(seed)
      const engine = emptyEngine(stream)
      const epochs = new Map<string, number>()
      const recorded = new Set<string>()
      for (const step of stream.steps) {
        decide(engine, step)
        if (step.command._tag === "RaiseEpoch") epochs.set(step.command.userId, step.command.traderEpoch)
        if (!isTraderCommand(step.command)) continue
        const outcome = Engine.outcome(engine, step.command.commandId)
        const before = Engine.hash(engine)
        const { commandId, traderEpoch, userId } = step.command
        if (traderEpoch >= (epochs.get(userId) ?? 0)) recorded.add(commandId.text)
        assert.strictEqual(outcome !== undefined, recorded.has(commandId.text))
        assert.deepStrictEqual(decide(engine, step), [])
        assert.deepStrictEqual(Engine.hash(engine), before)
        assert.strictEqual(Engine.outcome(engine, step.command.commandId), outcome)
      }
    }
  })

  it("I20: a repeat sent after its id was forgotten is refused as expired", () => {
    for (let seed = 1; seed <= 150; seed++) {
      const stream = make(seed)
      const engine = emptyEngine(stream)
      for (const step of stream.steps) decide(engine, step)
      const atMillis = stream.steps[0]!.atMillis + 2 * 86_400_000
      decide(engine, { atMillis, command: { _tag: "Tick" } })
      for (const { command } of stream.steps) {
        if (!isTraderCommand(command)) continue
        const said = decide(engine, { atMillis, command }).filter(({ _tag }) => _tag !== "Priced")
        const refused = said.filter((event) =>
          isOfVenue(command) ? event._tag === "Done" : event._tag === "Refused" && event.status === "EXPIRED"
        )
        assert.strictEqual(refused.length, said.length)
      }
    }
  })

  it("I8: delivering every command one to five times leaves the state of a single delivery", () => {
    for (let seed = 1; seed <= 1_000; seed++) {
      const stream = make(seed)
      const once = emptyEngine(stream)
      for (const step of stream.steps) decide(once, step)
      const often = emptyEngine(stream)
      for (const step of repeated(stream).steps) decide(often, step)
      assert.deepStrictEqual(Engine.hash(often), Engine.hash(once), `stream ${seed}`)
    }
  })
})

describe("event records and state", () => {
  /** Every second stream spans several hours. */
  const make = (seed: number) => makeStream(seed, undefined, seed % 2 === 0 ? "hourly" : "usual")

  it("I6: replaying the emitted events leaves the live state", () => {
    for (let seed = 1; seed <= 1_000; seed++) {
      const stream = make(seed)
      const live = emptyEngine(stream)
      const replayed = emptyEngine(stream)
      // Replayed at the end, so that an event modified after it was emitted would be detected.
      for (const event of stream.steps.flatMap((step) => decide(live, step))) Engine.apply(replayed, event)
      assert.deepStrictEqual(Engine.hash(replayed), Engine.hash(live), `stream ${seed}`)
      assert.notDeepEqual(Engine.hash(live), Engine.hash(emptyEngine(stream)))
    }
  })

  it("I6: a snapshot plus later events leaves the same state, which makes the same decisions", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const stream = make(seed)
      const live = emptyEngine(stream)
      const half = stream.steps.length >> 1
      for (const step of stream.steps.slice(0, half)) decide(live, step)
      const restored = Engine.restore(stream.instrument, stream, Engine.snapshot(live))
      for (const step of stream.steps.slice(half)) assert.deepStrictEqual(decide(restored, step), decide(live, step))
      assert.deepStrictEqual(Engine.hash(restored), Engine.hash(live), `stream ${seed}`)
    }
  })
})

describe("order invariants", () => {
  it("I21: fills of an order never exceed it, both sides of a trade are equal, and no trade id repeats", () => {
    play(600, () => {
      const orders = new Map<string, Order>()
      const names = new Set<string>()
      let number = 0
      return (events) => {
        for (const event of events) {
          if (event._tag !== "Traded") {
            for (const order of ordersOf(event)) orders.set(order.orderId.text, order)
            continue
          }
          assert.isFalse(names.has(event.tradeId.text))
          names.add(event.tradeId.text)
          assert.strictEqual(event.number, ++number)
          assert.isAbove(event.quantityLots, 0)
          assert.notStrictEqual(event.maker.order.side, event.taker.order.side)
          if (event.offBook !== "SETTLEMENT") assert.notStrictEqual(event.maker.order.userId, event.taker.order.userId)
          for (const order of ordersOf(event)) {
            const before = orders.get(order.orderId.text)!
            const remainingLots = before.remainingLots - event.quantityLots
            assert.deepStrictEqual(order, { ...before, remainingLots, updatedAtMillis: event.atMillis })
            assert.isAtLeast(order.remainingLots, 0)
            orders.set(order.orderId.text, order)
          }
        }
      }
    })
  })

  it("I22: a filled or ended order never changes again", () => {
    play(600, () => {
      const live = new Set<string>()
      return (events) => {
        for (const event of events) {
          if (event._tag === "Accepted" || event._tag === "StopPlaced") live.add(event.order.orderId.text)
          for (const { orderId, remainingLots } of ordersOf(event)) {
            assert.isTrue(live.has(orderId.text), `${event._tag} of ${orderId}, which is over`)
            if (remainingLots === 0 || event._tag === "Ended") live.delete(orderId.text)
          }
        }
      }
    })
  })

  it("I23: no fill skips a better price or an earlier order at the same price", () => {
    play(600, () => {
      const queue = new Map<string, Order>()
      return (events) => {
        const takers = new Set(takersOf(events))
        for (const event of events) {
          if (event._tag === "Traded" && event.offBook === undefined) {
            const { order } = event.maker
            const rivals = [...queue.values()].filter(
              ({ orderId, side }) => side === order.side && !takers.has(orderId.text)
            )
            const best = Math[order.side === "BUY" ? "max" : "min"](...rivals.map(({ priceTicks }) => priceTicks))
            assert.strictEqual(order.priceTicks, best)
            assert.strictEqual(rivals.find(({ priceTicks }) => priceTicks === best)?.orderId.text, order.orderId.text)
          }
          for (const order of ordersOf(event)) {
            if (isStop(order.type)) continue
            if (event._tag === "Modified" && event.requeued) queue.delete(order.orderId.text)
            if (order.remainingLots === 0 || event._tag === "Ended") queue.delete(order.orderId.text)
            else queue.set(order.orderId.text, order)
          }
        }
      }
    })
  })

  it("I24: the book is never crossed", () => {
    play(600, (engine) => () => {
      const levels = Engine.depth(engine)
      const bid = Math.max(...levels.filter(({ side }) => side === "BUY").map(({ priceTicks }) => priceTicks))
      const ask = Math.min(...levels.filter(({ side }) => side === "SELL").map(({ priceTicks }) => priceTicks))
      assert.isBelow(bid, ask)
    })
  })

  it("I35: an order reported as cancelled has left the book, and all its fills were reported earlier", () => {
    play(600, (engine) => {
      const known = new Map<string, Order>()
      const cancelled = new Set<string>()
      return (events, command) => {
        for (const event of events) {
          for (const order of ordersOf(event)) {
            assert.isFalse(cancelled.has(order.orderId.text))
            if (event._tag === "Ended") assert.deepStrictEqual(order, known.get(order.orderId.text))
            if (event._tag === "Ended" && event.commandId !== null) cancelled.add(order.orderId.text)
            known.set(order.orderId.text, order)
          }
        }
        const done = events.some(({ _tag }) => _tag === "Done")
        if (!done || (command._tag !== "Cancel" && command._tag !== "CancelAll")) return
        const { orders, stops } = Engine.view(engine, command.accountId)
        assert.deepStrictEqual(
          orders.filter((order) => isAimedAt(command, order)),
          []
        )
        if (command._tag === "CancelAll" && command.cause === "REQUEST") assert.deepStrictEqual(stops, [])
      }
    })
  })
})

describe("stop invariants", () => {
  it("I30: each stop fires at most once, and only while open", () => {
    let fired = 0
    let firedOfParents = 0
    play(600, () => {
      const live = new Set<string>()
      const parents = new Map<string, string>()
      const over = new Set<string>()
      return (events) => {
        for (const event of events) {
          if (event._tag === "StopPlaced" && event.parentId !== null) {
            parents.set(event.order.orderId.text, event.parentId.text)
          }
          if (event._tag === "Triggered") {
            const { text } = event.order.orderId
            assert.isFalse(over.has(text), `${text} fires again`)
            over.add(text)
            if (parents.has(text)) firedOfParents++
          }
          for (const { orderId, type } of ordersOf(event)) {
            if (event._tag === "StopPlaced") live.add(orderId.text)
            else if (event._tag === "Triggered") assert.isTrue(live.delete(orderId.text), `${orderId} fires`)
            else if (event._tag === "Ended" && isStop(type)) assert.isTrue(live.delete(orderId.text))
          }
          if (event._tag === "Triggered") fired++
        }
      }
    })
    assert.isAbove(fired, 500)
    assert.isAbove(firedOfParents, 200)
  })

  it("I33: no stop closes more than the position or stays open after the position ends", () => {
    play(600, (engine, stream) => {
      const accounts = accountsOf(stream.steps.map(({ command }) => command))
      return () => {
        for (const account of accounts) {
          const { position, stops } = Engine.view(engine, AccountId.make(account))
          for (const { remainingLots, side } of stops) {
            assert.isAtMost(remainingLots, side === "SELL" ? position.quantityLots : -position.quantityLots)
          }
        }
      }
    })
  })
})

describe("positions and results", () => {
  it("I25: positions sum to zero after every command", () => {
    play(600, (engine, stream) => {
      const accounts = accountsOf(stream.steps.map(({ command }) => command))
      return () => {
        const positions = accounts.map((account) => Engine.view(engine, AccountId.make(account)).position.quantityLots)
        assert.strictEqual(
          positions.reduce((sum, each) => sum + each, 0),
          0
        )
        assert.strictEqual(Number(Engine.totals(engine).positions), 0)
      }
    })
  })

  it("I26: realised and unrealised profit sum to zero after every command, at any mark", () => {
    play(500, (engine, stream) => {
      const accounts = accountsOf(stream.steps.map(({ command }) => command))
      let clearing = 0n
      /** Rounding remainder of a split, kept by the reserve fund. */
      let rest = 0n
      return (events) => {
        for (const event of events)
          if (event._tag === "Traded") clearing += BigInt(event.maker.realised + event.taker.realised)
        const positions = accounts.map((account) => Engine.view(engine, AccountId.make(account)).position)
        const total = (each: (position: Position) => bigint) =>
          positions.reduce((sum, position) => sum + each(position), 0n)
        const realised = total((position) => BigInt(position.cashFlow + position.basis))
        // A split can close positions without a trade, so the expected sum is updated here.
        for (const event of events)
          if (event._tag === "ContractSplit") [clearing, rest] = [realised, rest + BigInt(event.remainder)]
        assert.strictEqual(realised, clearing)
        for (const mark of [0n, 1n, 20_000n, 7_777_777n]) {
          const unrealised = total(({ basis, quantityLots }) => BigInt(quantityLots) * mark - BigInt(basis))
          if (realised + unrealised + rest !== 0n) assert.fail(`${realised} and ${unrealised} at ${mark}`)
        }
        assert.strictEqual(Number(Engine.totals(engine).cash), 0)
      }
    })
  })

  it("I26 I32: all cash, including funding and the reserve fund, sums to zero after every decision as hours pass", () => {
    let funded = 0
    play(
      300,
      (engine, stream) => {
        const accounts = accountsOf(stream.steps.map(({ command }) => command))
        return (events) => {
          funded += events.filter((event) => event._tag === "Funded" && event.rateE12 !== 0).length
          const { reserveFund, toppedUp, venueFees } = Engine.totals(engine)
          let cash = BigInt(venueFees) + BigInt(reserveFund) - BigInt(toppedUp)
          for (const account of accounts) {
            const { cashFlow, fees, funding, rewards } = Engine.view(engine, AccountId.make(account)).position
            cash += BigInt(cashFlow) - BigInt(fees) + BigInt(funding) + BigInt(rewards)
          }
          assert.strictEqual(cash, 0n)
        }
      },
      "hourly"
    )
    assert.isAbove(funded, 10)
  })

  it("I33: reduce-only fills never increase or reverse a position, and open reduce-only orders together never exceed it", () => {
    play(600, (engine, stream) => {
      const accounts = accountsOf(stream.steps.map(({ command }) => command))
      const held = new Map<string, number>()
      const book = ({ order }: Fill, lots: number) => {
        const before = held.get(order.accountId) ?? 0
        const after = before + (order.side === "BUY" ? lots : -lots)
        held.set(order.accountId, after)
        if (!order.reduceOnly) return
        assert.isBelow(Math.abs(after), Math.abs(before))
        assert.isTrue(after === 0 || Math.sign(after) === Math.sign(before))
      }
      return (events) => {
        for (const event of events) {
          if (event._tag === "ContractSplit")
            for (const account of accounts) held.set(account, Engine.view(engine, account).position.quantityLots)
          if (event._tag !== "Traded") continue
          book(event.maker, event.quantityLots)
          book(event.taker, event.quantityLots)
        }
        for (const account of accounts) {
          const { orders, position } = Engine.view(engine, AccountId.make(account))
          let left = Math.abs(position.quantityLots)
          for (const { reduceOnly, remainingLots, side } of orders) {
            if (reduceOnly) left -= side === (position.quantityLots > 0 ? "SELL" : "BUY") ? remainingLots : Infinity
          }
          if (left < 0) assert.fail(`${account} may turn its position of ${position.quantityLots}`)
        }
      }
    })
  })
})

/** Returns the event's orders on the book. Orders of an off-book trade exist only in that trade. */
function ordersOf(event: MarketEvent): ReadonlyArray<Order> {
  if (event._tag === "Traded") return event.offBook === undefined ? [event.maker.order, event.taker.order] : []
  return "order" in event ? [event.order] : []
}

function takersOf(events: ReadonlyArray<MarketEvent>): ReadonlyArray<string> {
  return events.flatMap((event) => (event._tag === "Traded" ? [event.taker.order.orderId.text] : []))
}

function accountsOf(commands: ReadonlyArray<MarketCommand>): ReadonlyArray<AccountId> {
  return [...new Set(commands.flatMap(accountsIn))]
}

function isAimedAt(command: MarketCommand, order: Order): boolean {
  if (command._tag === "CancelAll" && command.cause === "DISCONNECT") {
    return !command.except?.some(({ text }) => text === order.orderId.text)
  }
  if (command._tag !== "Cancel") return true
  return command.orderId === null
    ? order.clientOrderId === command.clientOrderId
    : order.orderId.text === command.orderId.text
}
