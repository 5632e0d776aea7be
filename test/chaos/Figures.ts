/** Figures of a run. */
import type { Verdict } from "./Checker.ts"
import type { Command, Story } from "./CheckerStory.ts"

export const lines = ({ findings, story }: Verdict): ReadonlyArray<string> => {
  const adds = story.commands.filter(({ type }) => type === "add_order")
  const count = (holds: (command: Command) => boolean): number => story.commands.filter(holds).length
  const rules = (pattern: RegExp): number =>
    findings.filter(({ rule, text }) => pattern.test(`${rule}: ${text}`)).length
  const faults = (name: string): number => story.faults.filter(({ fault }) => fault === name).length
  const figures = {
    commands: story.commands.length,
    acked: adds.filter((one) => one.answeredAt !== undefined && one.refused === undefined && !one.isUnknown).length,
    lost: rules(/^I1: /),
    doubled: rules(/^I8 I20|^I21/),
    unknown: count(({ isUnknown }) => isUnknown),
    unanswered: count((one) => one.answeredAt === undefined),
    refused: count(({ refused }) => refused !== undefined),
    trades: story.trades.length / 2,
    kills: faults("kill"),
    freezes: faults("freeze"),
    faults: story.faults.length,
    findings: findings.length
  }
  return [
    `figures: ${Object.entries(figures)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")}`,
    ...recoveries(story)
  ]
}

interface Recovery {
  readonly millis: number
  readonly symbol: string
  /** Number of earlier orders to this market, by response. */
  readonly before: ReadonlyMap<string, number>
}

/**
 * Returns the recovery time for each kind of fault: from the start of the fault to the first order that was sent
 * later and acknowledged, in the slowest market. A market that received no order, or that refused orders for a valid
 * reason, also counts as down. The responses to earlier orders show which case applies.
 */
function recoveries({ commands, faults }: Story): ReadonlyArray<string> {
  const byKind = new Map<string, Array<Recovery>>()
  const adds = commands.filter(({ type }) => type === "add_order")
  for (const { beganAt, fault } of faults) {
    const first = new Map<string, number>()
    for (const { answeredAt, isUnknown, params, refused, sentAt } of adds) {
      if (sentAt <= beganAt || answeredAt === undefined || isUnknown || refused !== undefined) continue
      const symbol = String(params["symbol"])
      first.set(symbol, Math.min(first.get(symbol) ?? Number.POSITIVE_INFINITY, answeredAt))
    }
    const last = [...first].toSorted(([, a], [, b]) => b - a)[0]
    if (last === undefined) continue
    const [symbol, until] = last
    const before = new Map<string, number>()
    for (const { answeredAt, isUnknown, params, refused, sentAt } of adds) {
      if (params["symbol"] !== symbol || sentAt <= beganAt || sentAt >= until) continue
      const answer = isUnknown ? "unknown" : (refused ?? (answeredAt === undefined ? "unanswered" : undefined))
      if (answer === undefined) continue
      before.set(answer, (before.get(answer) ?? 0) + 1)
    }
    byKind.set(fault, [...(byKind.get(fault) ?? []), { millis: until - beganAt, symbol, before }])
  }
  const seconds = ({ millis }: Recovery) => `${(millis / 1_000).toFixed(1)} s`
  return [...byKind].toSorted().map(([fault, all]) => {
    const sorted = all.toSorted((a, b) => a.millis - b.millis)
    const [median, worst] = [sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!]
    const answers = [...worst.before].map(([answer, count]) => `${count} ${answer}`).join(", ")
    return `recovery: ${fault}: ${sorted.length} times, median ${seconds(median)}, worst ${seconds(worst)} (${worst.symbol}: ${
      answers === "" ? "no order before" : answers
    })`
  })
}
