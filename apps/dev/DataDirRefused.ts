/** The data directory cannot hold a venue's files. */
import { Effect, type PlatformError, Schema } from "effect"

export class DataDirRefused extends Schema.TaggedError<DataDirRefused>()("DataDirRefused", { reason: Schema.String }) {
  override get message() {
    return `VENUE_DATA_DIR: expected a folder that this user can write to, on a disk with free space (${this.reason})`
  }

  static readonly because = ({ message, reason: { cause } }: PlatformError.PlatformError) =>
    Effect.fail(new DataDirRefused({ reason: cause instanceof Error ? cause.message : message }))
}
