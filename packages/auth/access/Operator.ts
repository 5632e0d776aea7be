/** The operator behind an action, for the audit. */
export interface Operator {
  readonly actor: string
  /** Reason in the operator's own words. */
  readonly reason: string
}
