/**
 * Traces of commands on the order path. All nodes derive the trace's id from the command's id, and select commands by
 * it, so that messages between nodes carry nothing for tracing.
 */
import { Context } from "effect"

/** Steps with a span. The gateway's span is the parent of the others. */
export type Step = "gateway" | "desk" | "market" | "journal"

export interface Span {
  readonly commandId: string
  readonly step: Step
  /** Unix times in nanoseconds. */
  readonly startNanos: bigint
  readonly endNanos: bigint
  readonly attributes?: Readonly<Record<string, string>>
}

/** Trace and parent of a command's spans. */
export interface TraceIds {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits: the id of the gateway's span. */
  readonly rootSpanId: string
}

/** Traces of this process, or undefined while tracing is off. */
export const Traces = Context.Reference<
  | {
      readonly isSampled: (commandId: string) => boolean
      /** Sends a span later. Drops the span if too many were recorded in this second. */
      readonly record: (span: Span) => void
    }
  | undefined
>("@venue/telemetry/Traces", { defaultValue: () => undefined })
export type Traces = NonNullable<(typeof Traces)["Service"]>

/** Returns the ids of a command's trace, or undefined if the command's id is not a UUID. */
export const idsOf = (commandId: string): TraceIds | undefined => {
  const traceId = commandId.replaceAll("-", "").toLowerCase()
  return /^[0-9a-f]{32}$/.test(traceId) ? { traceId, rootSpanId: traceId.slice(16) } : undefined
}

/** Returns a function that selects this share of all commands, from 0 to 1, by the first 32 bits of their id. */
export const sampler =
  (ratio: number) =>
  (commandId: string): boolean =>
    Number.parseInt(commandId.slice(0, 8), 16) < ratio * 2 ** 32
