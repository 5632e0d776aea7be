/** Definition of a metric: name, type, labels and help text, from which its series are made. */

/** Kinds of process that serve a metric. */
export type NodeKind = "runner" | "gateway" | "auditor" | "wallet"

export interface Definition<Label extends string = string, Type extends MetricType = MetricType> {
  /** Prometheus name, which ends in the unit, and in `_total` for a counter. */
  readonly name: string
  readonly type: Type
  /** Each label has a bounded set of values; no label identifies a user, an account or an order. */
  readonly labels: ReadonlyArray<Label>
  readonly nodes: ReadonlyArray<NodeKind>
  /** Noun phrase of at most 25 words. */
  readonly help: string
  /** Upper bounds of a histogram's buckets; empty for other types. */
  readonly boundaries: ReadonlyArray<number>
}
export type MetricType = "counter" | "gauge" | "histogram"

export type Labels<Label extends string> = Readonly<Record<Label, string>>

interface Options<Label extends string> {
  readonly labels?: ReadonlyArray<Label>
  readonly nodes: ReadonlyArray<NodeKind>
  readonly help: string
}

export const counter = <const Label extends string = never>(
  name: `venue_${string}_total`,
  options: Options<Label>
): Definition<Label, "counter"> => ({ name, type: "counter", labels: [], boundaries: [], ...options })

export const gauge = <const Label extends string = never>(
  name: `venue_${string}`,
  options: Options<Label>
): Definition<Label, "gauge"> => ({ name, type: "gauge", labels: [], boundaries: [], ...options })

export const histogram = <const Label extends string = never>(
  name: `venue_${string}`,
  options: Options<Label> & { readonly boundaries: ReadonlyArray<number> }
): Definition<Label, "histogram"> => ({ name, type: "histogram", labels: [], ...options })

/** Buckets for parts of an order's path and for database writes, in seconds. */
export const fast = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

/** Buckets for requests and audits, in seconds. */
export const slow = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 60]

/** Buckets for numbers of items. */
export const counts = [1, 2, 5, 10, 25, 50, 100, 250, 500]
