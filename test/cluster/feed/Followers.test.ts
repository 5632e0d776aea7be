/** Tests of followers of accounts and markets: order, detaching and failures during delivery. */
import type { Batch } from "@venue/cluster/feed/Batch"
import * as Followers from "@venue/cluster/feed/Followers"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { Instrument } from "@venue/domain/Instrument"
import type { TakeoverOpened } from "@venue/domain/Liquidation"
import type { MarketEvent } from "@venue/domain/Market"
import { orderIdFrom } from "@venue/domain/OrderId"
import { assert, it } from "@effect/vitest"
import { traded } from "../../journal/EventsByHand.ts"
import { idOf, one, two, userId } from "../Neighbours.ts"

const event: MarketEvent = {
  _tag: "Done",
  commandId: idOf(1),
  expiresAtMillis: 1,
  userId,
  accountId: primaryAccountOf(userId),
  atMillis: 1
}
const batch: Batch = { instrument: one, epoch: 1, seq: 1, events: [event], levels: [] }

const funded: MarketEvent = {
  _tag: "Funded",
  rateE12: 20_000_000,
  markE8: 20_000_000_000,
  remainder: 0,
  fromMillis: 0,
  skipped: false,
  atMillis: 3_600_000
}

const opened: TakeoverOpened = {
  _tag: "TakeoverOpened",
  takeoverId: idOf(2),
  expiresAtMillis: 1,
  userId,
  accountId: primaryAccountOf(userId),
  quantityLots: 50_000,
  markE8: 18_600_000_000,
  share: 400_000_000,
  atMillis: 1
}

const setUp = () => {
  const told: Array<string> = []
  const reported: Array<unknown> = []
  const followers = Followers.make((_, { rank }, cause) => reported.push([rank, cause]))
  const follow = (rank: "trader" | "socket", name: string, also = () => {}) =>
    followers.follow(primaryAccountOf(userId), {
      rank,
      observe: () => {
        told.push(name)
        also()
      },
      broken: () => told.push(`${name} is broken`)
    })
  const followMarket = (instrument: Instrument, name: string, also = () => {}) =>
    followers.followMarket(instrument.symbol, {
      rank: "trader",
      observe: ({ _tag }) => {
        told.push(`${name} ${_tag}`)
        also()
      },
      broken: () => told.push(`${name} is broken`)
    })
  return {
    follow,
    followMarket,
    reported,
    tell: (said: MarketEvent = event, instrument = one) =>
      followers.deliver({ ...batch, instrument, events: [said] }, 0),
    told
  }
}

it("delivers an event to traders before it reaches sockets", () => {
  const { follow, tell, told } = setUp()
  follow("socket", "socket")
  follow("trader", "trader")
  tell()
  assert.deepEqual(told, ["trader", "socket"])
})

it("delivers an event to the remaining followers after one throws", () => {
  const { follow, reported, tell, told } = setUp()
  const fault = new Error("fault")
  follow("trader", "first", () => {
    throw fault
  })
  follow("socket", "second")
  tell()
  tell()
  assert.deepEqual(told, ["first", "first is broken", "second", "second"])
  assert.deepEqual(reported, [["trader", fault]])
})

it("delivers an event to the remaining followers after one detaches", () => {
  const { follow, tell, told } = setUp()
  const leave = follow("socket", "first", () => leave())
  follow("socket", "second")
  tell()
  tell()
  assert.deepEqual(told, ["first", "second", "second"])
})

it("delivers market-wide events once to each follower of the market", () => {
  const { follow, followMarket, tell, told } = setUp()
  follow("trader", "account")
  followMarket(one, "first")
  followMarket(one, "second")
  followMarket(two, "other")
  tell(funded)
  assert.deepEqual(told, ["first Funded", "second Funded"])
  tell()
  assert.deepEqual(told.splice(0), ["first Funded", "second Funded", "account"])
  tell(funded, two)
  assert.deepEqual(told, ["other Funded"])
})

it("delivers market-wide events to the remaining followers when one throws or detaches", () => {
  const { followMarket, reported, tell, told } = setUp()
  const fault = new Error("fault")
  followMarket(one, "first", () => {
    throw fault
  })
  const leave = followMarket(one, "second", () => leave())
  followMarket(one, "third")
  tell(funded)
  tell(funded)
  assert.deepEqual(told, ["first Funded", "first is broken", "second Funded", "third Funded", "third Funded"])
  assert.deepEqual(reported, [["trader", fault]])
})

it("delivers a trade once to the trader who earns its builder reward, even if that trader also made the trade", () => {
  const { follow, tell, told } = setUp()
  follow("socket", "socket")
  follow("trader", "trader")
  const { maker, taker, ...rest } = traded("strangers", 1, {})
  const reward = { ownerId: userId, amount: 3, remainder: 1 }
  tell({ ...rest, maker, taker })
  assert.deepEqual(told, [])
  tell({ ...rest, maker, taker: { ...taker, reward } })
  tell({ ...rest, maker: { ...maker, reward }, taker: { ...taker, reward } })
  assert.deepEqual(told, ["trader", "trader"])
  const own = { ...taker.order, userId, accountId: primaryAccountOf(userId) }
  tell({ ...rest, maker: { ...maker, reward }, taker: { ...taker, order: own, reward } })
  assert.deepEqual(told, ["trader", "trader", "trader", "socket"])
})

