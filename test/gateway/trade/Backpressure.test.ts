/** Tests of back-pressure on connections whose responses are delayed. */
import { AccountId } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"
import * as Connection from "@venue/gateway/trade/Connection"
import * as Backpressure from "@venue/gateway/trade/Backpressure"
import type { ExpectedOrder } from "@venue/gateway/trade/ExpectedReply"
import type { Receiver } from "@venue/gateway/socket/Transport"
import { Id } from "@venue/domain/Id"
import { initialInstruments } from "@venue/domain/Instrument"
import { expect, it } from "vitest"

const symbol = initialInstruments[0]!.symbol
const order = JSON.stringify({
  type: "cancel_order",
  params: { symbol, cancel_order_id_type: "order_id", order_id: "1" }
})
/** Frame of 64 KiB, the maximum length. */
const longest = order.padEnd(64 * 1_024)
const auth = JSON.stringify({
  type: "auth",
  params: { hmac: { public_key: "a", nonce: "0123456789abcdef", unix_ts: 1, signature: "00" } }
})

interface Client {
  /** Commands that were read and have no response yet. */
  readonly outstanding: ReadonlyArray<ExpectedOrder>
  readonly sent: ReadonlyArray<string>
  readonly waiting: () => number
  readonly write: (count: number, frame?: string) => void
  readonly read: () => void
  /** Responds to the oldest command. */
  readonly answer: () => void
  readonly closed: () => void
}

/** Clients whose frames wait in an unbounded buffer. The connection reads from the buffer unless it is paused. */
const start = () => {
  const backpressure = Backpressure.makeTotal()
  let commands = 0
  const all: Array<ReadonlyArray<ExpectedOrder>> = []

  const client = (): Client => {
    const outstanding: Array<ExpectedOrder> = []
    all.push(outstanding)
    const sent: Array<string> = []
    let paused = false
    const unread: Array<string> = []
    let connection: Connection.Connection | undefined
    const gateway: Connection.Gateway = {
      nowMillis: () => 0,
      backpressure,
      measured: {},
      signIn: (_id, _auth, _origin, done) =>
        done({
          caller: {
            userId: UserId.make("u"),
            permissions: new Set(),
            scope: "all_accounts",
            via: "hmac",
            publicKey: "a",
            sessionId: null,
            kid: null,
            aal: null,
            clientId: null
          },
          accountId: AccountId.make("u"),
          builderCode: "",
          eligibility: { canTrade: true, canFund: true, missing: [] }
        }),
      instruments: new Map(),
      handle: (_from, { caller: { userId } }, _command, cost, request) => {
        const commandId = `c${++commands}`
        const expected = {
          _tag: "Order",
          ordering: "bySymbol",
          commandId,
          symbol,
          request,
          dueMillis: Infinity,
          submission: { userId, cost, request: { ...cancelAll, commandId: new Id(0, 0, 0, commands) } }
        } as const
        outstanding.push(expected)
        return expected
      },
      charge: (_member, _weight, done) => done(0),
      submit: () => {},
      follow: () => () => {},
      filled: () => {},
      after: () => {},
      pulse: unused,
      marketStreams,
      due: () => {},
      leased: () => {},
      arrived: (opened) => void (connection = opened),
      opened: () => {},
      ended: () => {}
    }
    const receiver: Receiver = Connection.open(
      "c",
      gateway,
      {
        send: (text) => void sent.push(text),
        close: () => {},
        ping: () => {},
        pause: () => void (paused = true),
        resume: () => void (paused = false),
        waitingBytes: () => 0,
        isOverfull: () => false,
        countAnswers: () => {}
      },
      origin
    )
    receiver.text(auth)
    sent.splice(0)
    const self: Client = {
      outstanding,
      sent,
      closed: () => receiver.closed(false),
      write: (count: number, frame = order) => {
        for (let i = 0; i < count; i++) unread.push(frame)
        self.read()
      },
      read: () => {
        while (unread.length > 0) {
          if (paused) return
          receiver.text(unread.shift()!)
        }
      },
      waiting: () => unread.length,
      answer: () => {
        const expected = outstanding.shift()!
        connection!.replies.answer(expected, expected.commandId)
        self.read()
      }
    }
    return self
  }
  return { client, outstanding: () => all.reduce((sum, { length }) => sum + length, 0) }
}

it("stops reading a connection at 256 unanswered commands, and resumes at half of that number", () => {
  const { client } = start()
  const busy = client()
  busy.write(1_000)
  expect(busy.outstanding).toHaveLength(256)
  for (let i = 0; i < 127; i++) busy.answer()
  expect(busy.outstanding).toHaveLength(129)
  busy.answer()
  expect(busy.outstanding).toHaveLength(256)
})

