/** What was said on a socket and is not as it is described, kept until the test or the run that saw it is judged. */

const found: Array<string> = []

/** A venue that says one thing wrong says it often. */
const kept = 20

export const add = (fault: string | undefined): void => {
  if (fault !== undefined && found.length < kept) found.push(fault)
}

export const take = (): ReadonlyArray<string> => found.splice(0)
