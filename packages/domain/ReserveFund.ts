/** A market's own money for hard times, as far as the operator puts it in. Money in 1e-6 USD. */

/** A repeat of the id changes nothing, and neither does an amount that is not above zero or more than the fund can count. */
export interface TopUpFund {
  readonly _tag: "TopUpFund"
  readonly topUpId: string
  readonly amount: number
  readonly reason: string
}

export interface FundToppedUp {
  readonly _tag: "FundToppedUp"
  readonly topUpId: string
  readonly amount: number
  readonly reason: string
  readonly atMillis: number
}