it("limits the total of unanswered commands on a gateway with 500 busy connections", () => {
  const { client, outstanding } = start()
  const all = Array.from({ length: 500 }, client)
  for (const busy of all) busy.write(1_000)
  expect(outstanding()).toBeGreaterThan(8_000)
  expect(outstanding()).toBeLessThan(2 * 8_192)
})

it("continues to serve a connection below its fair share even if other connections use up the whole limit", () => {
  const { client } = start()
  for (let i = 0; i < 100; i++) client().write(1_000)
  const quiet = client()
  quiet.write(1)
  expect(quiet.outstanding).toHaveLength(1)
  quiet.answer()
  expect(quiet.sent).toHaveLength(1)
  quiet.write(1)
  expect(quiet.outstanding).toHaveLength(1)
})

it("responds to each connection's commands in order, whatever the order in which connections are served", () => {
  const { client, outstanding } = start()
  const all = Array.from({ length: 300 }, client)
  for (const busy of all) busy.write(400)
  for (let turn = 0; outstanding() > 0; turn++) {
    // Starts with the last connection, and skips a third of the connections in each turn.
    for (let i = all.length - 1; i >= 0; i--)
      if (all[i]!.outstanding.length > 0 && (turn + i) % 3 !== 0) all[i]!.answer()
  }
  for (const { sent, waiting } of all) {
    expect(waiting()).toBe(0)
    expect(sent).toHaveLength(400)
    expect(sent).toEqual(sent.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1))))
  }
})

it("releases a connection's charge when the connection closes", () => {
  const { client, outstanding } = start()
  const gone = Array.from({ length: 100 }, client)
  for (const busy of gone) busy.write(1_000)
  const after = client()
  after.write(1_000)
  expect(after.outstanding.length).toBeLessThan(256)
  for (const busy of gone) busy.closed()
  const next = client()
  next.write(1_000)
  expect(next.outstanding).toHaveLength(256)
  expect(outstanding()).toBeGreaterThan(0)
})

it("I48: reads at most four unanswered frames of 64 KiB", () => {
  const { client } = start()
  const busy = client()
  busy.write(100, longest)
  expect(busy.outstanding).toHaveLength(4)
  busy.answer()
  expect(busy.outstanding).toHaveLength(3)
  busy.answer()
  busy.answer()
  expect(busy.outstanding).toHaveLength(4)
  while (busy.outstanding.length > 0) busy.answer()
  expect(busy.sent).toHaveLength(100)
})

it("I48: limits the number and the total length of frames that are stored during sign-in", () => {
  const early = (frame: string, count: number) => {
    const closes: Array<number> = []
    const receiver = Connection.open(
      "c",
      {
        nowMillis: () => 0,
        backpressure: Backpressure.makeTotal(),
        signIn: () => {},
        instruments: new Map(),
        handle: unused,
        charge: unused,
        submit: unused,
        follow: () => () => {},
        filled: () => {},
        measured: {},
        after: () => {},
        pulse: unused,
        marketStreams,
        arrived: () => {},
        due: () => {},
        leased: () => {},
        opened: () => {},
        ended: () => {}
      },
      {
        send: () => {},
        close: (code) => void closes.push(code),
        ping: () => {},
        pause: () => {},
        resume: () => {},
        waitingBytes: () => 0,
        isOverfull: () => false,
        countAnswers: () => {}
      },
      origin
    )
    receiver.text(auth)
    for (let i = 0; i < count; i++) receiver.text(frame)
    return closes
  }
  expect(early("x", 256)).toEqual([])
  expect(early("x", 256 + 1)).toEqual([1008])
  expect(early("x".repeat(64 * 1_024), 3)).toEqual([])
  expect(early("x".repeat(64 * 1_024), 4)).toEqual([1008])
})

const origin = { builderCode: "", address: "", country: undefined }

const cancelAll = {
  _tag: "CancelAllOrders",
  cause: "REQUEST",
  expiresAtMillis: 0,
  accountId: AccountId.make("u"),
  symbol
} as const

const unused = (): never => {
  throw new Error("not expected")
}

const marketStreams = { listed: () => new Set<never>(), open: unused, leave: unused, change: unused, sendText: unused }

it("pauses a connection whose long responses wait, without changing the share of other connections", () => {
  const total = Backpressure.makeTotal()
  const calls: Array<string> = []
  const slow = Backpressure.make(total, { pause: () => calls.push("pause"), resume: () => calls.push("resume") })
  slow.join()
  const before = total.limit()
  slow.hold(8 * 1024 * 1024)
  expect([calls.splice(0), total.limit()]).toEqual([["pause"], before])
  slow.hold(200 * 1024)
  expect(calls).toEqual([])
  slow.hold(0)
  expect(calls).toEqual(["resume"])
})
