/** How a bench is run: what every part of it is told. */

export interface Options {
  /** Empty for all. */
  readonly parts: ReadonlyArray<string>
  readonly rounds: number
  /** Of a timed round; a book runs whole flows until they add up to it. */
  readonly seconds: number
  /** Of a flow. */
  readonly operations: number
  readonly overloadSeconds: number
  readonly kills: number
  /** Where all that is written goes; gone when the bench ends. */
  readonly folder: string
  readonly json: string | null
  /** Connections x in flight; empty for all. */
  readonly shapes: ReadonlyArray<string>
}