it("delivers takeover events only to followers of the account", () => {
  const { follow, followMarket, tell, told } = setUp()
  follow("socket", "socket")
  follow("trader", "trader")
  followMarket(one, "another")
  tell(opened)
  tell({ _tag: "TakeoverClosed", takeoverId: idOf(2), userId, accountId: opened.accountId, leftLots: 0, atMillis: 1 })
  assert.deepEqual(told, ["trader", "socket", "trader", "socket"])
})

it("delivers an outcome to traders in log order, but to sockets as trades, then final orders, then other events", () => {
  const told: Array<string> = []
  const followers = Followers.make(() => {})
  const account = primaryAccountOf(userId)
  const order = { ...traded("one", 1, {}).taker.order, userId, accountId: account }
  const trade = (name: string, number: number, remainingLots: number) => {
    const made = traded(name, number, {})
    return { ...made, taker: { ...made.taker, order: { ...order, remainingLots } } }
  }
  const own = { ...order, orderId: orderIdFrom(idOf(9)) }
  const next = { ...traded("two", 3, {}).taker.order, userId, accountId: account }
  const cut = { ...order, quantityLots: 2_000, remainingLots: 200 }
  const events: ReadonlyArray<MarketEvent> = [
    trade("one", 1, 900),
    { _tag: "Ended", commandId: null, order: own, status: "CANCELLED_STP", atMillis: 1 },
    trade("one", 2, 400),
    { _tag: "Modified", commandId: null, order: cut, requeued: false, atMillis: 1 },
    { ...traded("two", 3, {}), taker: { ...traded("two", 3, {}).taker, order: next } }
  ]
  followers.follow(account, { rank: "trader", observe: ({ _tag }) => told.push(`log ${_tag}`), broken: () => {} })
  followers.follow(account, {
    rank: "socket",
    observe: ({ _tag }) => told.push(_tag),
    filled: ({ number }, { quantityLots, remainingLots }) =>
      told.push(`filled ${number}: ${remainingLots} of ${quantityLots}`),
    broken: () => {}
  })
  const whole = { ...batch, events }
  assert.strictEqual(followers.deliver(whole, 0), 2)
  assert.deepEqual(told.splice(0), [
    "log Traded",
    "log Ended",
    "log Traded",
    "Traded",
    "Traded",
    "filled 1: 200 of 2000",
    "filled 2: 200 of 2000",
    "Ended"
  ])
  assert.strictEqual(followers.deliver(whole, 3), 3)
  assert.strictEqual(followers.deliver(whole, 4), 4)
  assert.deepEqual(told, ["log Modified", "Modified", "log Traded", "Traded", "filled 3: 1000 of 2500"])
})

it("stops delivering an outcome to a socket that throws or detaches, but delivers the whole outcome to all other sockets", () => {
  const told: Array<string> = []
  const reported: Array<unknown> = []
  const followers = Followers.make((followed, { rank }) => reported.push([followed, rank]))
  const account = primaryAccountOf(userId)
  const made = traded("one", 1, {})
  const order = { ...made.taker.order, userId, accountId: account }
  const stop = new Map<string, () => void>()
  const follow = (name: string, at: "observe" | "filled" | undefined, act: () => void) =>
    stop.set(
      name,
      followers.follow(account, {
        rank: "socket",
        observe: () => {
          told.push(`${name} observes`)
          if (at === "observe") act()
        },
        filled: () => {
          told.push(`${name} is filled`)
          if (at === "filled") act()
        },
        broken: () => told.push(`${name} is broken`)
      })
    )
  const fault = () => {
    throw new Error("fault")
  }
  follow("first", "observe", fault)
  follow("second", "filled", fault)
  follow("third", "observe", () => stop.get("third")!())
  follow("fourth", undefined, () => {})
  const trade = { ...made, taker: { ...made.taker, order } }
  followers.deliver({ ...batch, events: [trade] }, 0)
  assert.deepEqual(told.splice(0), [
    "first observes",
    "first is broken",
    "second observes",
    "third observes",
    "fourth observes",
    "second is filled",
    "second is broken",
    "fourth is filled"
  ])
  assert.deepEqual(reported, [
    [account, "socket"],
    [account, "socket"]
  ])
  followers.deliver({ ...batch, events: [trade] }, 0)
  assert.deepEqual(told.splice(0), ["fourth observes", "fourth is filled"])
  // Stopping an earlier follower twice does not detach a later follower.
  stop.get("fourth")!()
  follow("fifth", undefined, () => {})
  for (const name of ["first", "fourth"]) stop.get(name)!()
  followers.deliver({ ...batch, events: [trade] }, 0)
  assert.deepEqual(told, ["fifth observes", "fifth is filled"])
})
