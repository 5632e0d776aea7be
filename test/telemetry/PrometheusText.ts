/** Strict parser of the Prometheus text format, for tests. Throws at the first line that the format does not allow. */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly help: string
  readonly type: string
  readonly samples: ReadonlyArray<Sample>
}

const value = /^(?:[+-]?Inf|NaN|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/

/** Returns the families by name. Each has one HELP line, then one TYPE line, then its series, each once. */
export const parse = (text: string): ReadonlyMap<string, Family> => {
  if (!text.endsWith("\n")) throw new Error("the text does not end with a line break")
  const families = new Map<string, Family & { readonly samples: Array<Sample> }>()
  const seen = new Set<string>()
  let help: readonly [name: string, text: string] | undefined
  let current: string | undefined
  for (const line of text.slice(0, -1).split("\n")) {
    const [, helped, words] = /^# HELP ([a-z_]+) (.+)$/.exec(line) ?? []
    const [, typed, type] = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(line) ?? []
    if (helped !== undefined) help = [helped, words!]
    else if (typed !== undefined) {
      if (help?.[0] !== typed) throw new Error(`no HELP line directly before: ${line}`)
      if (families.has(typed)) throw new Error(`a second family: ${line}`)
      families.set(typed, { help: help[1], type: type!, samples: [] })
      current = typed
      help = undefined
    } else {
      const sample = sampleOf(line)
      const family = current === undefined ? undefined : families.get(current)
      const base = family?.type === "histogram" ? sample.name.replace(/_(bucket|sum|count)$/, "") : sample.name
      if (family === undefined || base !== current) throw new Error(`a series outside its family: ${line}`)
      const series = line.slice(0, line.lastIndexOf(" "))
      if (seen.has(series)) throw new Error(`a second sample of ${series}`)
      seen.add(series)
      family.samples.push(sample)
    }
  }
  for (const [name, family] of families) checkHistogram(name, family)
  return families
}

const sampleOf = (line: string): Sample => {
  const [, name, , labels = "", number] = /^([a-z_]+)(\{(.*)\})? (\S+)$/.exec(line) ?? []
  if (name === undefined || !value.test(number!)) throw new Error(`not a sample: ${line}`)
  const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/g)]
  if (pairs.map(([pair]) => pair).join("") !== labels) throw new Error(`not a list of labels: ${line}`)
  const named = Object.fromEntries(pairs.map(([, label, text]) => [label!, text!]))
  if (Object.keys(named).length !== pairs.length) throw new Error(`a repeated label: ${line}`)
  return { name, labels: named, value: Number(number!.replace("Inf", "Infinity")) }
}

const checkHistogram = (name: string, { samples, type }: Family): void => {
  if (type !== "histogram") return
  const bySeries = Map.groupBy(samples, ({ labels }) =>
    JSON.stringify(Object.entries(labels).filter(([label]) => label !== "le"))
  )
  for (const [series, all] of bySeries) {
    const buckets = all.filter((sample) => sample.name === `${name}_bucket`)
    const rising = buckets.every(({ value }, at) => at === 0 || value >= buckets[at - 1]!.value)
    const count = all.find((sample) => sample.name === `${name}_count`)?.value
    const last = buckets.at(-1)
    if (!rising || last?.labels["le"] !== "+Inf" || last.value !== count)
      throw new Error(`${name}${series}: the buckets do not rise to the count`)
  }
}
