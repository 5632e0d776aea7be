/** Top-ups of a market's reserve fund by the operator. Money in 1e-6 USD. */

/**
 * Tops the reserve fund up. Has no effect if the id was used before, or if the amount is not above zero or overflows
 * the fund.
 */
export interface TopUpFund {
  readonly _tag: "TopUpFund"
  readonly topUpId: string
  readonly amount: number
  readonly reason: string
}

/** The reserve fund was topped up. */
export interface FundToppedUp {
  readonly _tag: "FundToppedUp"
  readonly topUpId: string
  readonly amount: number
  readonly reason: string
  readonly atMillis: number
}
