/** Waits for an event of a process. */

/** Time limit for every wait for a process. On a busy machine, a start takes more than a minute. */
export const patienceMillis = 600_000

/**
 * Polls every 20 ms until the condition holds. After `patienceMillis`, fails with the condition's description and the
 * result of `saw`.
 */
export const until = async (
  what: string,
  holds: () => boolean | Promise<boolean>,
  saw: () => string = () => ""
): Promise<void> => {
  const deadline = performance.now() + patienceMillis
  while (!(await holds())) {
    if (performance.now() > deadline)
      throw new Error(`waited ${patienceMillis / 1_000} s in vain until ${what}\n${saw()}`.trim())
    await new Promise((again) => setTimeout(again, 20))
  }
}
