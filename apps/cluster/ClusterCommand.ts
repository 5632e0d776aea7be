/**
 * Arguments of `npm run cluster --`. Without arguments, the cluster starts; otherwise they form a command for a
 * running cluster.
 */
import { Result, Schema } from "effect"

export type ClusterCommand =
  | { readonly _tag: "Start" }
  | { readonly _tag: "Status" }
  | { readonly _tag: "Restart" | "Drain"; readonly node: string }

/** The arguments are not a command. Nothing was done. */
export class CommandRefused extends Schema.TaggedError<CommandRefused>()("CommandRefused", { reason: Schema.String }) {
  override get message(): string {
    return `${this.reason}; npm run cluster starts a cluster, and npm run cluster -- status | restart <node> | drain <node> controls it`
  }
}

export const read = (words: ReadonlyArray<string>): Result.Result<ClusterCommand, CommandRefused> => {
  const refused = (reason: string) => Result.fail(new CommandRefused({ reason }))
  const [verb, node, ...rest] = words
  if (verb === undefined) return Result.succeed({ _tag: "Start" })
  const needsNode = verb === "restart" || verb === "drain"
  if (verb !== "status" && !needsNode) return refused(`"${verb}" is not a command`)
  if (needsNode && node === undefined) return refused(`${verb} needs the name of a node, such as runner-1`)
  const more = needsNode ? rest[0] : node
  if (more !== undefined) return refused(`unexpected argument "${more}"`)
  if (verb === "status") return Result.succeed({ _tag: "Status" })
  return Result.succeed({ _tag: verb === "restart" ? "Restart" : "Drain", node: node! })
}
