/** Histories that each contain a single fault in streams, stops, connections or keys. */
import { at, endedRow, innocent, tables } from "./HandmadeHistory.ts"
import {
  child,
  ended,
  key,
  late,
  nonce,
  probe,
  proof,
  pulse,
  resting,
  shown,
  state,
  stop,
  streams,
  trades,
  twap,
  type Spoiled
} from "./HandmadeLines.ts"

export const spoiledNodes: ReadonlyArray<Spoiled> = [
  ["I2", "a journal row is missing", () => innocent({}, [streams([1, 1, 4], [2, 6, 7])]), /^I2: .* rows 5 to 5/],
  ["I2", "a journal row within an epoch is missing", () => innocent({}, [streams([1, 1, 4, 3])]), /^I2: .* has 3 rows/],
  [
    "I4",
    "an older epoch writes a row after a newer claim",
    () => innocent({}, [streams([1, 1, 9], [2, 6, 7])]),
    /^I4: /
  ],
  [
    "I6",
    "a replay results in a different state",
    () => innocent({}, [state("before", "1"), state("after", "2")]),
    /^I6: ann was 1/
  ],
  ["I26", "the operator's check of the books fails", () => innocent({}, [proof(false)]), /^I25 I26: after episode 1/],
  [
    "I30",
    "a stop fires twice",
    () => innocent(trades(...stop("s1", "t8", 500), ...stop("s1", "t9", 600))),
    /^I30: stop s1 filled at 2 times/
  ],
  [
    "I30",
    "both stops of a linked pair fire",
    () => innocent(trades(...stop("s1", "t8", 500), ...stop("s2", "t9", 500))),
    /^I30: linked stops/
  ],
  [
    "I31",
    "a TWAP fills more than its total quantity",
    () => innocent({ ...trades(...child("t8", "k1", 1_500, "3"), ...child("t9", "k2", 31_500, "3")), twap: [twap()] }),
    /^I31: TWAP w1 has filled 6 of 4/
  ],
  [
    "I31",
    "a TWAP has more child orders than slices",
    () =>
      innocent({
        ...trades(
          ...child("t7", "k1", 1_500, "1"),
          ...child("t8", "k2", 31_500, "1"),
          ...child("t9", "k3", 61_500, "2")
        ),
        twap: [twap()]
      }),
    /^I31: TWAP w1 has 3 children/
  ],
  [
    "I31",
    "a TWAP places a child order too early",
    () => innocent({ ...trades(...child("t8", "k1", 1_500), ...child("t9", "k2", 2_500)), twap: [twap()] }),
    /^I31: TWAP w1 placed child 2 at 1500 ms/
  ],
  [
    "I31",
    "a TWAP reports a filled quantity that differs from its trades",
    () => innocent({ ...trades(...child("t8", "k1", 1_500)), twap: [twap()] }),
    /^I31: TWAP w1 says 4 lots/
  ],
  [
    "I32",
    "an account's funding changes twice in one hour",
    () => innocent({}, [pulse(1_000, 0), pulse(2_000, 1), pulse(3_000, 2)]),
    /^I32: funding of ann AAPL-USD changed 2 times/
  ],
  [
    "I32",
    "funding does not sum to zero over all accounts",
    () => shown("ben", { balance: { deposit: 100, fees: 0.02, realised_pnl: 0, net_funding: 1 } }),
    /^I32: funding of all adds up/
  ],
  [
    "I34",
    "orders of cancel-on-disconnect connections outlive their gateway",
    () =>
      innocent({
        ended_order: tables.ended_order.map((row) => (row["order_id"] === "o4" ? { ...row, ...late } : row))
      }),
    /^I34: gateway-2 was killed, and order o4 of cid ended 6000 ms later/
  ],
  [
    "I34",
    "an order that no client cancelled is cancelled",
    () => innocent(ended(endedRow("ann", "o5", "a-3", { ended_at_millis: String(at(23_000)) })), resting),
    /^I34: order o5 of ann was cancelled, and nobody asked/
  ],
  [
    "I36",
    "a signed request is accepted twice",
    () => innocent({}, [nonce(200, 200)]),
    /^I36: one signed request was good through gateway-1 and gateway-2/
  ],
  [
    "I36",
    "a signed request is rejected by every gateway",
    () => innocent({}, [nonce(401, 401)]),
    /^I36: .* good nowhere/
  ],
  [
    "I40",
    "a replaced key is still accepted",
    () => innocent({}, [key(1_000, "replaced", "k1", "k2"), probe(1_500, "k1", "good")]),
    /^I40: a key was good through gateway-1 490 ms/
  ],
  [
    "I40",
    "a key that nothing replaced is rejected",
    () => innocent({}, [key(1_000, "refused", "k1", ""), probe(1_500, "k1", "refused")]),
    /^I40: a key that nothing had replaced/
  ]
]
