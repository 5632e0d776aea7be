/**
 * Content of an archive file: consecutive journal rows of one stream, packed with msgpack and compressed with Zstandard.
 * The name states the stream and the rows, so the files can be read without a database.
 */
import { Packr } from "msgpackr"
import { createHash } from "node:crypto"
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib"

export interface ArchivedRow {
  readonly seq: number
  readonly epoch: number
  /** Time at which the row was written, in µs since 1970. */
  readonly recordedAtMicros: bigint
  readonly events: Uint8Array
}

export interface RowRange {
  readonly stream: string
  readonly first: number
  readonly last: number
}

const version = 1

/** Largest uncompressed size of a file that is read, which bounds memory. */
export const mostBytes = 256 * 1024 * 1024

export const encode = ({ first, last, stream }: RowRange, rows: ReadonlyArray<ArchivedRow>): Uint8Array =>
  zstdCompressSync(
    packr.pack([
      version,
      stream,
      first,
      last,
      rows.map(({ epoch, events, recordedAtMicros, seq }) => [seq, epoch, recordedAtMicros, events])
    ]),
    { params: { [constants.ZSTD_c_checksumFlag]: 1 } }
  )

/** Returns the rows, or the reason why the file is not a whole archive of the range. */
export const decode = (range: RowRange, bytes: Uint8Array): ReadonlyArray<ArchivedRow> | string => {
  const content: Content = packr.unpack(zstdDecompressSync(bytes, { maxOutputLength: mostBytes }))
  const [of, stream, first, last, rows] = content
  if (of !== version) return `it has version ${of}`
  if (stream !== range.stream || first !== range.first || last !== range.last) {
    return `it has rows ${first} to ${last} of ${stream}`
  }
  const isWhole = rows.length === last - first + 1 && rows.every(([seq], place) => seq === first + place)
  if (!isWhole) return "rows are missing"
  return rows.map(([seq, epoch, recordedAtMicros, events]) => ({ seq, epoch, recordedAtMicros, events }))
}

export const digestOf = (bytes: Uint8Array): Buffer => createHash("sha256").update(bytes).digest()

/** Returns the file name of a range. Characters that a file system might reject are percent-encoded. */
export const nameOf = ({ first, last, stream }: RowRange): string =>
  `${encodeURIComponent(stream)}.${first}-${last}.zst`

type Content = readonly [
  version: number,
  stream: string,
  first: number,
  last: number,
  rows: ReadonlyArray<readonly [seq: number, epoch: number, recordedAtMicros: bigint, events: Uint8Array]>
]

const packr = new Packr({ useRecords: false, int64AsType: "bigint" })
