/** All tables of the treasury as one layer, on Postgres or in memory. */
import { Layer } from "effect"
import { BankAccounts } from "./BankAccounts.ts"
import { DepositAddresses } from "./DepositAddresses.ts"
import { DepositMessages } from "./DepositMessages.ts"
import { Deposits } from "./Deposits.ts"
import { OwnMoney } from "./OwnMoney.ts"
import { RailHoldings } from "./RailHoldings.ts"
import { RailStates } from "./RailStates.ts"
import { Sweeps } from "./Sweeps.ts"
import { SimulatedStates } from "./SimulatedStates.ts"
import { TreasuryFlags } from "./TreasuryFlags.ts"
import { WithdrawalDecisions } from "./WithdrawalDecisions.ts"
import { Webhooks } from "./Webhooks.ts"
import { Withdrawals } from "./Withdrawals.ts"

export const layer = Layer.mergeAll(
  BankAccounts.layer,
  DepositAddresses.layer,
  DepositMessages.layer,
  Deposits.layer,
  OwnMoney.layer,
  RailHoldings.layer,
  RailStates.layer,
  SimulatedStates.layer,
  Sweeps.layer,
  TreasuryFlags.layer,
  WithdrawalDecisions.layer,
  Webhooks.layer,
  Withdrawals.layer
)

export const layerMemory = Layer.mergeAll(
  BankAccounts.layerMemory,
  DepositAddresses.layerMemory,
  DepositMessages.layerMemory,
  Deposits.layerMemory,
  OwnMoney.layerMemory,
  RailHoldings.layerMemory,
  RailStates.layerMemory,
  SimulatedStates.layerMemory,
  Sweeps.layerMemory,
  TreasuryFlags.layerMemory,
  WithdrawalDecisions.layerMemory,
  Webhooks.layerMemory,
  Withdrawals.layerMemory
)
