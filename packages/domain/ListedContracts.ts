/** Listed contracts of a running venue, to which contracts can be added. */
import type { Instrument } from "./Instrument.ts"
import type { MarketSymbol } from "./MarketSymbol.ts"

export interface ListedContracts {
  /** Live view in listing order. */
  readonly instruments: ReadonlyMap<MarketSymbol, Instrument>
  /** Calls `observe` for each added contract, after the view has it. Returns a function that stops the calls. */
  readonly watch: (observe: (instrument: Instrument) => void) => () => void
  /** Adds a contract. Leaves a symbol that is already listed unchanged. */
  readonly add: (instrument: Instrument) => void
}

export const make = (initial: Iterable<Instrument>): ListedContracts => {
  const instruments = new Map(Array.from(initial, (instrument) => [instrument.symbol, instrument]))
  const observers = new Set<(instrument: Instrument) => void>()
  return {
    instruments,
    watch: (observe) => {
      observers.add(observe)
      return () => observers.delete(observe)
    },
    add: (instrument) => {
      if (instruments.has(instrument.symbol)) return
      instruments.set(instrument.symbol, instrument)
      for (const observe of observers) observe(instrument)
    }
  }
}
