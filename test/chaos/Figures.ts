/** What a run comes to, in numbers. */
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

/** From the beginning of a fault to the first order that was sent after it and acknowledged, in the market that took longest. */
function recoveries(story: Story): ReadonlyArray<string> {
  const byKind = new Map<string, Array<number>>()
  const adds = story.commands.filter(
    ({ answeredAt, isUnknown, refused, type }) =>
      type === "add_order" && answeredAt !== undefined && refused === undefined && !isUnknown
  )
  for (const { beganAt, fault } of story.faults) {
    const first = new Map<string, number>()
    for (const { answeredAt, params, sentAt } of adds) {
      if (sentAt <= beganAt) continue
      const symbol = String(params["symbol"])
      first.set(symbol, Math.min(first.get(symbol) ?? Number.POSITIVE_INFINITY, answeredAt! - beganAt))
    }
    if (first.size > 0) byKind.set(fault, [...(byKind.get(fault) ?? []), Math.max(...first.values())])
  }
  return [...byKind].toSorted().map(([fault, millis]) => {
    const sorted = millis.toSorted((a, b) => a - b)
    const seconds = (one: number) => (one / 1_000).toFixed(1)
    const [median, worst] = [sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!]
    return `recovery: ${fault}: ${sorted.length} times, median ${seconds(median)} s, worst ${seconds(worst)} s`
  })
}
