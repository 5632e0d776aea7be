/** A gateway that has not heard of revocations lately may serve who is let in no longer: it adds no risk for them. */
import { isStop } from "@venue/domain/Stop"
import { trustedUnheardMillis } from "@venue/storage/access/Revocations"
import type { TradingCommand } from "./Request.ts"

/** What cancels or closes is let through, as are questions. */
export const isRefused = (command: TradingCommand, unheardMillis: number): boolean =>
  unheardMillis > trustedUnheardMillis && addsRisk(command)

export const message = "this gateway has not heard of revocations for some seconds; not done, try again"

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
