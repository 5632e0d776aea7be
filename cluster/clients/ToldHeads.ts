/** How far this node has been told the logs of the markets: its feed fills it, and a desk elsewhere answers from no less. */
import { Context } from "effect"
import type { Head } from "../protocol/Desk.ts"

export class ToldHeads extends Context.Service<
  ToldHeads,
  {
    /** Of each market that was heard, its newest row. */
    readonly all: () => ReadonlyArray<Head>
  }
>()("@venue/cluster/ToldHeads") {}
