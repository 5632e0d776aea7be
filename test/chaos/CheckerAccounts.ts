/** Account checks: each balance is the sum of its records in the database, and all accounts together sum to zero. */
import { type Finding, lotsOf, microsOf, type Story } from "./CheckerStory.ts"
import type { Read } from "./HistoryLine.ts"

export const findings = (story: Story): ReadonlyArray<Finding> =>
  story.isWhole
    ? [...ledger(story), ...story.reads.flatMap((one) => sums(story, one)), ...positions(story), ...funding(story)]
    : []

function ledger(story: Story): ReadonlyArray<Finding> {
  const sums = new Map<string, bigint>()
  for (const row of story.ledger) {
    const id = `${String(row["kind"])} ${String(row["transaction_id"])}`
    sums.set(id, (sums.get(id) ?? 0n) + BigInt(String(row["amount"])))
  }
  return [...sums].flatMap(([id, sum]) => (sum === 0n ? [] : [{ rule: "I9", text: `${id} sums to ${sum}` }]))
}

function sums(story: Story, { account, balance, positions, through }: Read): ReadonlyArray<Finding> {
  const trades = story.trades.filter((trade) => trade.account === account)
  const held = new Map(positions.map(({ symbol }) => [symbol, 0]))
  for (const { lots, side, symbol } of trades) {
    held.set(symbol, (held.get(symbol) ?? 0) + (side === "BUY" ? lots : -lots))
  }
  const found: Array<Finding> = []
  const differs = (what: string, shown: number | bigint, is: number | bigint) => {
    if (shown !== is) {
      found.push({ rule: "I10", text: `${what} of ${account} through ${through} is ${shown}, its entries are ${is}` })
    }
  }
  for (const [symbol, lots] of held) {
    const shown = positions.find((row) => row.symbol === symbol)?.position ?? 0
    differs(`position ${symbol}`, lotsOf(story, symbol, shown), lots)
  }
  differs("fees", microsOf(balance.fees), total(trades.map(({ feeMicros }) => feeMicros)))
  differs("realised", microsOf(balance.realised_pnl), total(trades.map(({ realisedMicros }) => realisedMicros)))
  const entries = story.ledger.filter((row) => row["account"] === account)
  const deposit = entries.reduce((sum, row) => sum + BigInt(String(row["amount"])), 0n)
  differs("deposit", BigInt(microsOf(balance.deposit)), deposit)
  return found
}

const total = (parts: ReadonlyArray<number>): number => parts.reduce((sum, part) => sum + part, 0)

/** The trade list contains all traders, so the positions in each symbol sum to zero. */
function positions(story: Story): ReadonlyArray<Finding> {
  const net = new Map<string, number>()
  for (const { lots, side, symbol } of story.trades) {
    net.set(symbol, (net.get(symbol) ?? 0) + (side === "BUY" ? lots : -lots))
  }
  const shown = new Map<string, number>()
  for (const one of onePerAccount(story)) {
    for (const { position, symbol } of one.positions) {
      shown.set(symbol, (shown.get(symbol) ?? 0) + lotsOf(story, symbol, position))
    }
  }
  return [...net, ...shown].flatMap(([symbol, sum]) =>
    sum === 0 ? [] : [{ rule: "I25", text: `positions of ${symbol} add up to ${sum} lots` }]
  )
}

const onePerAccount = ({ reads }: Story): ReadonlyArray<Read> => [
  ...new Map(reads.map((one) => [one.account, one])).values()
]

/**
 * Funding is paid only at whole hours, so an account's funding in a symbol changes at most once per hour. The sum
 * over all accounts is only the rounding remainder, which is less than 1e-6 USD per account and hour.
 */
function funding(story: Story): ReadonlyArray<Finding> {
  const found: Array<Finding> = []
  const first = story.lines[0]?.at ?? 0
  const last = story.lines.at(-1)?.at ?? 0
  const seen = new Map<string, { values: Set<number>; hours: number }>()
  for (const line of story.lines) {
    if (line.kind !== "heard" || line.frame.position_response === undefined) continue
    const { net_funding, symbol } = line.frame.position_response
    const key = `${story.connections.get(line.connection)?.account} ${symbol}`
    const one = seen.get(key) ?? { values: new Set(), hours: hourOf(line.at) }
    seen.set(key, { ...one, values: one.values.add(microsOf(net_funding)) })
    if (one.values.size > 2 + hourOf(line.at) - one.hours) {
      found.push({ rule: "I32", text: `funding of ${key} changed ${one.values.size - 1} times` })
    }
  }
  const sum = total(onePerAccount(story).map(({ balance }) => microsOf(balance.net_funding)))
  const rounding = story.accounts.length * story.listed.size * (1 + hourOf(last) - hourOf(first))
  if (sum > 0 || sum < -rounding) found.push({ rule: "I32", text: `funding of all adds up to ${sum} micros` })
  return found
}

const hourOf = (at: number): number => Math.floor(at / 3_600_000)
