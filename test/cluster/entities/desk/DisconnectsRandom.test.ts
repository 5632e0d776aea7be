/**
 * Tests of cancel-on-disconnect for random connections that trade, fall silent, disconnect and reconnect, compared
 * with a naive model.
 */
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import * as Disconnects from "@venue/cluster/entities/desk/connections/Disconnects"
import type { Trader } from "@venue/cluster/entities/desk/traders/Trader"
import type { Traders } from "@venue/cluster/entities/desk/traders/Traders"
import { primaryAccountOf } from "@venue/domain/AccountId"
import * as OpenInterest from "@venue/domain/OpenInterest"
import type { ModifyOrder, PlaceOrder } from "@venue/domain/Order"
import * as Ledger from "@venue/ledger/Ledger"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { chanceOf } from "../../../matching/Chance.ts"
import { idOf, one, userId, venue } from "../../Neighbours.ts"

const testLayer = Layer.merge(LocalEntities.layer, venue)
const accountId = primaryAccountOf(userId)
const stepMillis = 100
/** Time until the orders of a lost connection are cancelled: a lease, a check interval and a transit time. */
const promisedMillis = 4_000

interface Touch {
  readonly atMillis: number
  /** Connection id; undefined for REST or an unarmed connection. */
  readonly over: string | undefined
}

interface OpenOrder {
  readonly touches: Array<Touch>
  isOpen: boolean
}

interface Connection {
  readonly connectionId: string
  readonly gatewayId: string
  /** Time at which the gateway last received a frame, and the time that it reported to the desk. */
  heardAtMillis: number
  toldAtMillis: number
  /** Time of the connection's last renewal at the desk. */
  namedAtMillis: number
  isSilent: boolean
  /** Time at which the gateway reported the end of the connection or crashed. */
  lostAtMillis: number | undefined
  hasEnded: boolean
}

const word = (n: number) => ({
  commandId: idOf(n),
  expiresAtMillis: Infinity,
  accountId,
  symbol: one.symbol,
  side: "BUY" as const,
  type: "LIMIT" as const,
  price: 1,
  quantity: 1,
  reduceOnly: false
})

