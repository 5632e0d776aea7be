/** Tests of dead-man switches in the ledger, compared with a naive twin that remembers every request. */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { dueMillis } from "@venue/domain/DeadManSwitch"
import * as OpenInterest from "@venue/domain/OpenInterest"
import type { LedgerCommand, TraderEvent } from "@venue/domain/Trader"
import * as DeadManSwitches from "@venue/ledger/DeadManSwitches"
import * as Ledger from "@venue/ledger/Ledger"
import { assert, test } from "@effect/vitest"
import { Result } from "effect"
import { pack, unpack } from "msgpackr"
import { chanceOf } from "../matching/Chance.ts"
import { alice, instruments, make } from "./Scene.ts"

const account = primaryAccountOf(alice)
const open = Date.UTC(2026, 10, 20, 15)

const ask = (trader: Ledger.Trader, command: LedgerCommand, nowMillis: number): ReadonlyArray<TraderEvent> => {
  const events = Result.getOrThrow(Ledger.decide(trader, command, nowMillis))
  for (const event of events) Ledger.apply(trader, event)
  return events
}
const set = (askedMillis: number, timeoutSeconds: number, accountId = account) =>
  ({ _tag: "SetDeadManSwitch", accountId, askedMillis, timeoutSeconds }) as const
const fire = { _tag: "FireDeadManSwitches" } as const
const stateOf = (trader: Ledger.Trader, accountId = account) => trader.switches.get(accountId)

const withSub = () => {
  const { trader } = make()
  Ledger.apply(trader, { _tag: "AccountOpened", accountId: AccountId.make("sub") })
  return trader
}

test("rule 4.21: records at most one renewal of a dead-man switch per second of its due time", () => {
  const trader = withSub()
  let rows = 0
  for (let millis = 0; millis < 10_000; millis++) rows += ask(trader, set(open + millis, 30), open + millis).length
  assert.strictEqual(rows, 11)
  assert.strictEqual(stateOf(trader)?.dueMillis, open + 40_000)
})

test("rule 4.21: records shorter, longer and zero timeouts of a dead-man switch, separately for each account", () => {
  const trader = withSub()
  for (const [seconds, due] of [
    [30, open + 30_000],
    [5, open + 5_000],
    [600, open + 600_000],
    [0, 0]
  ] as const) {
    assert.deepStrictEqual(ask(trader, set(open, seconds), open), [
      { _tag: "DeadManSwitchSet", accountId: account, askedMillis: open, dueMillis: due, firedMillis: 0 }
    ])
  }
  ask(trader, set(open, 5, AccountId.make("sub")), open)
  ask(trader, fire, open + 5_000)
  assert.deepStrictEqual(DeadManSwitches.fired(trader), [
    { accountId: AccountId.make("sub"), firedMillis: open + 5_000 }
  ])
  assert.strictEqual(
    Result.getOrThrow(Result.flip(Ledger.decide(trader, set(open, 5, AccountId.make("bob")), open)))._tag,
    "UnknownAccount"
  )
})

test("I55: ignores a repeated request, and a request that is older than a recorded request", () => {
  const trader = withSub()
  ask(trader, set(open + 10, 600), open + 20)
  assert.deepStrictEqual(ask(trader, set(open, 5), open + 30), [])
  assert.deepStrictEqual(ask(trader, set(open + 10, 600), open + 40), [])
  ask(trader, set(open + 50, 0), open + 60)
  assert.deepStrictEqual(ask(trader, set(open + 10, 600), open + 70), [])
  assert.isFalse(DeadManSwitches.isAnyOn(trader))
})

test.each([
  [5, 0, open + 6_000],
  [0, 5, 0]
])(
  "I55: ignores a delayed request if a newer one arrived first: a timeout of %i s stays, not %i s",
  (kept, late, due) => {
    const trader = withSub()
    ask(trader, set(open + 200, kept), open + 210)
    const rows = [
      ...ask(trader, set(open + 900, kept), open + 910),
      ...ask(trader, set(open + 500, late), open + 1_100),
      ...ask(trader, set(open + 899, late), open + 1_200)
    ]
    assert.deepStrictEqual(rows, [])
    assert.strictEqual(stateOf(trader)?.dueMillis ?? 0, due)
    // Each account has its own switch, and newer requests still count.
    assert.lengthOf(ask(trader, set(open + 500, 6, AccountId.make("sub")), open + 1_300), 1)
    assert.lengthOf(ask(trader, set(open + 900, late), open + 1_300), 1)
  }
)

