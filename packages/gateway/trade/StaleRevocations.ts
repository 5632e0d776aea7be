/**
 * Refuses commands that add risk while revocations are stale, because the client's credential might have been
 * revoked.
 */
import { isStop } from "@venue/domain/Stop"
import { trustedDelayMillis } from "@venue/storage/access/Revocations"
import type { TradingCommand } from "./Request.ts"

/** True if the command adds risk and the revocations are too old. Cancels, closes and queries stay allowed. */
export const isRefused = (command: TradingCommand, ageMillis: number): boolean =>
  ageMillis > trustedDelayMillis && addsRisk(command)

export const message =
  "this gateway could not check for revoked credentials for over 3 seconds; nothing was done, try again"

const addsRisk = (command: TradingCommand): boolean => {
  switch (command._tag) {
    case "AddOrder":
      return !command.reduceOnly && !isStop(command.type)
    case "PreviewOrder":
      return addsRisk(command.order)
    case "AddTwap":
      return !command.reduceOnly
    case "ModifyOrder":
    case "SetUserLeverage":
      return true
    default:
      return false
  }
}
