/** What took a deposit or withdrawal from one state to the next. They are only ever added. */
import { integer, of, orNull, text, timestamptz } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import { DepositState } from "@venue/domain/Deposit"
import { WithdrawalState } from "@venue/domain/Withdrawal"

const step = { step: integer, actor: text, atMillis: timestamptz }

export const withdrawalSteps = Table.make("withdrawal_step", {
  withdrawalId: text,
  fromState: orNull(of("text", WithdrawalState)),
  toState: of("text", WithdrawalState),
  ...step
})
export type WithdrawalStep = Table.Row<typeof withdrawalSteps>

export const depositSteps = Table.make("deposit_step", {
  depositId: text,
  fromState: orNull(of("text", DepositState)),
  toState: of("text", DepositState),
  ...step
})
export type DepositStep = Table.Row<typeof depositSteps>

/** Who a step of the venue itself is by. */
export const railActor = (rail: string): string => `rail/${rail}`
