/** State of a chain as its provider last saw it, for metrics. A number is undefined before the first response. */
export interface RailSight {
  readonly newestBlock: number | undefined
  /** Last block read for deposits. */
  readonly readBlock: number | undefined
  /** Numbers of configured endpoints by the result of their last request. */
  readonly answering: number
  readonly failing: number
  /** Money on the paying account, in 1e-6 USD. */
  readonly hotMoney: bigint | undefined
  /** Native currency on the paying account, in 1e-18; undefined on a chain where it is not read. */
  readonly hotGas: bigint | undefined
}
