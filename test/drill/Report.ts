/** Report of a drill: one line for each check, and figures that are no checks. */

export interface Check {
  readonly name: string
  readonly expected: string
  readonly found: string
  readonly isMet: boolean
  /** Time from the previous line of the report to this one. */
  readonly seconds: number
}

export interface Report {
  /** Begins a part, to which the next checks belong. */
  readonly begin: (part: string) => void
  readonly check: (name: string, expected: string, found: string, isMet?: boolean) => void
  /** Adds a measured figure, which is not judged. */
  readonly figure: (name: string, text: string) => void
  readonly lines: () => ReadonlyArray<string>
  readonly failures: () => number
}

/** `now` returns the time in milliseconds. Each line is passed to `say` when it is added. */
export const make = (now: () => number, say: (line: string) => void): Report => {
  const lines: Array<string> = []
  let checks = 0
  let failures = 0
  let at = now()
  const add = (line: string) => {
    lines.push(line)
    say(line)
  }
  const lap = (): number => {
    const before = at
    at = now()
    return (at - before) / 1_000
  }
  return {
    begin: (name) => {
      lap()
      add(`## ${name}`)
    },
    check: (name, expected, found, isMet = expected === found) => {
      checks++
      if (!isMet) failures++
      add(lineOf({ name, expected, found, isMet, seconds: lap() }))
    },
    figure: (name, text) => add(`- figure: ${name}: ${text}`),
    lines: () => [...lines, summaryOf(checks, failures)],
    failures: () => failures
  }
}

export const lineOf = ({ expected, found, isMet, name, seconds }: Check): string =>
  `- ${isMet ? "ok" : "FAILED"}: ${name}: expected ${expected}, found ${found} (${seconds.toFixed(1)} s)`

const summaryOf = (checks: number, failures: number): string =>
  `summary: ${checks} checks, ${failures === 0 ? "all met" : `${failures} failed`}`

/** Returns at most three of the differences as text, or "none". */
export const listed = (differences: ReadonlyArray<string>): string => {
  if (differences.length === 0) return "none"
  const more = differences.length > 3 ? ` and ${differences.length - 3} more` : ""
  return `${differences.slice(0, 3).join("; ")}${more}`
}

export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? NaN
