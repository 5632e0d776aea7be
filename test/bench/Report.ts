/**
 * Results of one part of the bench: rows of figures by round. Each row states its anchor (the reference figure of its
 * ratio) and its goal.
 */

/** One round: the measured figure, the reference figure, and their ratio. */
export interface Round {
  readonly venue: number
  readonly anchor: number
  readonly ratio: number
  /** Why the round is void. */
  readonly void?: string
}

export interface Goal {
  readonly better: "higher" | "lower"
  readonly solid: number
  readonly aim: number
}

export interface Row {
  readonly name: string
  readonly unit: string
  readonly anchor: string
  readonly rounds: ReadonlyArray<Round>
  readonly goal: Goal | null
  readonly notes: ReadonlyArray<string>
}

export interface Verdict {
  readonly median: number
  readonly worst: number
  readonly met: "aim" | "solid" | "missed" | "void" | ""
}

export const round = (venue: number, anchor: number): Round => ({ venue, anchor, ratio: venue / anchor })

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Returns the verdict and the worst round. Only the median decides the verdict. */
export const verdict = ({ goal, rounds }: Row): Verdict => {
  const valid = rounds.filter((one) => one.void === undefined)
  const ratios = valid.map(({ ratio }) => ratio)
  if (ratios.length === 0) return { median: NaN, worst: NaN, met: "void" }
  const worst = goal?.better === "lower" ? Math.max(...ratios) : Math.min(...ratios)
  const middle = median(ratios)
  const reached = (level: number): boolean => (goal?.better === "lower" ? middle <= level : middle >= level)
  const level = goal === null ? "" : reached(goal.aim) ? "aim" : reached(goal.solid) ? "solid" : "missed"
  return { median: middle, worst, met: valid.length < rounds.length ? "void" : level }
}

export const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

export const figure = (value: number): string => {
  if (!Number.isFinite(value)) return "-"
  const size = Math.abs(value)
  return size >= 1000
    ? Math.round(value).toLocaleString("en-US")
    : size >= 100
      ? value.toFixed(0)
      : value.toPrecision(3)
}

export const tell = (row: Row): void => {
  say(`\n${row.name} (${row.unit}), against ${row.anchor}`)
  row.rounds.forEach((one, index) => {
    const fate = one.void === undefined ? "" : `  VOID: ${one.void}`
    say(`  round ${index + 1}: ${figure(one.venue)} to ${figure(one.anchor)}: ${figure(one.ratio)}${fate}`)
  })
  const { median, met, worst } = verdict(row)
  say(`  median ${figure(median)}, worst ${figure(worst)}${goalText(row.goal)}${met === "" ? "" : `: ${met}`}`)
  for (const note of row.notes) say(`  ${note}`)
}

/** Formats the rows as a Markdown table for the README. */
export const table = (rows: ReadonlyArray<Row>): string =>
  [
    "| what | against | rounds | median | worst | solid / aim | reached |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...rows.map((row) => {
      const { median, met, worst } = verdict(row)
      const rounds = row.rounds.map(({ ratio }) => figure(ratio)).join(", ")
      const goal = row.goal === null ? "" : `${sign(row.goal)} ${row.goal.solid} / ${row.goal.aim}`
      return `| ${[row.name, row.anchor, rounds, figure(median), figure(worst), goal, met].join(" | ")} |`
    })
  ].join("\n")

const sign = ({ better }: Goal): string => (better === "higher" ? "≥" : "≤")

function goalText(goal: Goal | null): string {
  return goal === null ? "" : `; solid ${sign(goal)} ${goal.solid}, aim ${sign(goal)} ${goal.aim}`
}
