/**
 * Projections: groups of read tables written together from the rows of a stream. Each group has its own position in
 * each stream, so a group added later is filled from the first row.
 */
import type { MarketEvent } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { TraderEvent } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import type { ReadQuery, TableWrite } from "./ReadTable.ts"

/** Committed, decoded row of the journal. The row of a claim is included; it has no events. */
export interface CommittedRow<Event> {
  readonly seq: number
  readonly events: ReadonlyArray<Event>
}

/** Writes; as a query if they depend on earlier rows of the group. */
export type Writes = ReadonlyArray<TableWrite> | ReadQuery<ReadonlyArray<TableWrite>>

export const continues = (writes: Writes): writes is ReadQuery<ReadonlyArray<TableWrite>> => "sql" in writes

export interface Projection<Subject, Event> {
  /** Name of the stored positions; never reused for another group. */
  readonly group: string
  /** Stream of a market or a trader. */
  readonly stream: (subject: Subject) => string
  readonly writes: (subject: Subject, rows: ReadonlyArray<CommittedRow<Event>>) => Writes
}

/** The part of a projection that identifies its positions. */
export type Group<Subject> = Pick<Projection<Subject, never>, "group" | "stream">
export type MarketGroup = Group<MarketSymbol>
export type TraderGroup = Group<UserId>

export type MarketProjection = Projection<MarketSymbol, MarketEvent>
export type TraderProjection = Projection<UserId, TraderEvent>

/** Name of the group's position in a stream. */
export const positionOf = <Subject>({ group, stream }: Group<Subject>, subject: Subject): string =>
  `${group}:${stream(subject)}`
