/** Starts one gateway of a venue of many processes. */
import * as Start from "../process/Start.ts"
import * as GatewayNode from "./GatewayNode.ts"

Start.run(GatewayNode.run)
