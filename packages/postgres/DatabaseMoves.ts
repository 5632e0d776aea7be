/** Checks of the database's content after a lost connection, which can lead to another server that lacks rows (I57). */
import { Context, Effect, Latch, type Scope } from "effect"

export interface Moves {
  /** Notes that later connections can reach another server. Without effect if nothing checks. */
  readonly moved: () => void
  /** Number of moves that were noted. */
  readonly count: () => number
  /** Waits until the newest noted move is checked. */
  readonly whenChecked: Effect.Effect<void>
  /** Runs `check` after each move until the scope closes. At most one check can be registered at a time. */
  readonly checking: (check: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
}

export const make = (): Moves => {
  let count = 0
  let isWatched = false
  const isMoved = Latch.makeUnsafe(false)
  const isChecked = Latch.makeUnsafe(true)
  const end = Effect.sync(() => {
    isWatched = false
    isMoved.closeUnsafe()
    isChecked.openUnsafe()
  })
  return {
    moved: () => {
      if (!isWatched) return
      count++
      isChecked.closeUnsafe()
      isMoved.openUnsafe()
    },
    count: () => count,
    whenChecked: isChecked.await,
    checking: Effect.fnUntraced(function* (check: Effect.Effect<void>) {
      isWatched = true
      yield* Effect.addFinalizer(() => end)
      const next = Effect.gen(function* () {
        yield* isMoved.await
        isMoved.closeUnsafe()
        const upTo = count
        yield* check
        if (count === upTo) isChecked.openUnsafe()
      })
      yield* Effect.forkScoped(Effect.forever(next))
    })
  }
}

/** Moves of this process's database. */
export const DatabaseMoves = Context.Reference<Moves>("@venue/postgres/DatabaseMoves", { defaultValue: make })
