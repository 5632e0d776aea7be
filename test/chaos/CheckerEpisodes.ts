/**
 * Checks after each episode: the books balance, the tables have caught up, a replay gives the same state, and all
 * gateways agree.
 */
import { type Finding, isEnd, type Story } from "./CheckerStory.ts"
import type { Read, StateLine } from "./HistoryLine.ts"

export const findings = (story: Story): ReadonlyArray<Finding> => [
  ...proofs(story),
  ...states(story),
  ...visible(story),
  ...alike(story),
  ...story.lines.flatMap((line) => (line.kind === "trouble" ? [{ rule: "I51", text: line.what }] : []))
]

function proofs({ lines }: Story): ReadonlyArray<Finding> {
  return lines.flatMap((line) => {
    if (line.kind !== "proof") return []
    const { behind, detail, episode, isBalanced } = line
    return [
      ...(isBalanced
        ? []
        : [{ rule: "I25 I26", text: `after episode ${episode} the books do not balance: ${detail}` }]),
      ...behind.map((stream) => ({ rule: "I8", text: `after episode ${episode} the tables are behind ${stream}` }))
    ]
  })
}

function states({ lines }: Story): ReadonlyArray<Finding> {
  const before = new Map<number, StateLine>()
  const found: Array<Finding> = []
  for (const line of lines) {
    if (line.kind !== "state") continue
    if (line.phase === "before") {
      before.set(line.pair, line)
      continue
    }
    const then = before.get(line.pair)
    if (then === undefined) continue
    for (const name of new Set([...Object.keys(then.sums), ...Object.keys(line.sums)])) {
      const [was, is] = [then.sums[name], line.sums[name]]
      if (was !== is) found.push({ rule: "I6", text: `${name} was ${was} and is ${is} after a replay` })
    }
  }
  return found
}

/**
 * Read your writes: an order that one gateway has acknowledged is visible through another, unless the order has
 * ended. A gateway that has not yet reported the order itself is allowed to lag briefly.
 */
function visible(story: Story): ReadonlyArray<Finding> {
  return story.lines.flatMap((line) => {
    if (line.kind !== "visible" || line.outcome !== "missing") return []
    const { askedAt, at, orderId, through, told } = line
    const ended = story.ended.get(orderId)
    if (ended !== undefined && ended.at <= at) return []
    const heard = story.told.get(orderId) ?? []
    // An order that ended before the query's response counts as ended, even if its end was reported later, or never
    // because the run was interrupted.
    const endedAt = (one: (typeof heard)[number]) => Math.min(one.at, (one.row.update_time ?? Infinity) * 1_000)
    const mayBeOver = heard.some((one) => isEnd(one.row) && endedAt(one) <= at + 5)
    if (mayBeOver) return []
    const wasReported = heard.some((one) => one.connection.through === through && one.at < askedAt)
    const behind = askedAt - Math.min(...heard.map((one) => one.at))
    if (!wasReported && behind < behindMillis * story.patience) return []
    const late = Math.round(at - askedAt)
    return [
      { rule: "I1", text: `order ${orderId} was acknowledged by ${told}, and ${through} did not know it (${late} ms)` }
    ]
  })
}

const behindMillis = 2_000

/** Checks that the final reads, made while the venue was idle, return the same values from every gateway. */
function alike({ reads }: Story): ReadonlyArray<Finding> {
  const first = new Map<string, Read>()
  return reads.flatMap((one) => {
    const other = first.get(one.account)
    if (other === undefined) {
      first.set(one.account, one)
      return []
    }
    if (shown(one) === shown(other)) return []
    return [{ rule: "I1", text: `${one.account} is shown otherwise by ${one.through} than by ${other.through}` }]
  })
}

const shown = ({ balance, open, positions, trades }: Read): string =>
  JSON.stringify([
    open
      .map(({ order_id, price, quantity, quantity_remaining }) => [order_id, price, quantity, quantity_remaining])
      .toSorted(),
    trades.map(({ order_id, trade_id }) => [order_id, trade_id]).toSorted(),
    positions.map(({ position, symbol }) => [symbol, position]).toSorted(),
    [balance.deposit, balance.fees, balance.realised_pnl, balance.net_funding]
  ])
