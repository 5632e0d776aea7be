/** Tables for alarms and their delivery as one layer, on Postgres or in memory. */
import { Layer } from "effect"
import { LostNodes } from "../nodes/LostNodes.ts"
import { AlarmPushes } from "./AlarmPushes.ts"
import { AlarmWebhooks } from "./AlarmWebhooks.ts"
import { DatabaseState } from "./DatabaseState.ts"
import { DeadPriceSources } from "./DeadPriceSources.ts"
import { NodeReports } from "./NodeReports.ts"

export const layer = Layer.mergeAll(
  AlarmPushes.layer,
  AlarmWebhooks.layer,
  DatabaseState.layer,
  DeadPriceSources.layer,
  LostNodes.layer,
  NodeReports.layer
)

export const layerMemory = Layer.mergeAll(
  AlarmPushes.layerMemory,
  AlarmWebhooks.layerMemory,
  DatabaseState.layerMemory,
  DeadPriceSources.layerMemory,
  LostNodes.layerMemory,
  NodeReports.layerMemory
)
