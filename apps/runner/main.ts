/** Starts one runner of a venue of many processes. */
import * as Start from "../process/Start.ts"
import * as RunnerNode from "./RunnerNode.ts"

Start.run(RunnerNode.run)
