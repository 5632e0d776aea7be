/**
 * Cancel-on-disconnect checks: when an armed connection is lost, its orders are cancelled in time, and other orders
 * stay open.
 */
import { type Connection, type Ended, type Fault, type Finding, type Story, type OrderReport } from "./CheckerStory.ts"

export const findings = (story: Story): ReadonlyArray<Finding> =>
  story.isWhole ? [...gone(story), ...kept(story)] : []

/** Maximum time from a gateway's crash to the last cancel. */
const promisedMillis = 5_000
/**
 * Orders placed within this time before the crash are not checked: the gateway might not have renewed the
 * connection's entry since then.
 */
const spareMillis = 1_500

const deaths = ({ faults }: Story): ReadonlyArray<Fault> => faults.filter(({ fault }) => fault === "kill")

/**
 * Checks that every order open when the gateway was killed is cancelled within five seconds, or by the end of the run
 * if other faults overlap.
 */
function gone(story: Story): ReadonlyArray<Finding> {
  const found: Array<Finding> = []
  for (const death of deaths(story)) {
    const isAlone = !story.faults.some(
      (other) =>
        other !== death &&
        other.beganAt <= death.beganAt + promisedMillis + 5_000 &&
        other.endedAt + 5_000 >= death.beganAt
    )
    for (const connection of story.connections.values()) {
      const { account, armedAt, closedAt, openedAt, through } = connection
      const wasThere = openedAt < death.beganAt && closedAt >= death.beganAt - 50 && !connection.isOurs
      if (!death.targets.includes(through) || !wasThere || armedAt === undefined) continue
      if (!isArmedInTime(story, connection, death.beganAt)) continue
      for (const [orderId, told] of ordersOf(story, account)) {
        if (!stood(told, death.beganAt - spareMillis)) continue
        const end = story.ended.get(orderId)
        const limit = death.beganAt + promisedMillis * story.patience
        if (end !== undefined && (end.at <= limit || !isAlone)) continue
        const is = end === undefined ? "is open" : `ended ${Math.round(end.at - death.beganAt)} ms later`
        found.push({ rule: "I34", text: `${through} was killed, and order ${orderId} of ${account} ${is}` })
      }
    }
  }
  return found
}

/** Returns whether arming was acknowledged by the given time. */
function isArmedInTime({ commands }: Story, connection: Connection, by: number): boolean {
  return commands.some(
    (command) =>
      command.connection === connection &&
      command.type === "cancel_on_disconnect" &&
      command.refused === undefined &&
      command.answeredAt !== undefined &&
      command.answeredAt < by
  )
}

function ordersOf({ told }: Story, account: string): ReadonlyArray<readonly [string, ReadonlyArray<OrderReport>]> {
  return [...told].filter(([, rows]) => rows[0]?.connection.account === account)
}

/** Returns whether the order was resting at that time and has not been modified since. */
function stood(told: ReadonlyArray<OrderReport>, by: number): boolean {
  const [first] = told
  if (first === undefined || first.row.status !== "ACK" || first.at > by) return false
  if (first.row.type !== "LIMIT" && first.row.type !== "ALO") return false
  return !told.some(({ at, row }) => row.status === "MODIFIED" && at > by)
}

/**
 * Checks that each cancel of a resting order has a cause: either the account requested the cancel, or one of its
 * armed connections was lost after the order was placed.
 */
function kept(story: Story): ReadonlyArray<Finding> {
  const found: Array<Finding> = []
  for (const [orderId, told] of story.told) {
    const end = story.ended.get(orderId)
    const [first] = told
    if (end === undefined || first === undefined || end.status !== "CANCELLED") continue
    if (end.type !== "LIMIT" || end.timeInForce !== "GTC" || end.isReduceOnly) continue
    if (wasRequested(story, end) || mayBeDisconnected(story, first, told, end)) continue
    found.push({ rule: "I34", text: `order ${orderId} of ${end.account} was cancelled, and nobody asked for it` })
  }
  return found
}

function wasRequested({ commands }: Story, { account, at, clientOrderId, orderId, symbol }: Ended): boolean {
  return commands.some(({ connection, params, sentAt, type }) => {
    // The database and the tool share one machine's clock. Drills shift only the nodes' clocks.
    if (connection.account !== account || sentAt > at + clockMillis) return false
    if (type === "cancel_order") return params["order_id"] === orderId || params["order_id"] === clientOrderId
    return type === "cancel_all_orders" && (params["symbol"] === undefined || params["symbol"] === symbol)
  })
}

const clockMillis = 100

/**
 * Returns whether, after the order was placed or changed, an armed connection of the account closed, or its gateway
 * or a desk had a fault.
 */
function mayBeDisconnected(
  story: Story,
  placed: OrderReport,
  reports: ReadonlyArray<OrderReport>,
  end: Ended
): boolean {
  const { at, row } = reports.findLast((report) => report.row.status === "MODIFIED") ?? placed
  // The connection might have closed after the venue decided the command and before the client received the report.
  const enteredAt = Math.min(at, Math.max((row.update_time ?? Infinity) * 1_000, at - reportMillis))
  return [...story.connections.values()].some((connection) => {
    const { account, armedAt, closedAt, through } = connection
    if (account !== end.account || armedAt === undefined || armedAt > end.at + clockMillis) return false
    if (closedAt > enteredAt && closedAt <= end.at + clockMillis) return true
    return story.faults.some(
      ({ beganAt, endedAt, targets }) =>
        beganAt <= end.at &&
        endedAt + silentMillis >= enteredAt &&
        (targets.includes(through) || !isKillOfGateway(targets)) &&
        closedAt >= enteredAt
    )
  })
}

/** Maximum delay of a report. Drills shift the clocks of nodes, so the venue's time alone is no bound. */
const reportMillis = 2_000

const isKillOfGateway = (targets: ReadonlyArray<string>): boolean =>
  targets.every((name) => name.startsWith("gateway-"))

/** Maximum delay until a silent gateway counts as lost. */
const silentMillis = 10_000
