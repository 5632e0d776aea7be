/**
 * A projection is a group of read tables that are written together from the rows of a stream. It has a position of its
 * own in each stream, so that a group that is added later fills itself from the first row.
 */
import type { MarketEvent } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { TraderEvent } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import type { ReadQuery, TableWrite } from "./ReadTable.ts"

/** This is a committed row of the journal, decoded; that of a claim has no events and is named all the same. */
export interface CommittedRow<Event> {
  readonly seq: number
  readonly events: ReadonlyArray<Event>
}

/** What goes on from rows of the group's own is known once those were read. */
export type Writes = ReadonlyArray<TableWrite> | ReadQuery<ReadonlyArray<TableWrite>>

export const continues = (writes: Writes): writes is ReadQuery<ReadonlyArray<TableWrite>> => "sql" in writes

export interface Projection<Subject, Event> {
  /** Its positions are stored under this name: it is given to no other group, ever. */
  readonly group: string
  /** The stream of a market, or of a trader. */
  readonly stream: (subject: Subject) => string
  readonly writes: (subject: Subject, rows: ReadonlyArray<CommittedRow<Event>>) => Writes
}

/** Enough of a projection to ask how far it has come. */
export type Group<Subject> = Pick<Projection<Subject, never>, "group" | "stream">
export type MarketGroup = Group<MarketSymbol>
export type TraderGroup = Group<UserId>

export type MarketProjection = Projection<MarketSymbol, MarketEvent>
export type TraderProjection = Projection<UserId, TraderEvent>

/** The name of the group's position in that stream. */
export const positionOf = <Subject>({ group, stream }: Group<Subject>, subject: Subject): string =>
  `${group}:${stream(subject)}`
