/** The operator who performs an action, for the audit log. */
export interface Operator {
  readonly actor: string
  /** Reason in the operator's own words. */
  readonly reason: string
}
