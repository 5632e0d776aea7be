/**
 * Newest row of each market log that this node's feed has published. A node sends these heads with each read. A desk
 * on another node responds once it has applied all rows up to them.
 */
import { Context } from "effect"
import type { Head } from "../protocol/Desk.ts"

export class FeedHeads extends Context.Service<
  FeedHeads,
  {
    /** Returns one head for each market from which the feed has received a row. */
    readonly all: () => ReadonlyArray<Head>
  }
>()("@venue/cluster/FeedHeads") {}
