/**
 * Projections: groups of tables for queries, which are written together from a stream's rows. Each group has its own
 * position in each stream, so that a group added in a later release is filled from the first row.
 */
import type { MarketEvent } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { TraderEvent } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import type { ReadQuery, TableWrite } from "./ReadTable.ts"

/** A committed, decoded journal row. Rows that record a change of ownership have no events. */
export interface CommittedRow<Event> {
  readonly seq: number
  readonly events: ReadonlyArray<Event>
}

/** Table writes, or a query for them if they depend on the group's earlier rows. */
export type Writes = ReadonlyArray<TableWrite> | ReadQuery<ReadonlyArray<TableWrite>>

export const continues = (writes: Writes): writes is ReadQuery<ReadonlyArray<TableWrite>> => "sql" in writes

export interface Projection<Subject, Event> {
  /** Name under which the group's positions are stored; must never be reused for another group. */
  readonly group: string
  /** Returns the name of a market's or a trader's stream. */
  readonly stream: (subject: Subject) => string
  readonly writes: (subject: Subject, rows: ReadonlyArray<CommittedRow<Event>>) => Writes
}

/** The fields of a projection that identify its positions. */
export type Group<Subject> = Pick<Projection<Subject, never>, "group" | "stream">
export type MarketGroup = Group<MarketSymbol>
export type TraderGroup = Group<UserId>

export type MarketProjection = Projection<MarketSymbol, MarketEvent>
export type TraderProjection = Projection<UserId, TraderEvent>

/** Returns the name of the group's position in a stream. */
export const positionOf = <Subject>({ group, stream }: Group<Subject>, subject: Subject): string =>
  `${group}:${stream(subject)}`
