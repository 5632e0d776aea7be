/** Socket texts that violate their description, collected until a test or a run is judged. */

const faults: Array<string> = []

/** One bug usually repeats, so 20 faults are enough. */
const maxFaults = 20

export const add = (fault: string | undefined): void => {
  if (fault !== undefined && faults.length < maxFaults) faults.push(fault)
}

export const take = (): ReadonlyArray<string> => faults.splice(0)