test("I6: the state hash excludes a renewal to the same second, because the journal does not record that renewal", () => {
  const trader = withSub()
  ask(trader, set(open + 200, 5), open + 210)
  const before = Ledger.hash(trader)
  ask(trader, set(open + 900, 5), open + 910)
  assert.strictEqual(Ledger.hash(trader), before)
  const restored = Ledger.make(alice, instruments, new Map(), OpenInterest.none(), Ledger.defaults)
  Ledger.restore(restored, unpack(pack(Ledger.snapshot(trader))))
  assert.lengthOf(ask(restored, set(open + 500, 0), open + 1_100), 1)
})

test("I55: a renewal that arrives after the due time fires the dead-man switch and sets it again", () => {
  const trader = withSub()
  ask(trader, set(open, 5), open)
  ask(trader, set(open + 5_000, 30), open + 5_001)
  assert.deepStrictEqual(stateOf(trader), {
    askedMillis: open + 5_000,
    dueMillis: open + 35_000,
    firedMillis: open + 5_001
  })
  // A switch continues to fire until all of its cancels are recorded, even if it is turned off meanwhile.
  ask(trader, set(open + 6_000, 0), open + 6_000)
  assert.deepStrictEqual(DeadManSwitches.fired(trader), [{ accountId: account, firedMillis: open + 5_001 }])
  const end = { _tag: "EndFiring", accountId: account, firedMillis: open + 5_001 } as const
  assert.deepStrictEqual(ask(trader, { ...end, firedMillis: open }, open + 7_000), [])
  assert.lengthOf(ask(trader, end, open + 7_000), 1)
  assert.deepStrictEqual(ask(trader, end, open + 7_001), [])
  assert.isFalse(DeadManSwitches.isAnyOn(trader))
})

test("I55: dead-man switches match a reference model that stores every request, for any requests at any times", () => {
  const { percent, pick, whole } = chanceOf(55)
  const sub = AccountId.make("sub")
  const accounts = [account, sub]
  const live = withSub()
  const events: Array<TraderEvent> = [{ _tag: "AccountOpened", accountId: sub }]
  /** All requests and firings by account. */
  const twin = new Map(
    accounts.map((accountId) => [
      accountId,
      { words: new Array<{ readonly asked: number; readonly due: number }>(), firedMillis: 0, spentMillis: 0 }
    ])
  )
  const newest = (accountId: AccountId) =>
    twin.get(accountId)!.words.reduce((best, word) => (word.asked >= best.asked ? word : best), { asked: 0, due: 0 })
  /** Returns the newest request, unless it has fired already. */
  const due = (accountId: AccountId) =>
    newest(accountId).due <= twin.get(accountId)!.spentMillis ? 0 : newest(accountId).due
  const fires = (accountId: AccountId) => {
    const isPast = due(accountId) !== 0 && due(accountId) <= nowMillis
    if (isPast) Object.assign(twin.get(accountId)!, { firedMillis: nowMillis, spentMillis: nowMillis })
    return isPast
  }
  let nowMillis = open
  let firings = 0
  for (let step = 0; step < 20_000; step++) {
    nowMillis += whole(0, 1_500)
    const accountId = pick(...accounts)
    if (percent(70)) {
      const command = set(nowMillis - whole(0, 2_000), percent(10) ? 0 : whole(5, 12), accountId)
      events.push(...ask(live, command, nowMillis))
      const word = { asked: command.askedMillis, due: dueMillis(command.askedMillis, command.timeoutSeconds) }
      if (word.asked < newest(accountId).asked) continue
      fires(accountId)
      twin.get(accountId)!.words.push(word)
    } else if (percent(50)) {
      const fired = ask(live, fire, nowMillis)
      firings += fired.length
      events.push(...fired)
      for (const one of accounts) fires(one)
    } else {
      const { firedMillis } = twin.get(accountId)!
      events.push(...ask(live, { _tag: "EndFiring", accountId, firedMillis }, nowMillis))
      twin.get(accountId)!.firedMillis = 0
    }
    for (const one of accounts) {
      const { dueMillis, firedMillis } = stateOf(live, one) ?? { dueMillis: 0, firedMillis: 0 }
      assert.deepStrictEqual([dueMillis, firedMillis], [due(one), twin.get(one)!.firedMillis])
    }
  }
  assert.isAbove(firings, 100)
  const replayed = make().trader
  for (const event of events) Ledger.apply(replayed, event)
  const restored = Ledger.make(alice, instruments, new Map(), OpenInterest.none(), Ledger.defaults)
  Ledger.restore(restored, unpack(pack(Ledger.snapshot(replayed))))
  for (const trader of [replayed, restored]) assert.strictEqual(Ledger.hash(trader), Ledger.hash(live))
})
