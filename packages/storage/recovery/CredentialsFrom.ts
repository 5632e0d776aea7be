/** Time before which dated credentials are refused, because they might have been used in the time that a restore lost. */

/** SQL expression: the time, or null in a venue without a recovery. */
export const credentialsFrom = "(select max(recovery.credentials_from) from recovery)"
