/** Those who follow an account: in order of rank, and free to leave or to fail while they are told. */
import type { Batch } from "@venue/cluster/clients/LocalEntities"
import * as Followers from "@venue/cluster/feed/Followers"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { MarketEvent } from "@venue/domain/Market"
import { assert, it } from "@effect/vitest"
import { idOf, one, userId } from "../Neighbours.ts"

const event: MarketEvent = {
  _tag: "Done",
  commandId: idOf(1),
  expiresAtMillis: 1,
  userId,
  accountId: primaryAccountOf(userId),
  atMillis: 1
}
const batch: Batch = { instrument: one, epoch: 1, seq: 1, events: [event], levels: [] }

const setUp = () => {
  const told: Array<string> = []
  const reported: Array<unknown> = []
  const followers = Followers.make((_, { rank }, cause) => reported.push([rank, cause]))
  const follow = (rank: "trader" | "socket", name: string, also = () => {}) =>
    followers.follow(primaryAccountOf(userId), {
      rank,
      observe: () => {
        told.push(name)
        also()
      },
      broken: () => told.push(`${name} is broken`)
    })
  return { follow, reported, tell: () => followers.tell(event, batch), told }
}

it("traders are told before sockets, whoever came first", () => {
  const { follow, tell, told } = setUp()
  follow("socket", "socket")
  follow("trader", "trader")
  tell()
  assert.deepEqual(told, ["trader", "socket"])
})

it("a follower that throws costs those after it nothing, not even the event it threw at", () => {
  const { follow, reported, tell, told } = setUp()
  const fault = new Error("fault")
  follow("trader", "first", () => {
    throw fault
  })
  follow("socket", "second")
  tell()
  tell()
  assert.deepEqual(told, ["first", "first is broken", "second", "second"])
  assert.deepEqual(reported, [["trader", fault]])
})

it("a follower that leaves while they are told costs those after it nothing", () => {
  const { follow, tell, told } = setUp()
  const leave = follow("socket", "first", () => leave())
  follow("socket", "second")
  tell()
  tell()
  assert.deepEqual(told, ["first", "second", "second"])
})