const play = Effect.fnUntraced(function* (seed: number) {
  const { percent, pick, whole } = chanceOf(seed)
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const ledger = Ledger.make(userId, new Map([[one.symbol, one]]), new Map(), OpenInterest.none(), Ledger.defaults)
  const orders = new Map<string, OpenOrder>()
  const connections: Array<Connection> = []
  const skewOf = new Map<string, number>()
  let count = 0
  let cancels = 0

  /** Returns true if an order should survive the end of this connection. */
  const isSpared = ({ touches }: OpenOrder, { connectionId, toldAtMillis }: Connection) =>
    touches.some(({ atMillis, over }) => atMillis > toldAtMillis && over !== connectionId)
  /** Returns true if the connection's gateway has crashed and the lease has expired. */
  const isOver = ({ hasEnded, lostAtMillis, namedAtMillis }: Connection) =>
    lostAtMillis !== undefined && !hasEnded && now() - namedAtMillis > 3_000
  /** Connection whose end the gateway is reporting at this moment. */
  let detached: Connection | undefined
  const cancelled = (except: ReadonlySet<string>) => {
    const said = [...orders].filter(([orderId, { isOpen }]) => isOpen && !except.has(orderId)).map(([id]) => id)
    const by = detached ?? connections.find((one) => isOver(one))
    assert.isDefined(by, `stream ${seed}: a cancel, and no connection is lost`)
    assert.isFalse(by!.hasEnded, `stream ${seed}: a second cancel`)
    const right = [...orders].filter(([, order]) => order.isOpen && !isSpared(order, by!)).map(([id]) => id)
    assert.deepEqual(said, right, `stream ${seed}`)
    by!.hasEnded = true
    cancels++
    for (const id of said) orders.get(id)!.isOpen = false
  }
  const trader = {
    userId,
    ledger,
    symbols: () => [one.symbol],
    // The model ignores margin holds, because any queued order might be open.
    isLive: (symbol?: string) => symbol !== undefined,
    enter: (request) => {
      if (request._tag === "CancelAllOrders") cancelled(new Set(request.except?.map(({ text }) => text)))
      return true
    },
    waits: () => false,
    change: (command, done) => {
      for (const event of Result.getOrThrow(Ledger.decide(ledger, command, 0))) Ledger.apply(ledger, event)
      done(Result.succeed(undefined))
    }
  } satisfies Partial<Trader> as unknown as Trader
  const disconnects = yield* Disconnects.make({ all: () => [trader] } satisfies Partial<Traders> as unknown as Traders)

  const speaker = (gatewayId: string) => ({ gatewayId, saidAtMillis: now() + skewOf.get(gatewayId)! })
  const named = ({ connectionId, heardAtMillis }: Connection) => ({
    connectionId,
    userId,
    ageMillis: now() - heardAtMillis
  })
  const living = () => connections.filter(({ lostAtMillis }) => lostAtMillis === undefined)
  const later = (say: () => void, millis: number) =>
    millis === 0 ? Effect.sync(say) : Effect.forkChild(Effect.delay(Effect.sync(say), millis))

  const arm = () => {
    const connection = {
      connectionId: `connection ${connections.length}`,
      gatewayId: pick("a", "b", "c"),
      heardAtMillis: now(),
      toldAtMillis: now(),
      namedAtMillis: now(),
      isSilent: false,
      lostAtMillis: undefined,
      hasEnded: false
    }
    if (!skewOf.has(connection.gatewayId)) skewOf.set(connection.gatewayId, whole(-30_000, 30_000))
    assert.isTrue(disconnects.attach(speaker(connection.gatewayId), named(connection)))
    disconnects.arming(connection.connectionId, userId)
    Ledger.apply(ledger, { _tag: "Armed", connectionId: connection.connectionId, accountId })
    disconnects.check(trader)
    connections.push(connection)
  }
  const enter = (connection: Connection | undefined) => {
    if (connection?.isSilent === true) return
    if (connection !== undefined) connection.heardAtMillis = now()
    const over = connection?.connectionId
    const open = [...orders].filter(([, { isOpen }]) => isOpen)
    const touch = { atMillis: now(), over }
    if (open.length > 0 && percent(30)) {
      const [orderId, order] = pick(open[0]!, ...open)
      order.touches.push(touch)
      disconnects.entered(trader, { _tag: "ModifyOrder", ...word(++count), orderId } satisfies ModifyOrder, over)
      return
    }
    const placed = { ...word(++count), timeInForce: "GTC" as const, clientOrderId: "", builderCode: "" }
    orders.set(placed.commandId.text, { touches: [touch], isOpen: true })
    disconnects.entered(trader, { _tag: "PlaceOrder", ...placed } satisfies PlaceOrder, over)
  }
  const renew = Effect.fnUntraced(function* (gatewayId: string) {
    const mine = living().filter((connection) => connection.gatewayId === gatewayId)
    const said = [speaker(gatewayId), mine.map(named)] as const
    const heard = mine.map((connection) => [connection, connection.heardAtMillis] as const)
    const say = () => {
      disconnects.renew(...said)
      for (const [connection, atMillis] of heard) {
        connection.namedAtMillis = now()
        if (!connection.hasEnded) connection.toldAtMillis = Math.max(connection.toldAtMillis, atMillis)
      }
    }
    yield* later(say, percent(80) ? 0 : whole(1, 4) * 100)
  })
  const lose = (connection: Connection) => {
    if (!connection.isSilent && percent(50)) connection.heardAtMillis = now()
    connection.toldAtMillis = Math.max(connection.toldAtMillis, connection.heardAtMillis)
    connection.lostAtMillis = now()
    detached = connection
    disconnects.detach(speaker(connection.gatewayId), named(connection), trader)
    detached = undefined
  }

  for (let step = 0; step < 300; step++) {
    const roll = whole(1, 100)
    const mine = living()
    if (mine.length === 0 || (roll <= 4 && mine.length < 4)) arm()
    else if (roll <= 7) pick(mine[0]!, ...mine).isSilent = true
    else if (roll <= 10) lose(pick(mine[0]!, ...mine))
    else if (roll <= 11) {
      // The gateway crashes with all its connections.
      const { gatewayId } = pick(mine[0]!, ...mine)
      for (const connection of mine) if (connection.gatewayId === gatewayId) connection.lostAtMillis = now()
    } else if (roll <= 60) enter(percent(60) ? pick(mine[0]!, ...mine) : undefined)
    for (const connection of living()) if (!connection.isSilent && percent(50)) connection.heardAtMillis = now()
    if (step % 5 === 0) for (const gatewayId of skewOf.keys()) yield* renew(gatewayId)
    // Advances the clock so that no two events share a time.
    yield* TestClock.adjust(stepMillis)
    for (const { hasEnded, lostAtMillis } of connections) {
      if (lostAtMillis !== undefined && now() - lostAtMillis > promisedMillis) assert.isTrue(hasEnded, `stream ${seed}`)
    }
  }
  return cancels
})

it.effect("I34: cancels exactly the orders that were open when the lost connection was last seen", () =>
  Effect.gen(function* () {
    let cancels = 0
    for (let seed = 1; seed <= 25; seed++) cancels += yield* Effect.scoped(play(seed))
    assert.isAbove(cancels, 150)
  }).pipe(Effect.provide(testLayer))
)
