/** On whose behalf an operator's deed is done, for the audit. */
export interface Operator {
  readonly actor: string
  /** In the operator's own words. */
  readonly reason: string
}
