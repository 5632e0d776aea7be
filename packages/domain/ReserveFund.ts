/** Operator top-ups of a market's reserve fund. Money in 1e-6 USD. */

/**
 * Tops the reserve fund up. Has no effect if the id is known, the amount is not above zero, or the sum would
 * overflow.
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
