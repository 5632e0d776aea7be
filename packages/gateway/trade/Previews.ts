/** Previews of orders on the trade socket. */
import * as Incoming from "@venue/api/Incoming"
import { previewBody } from "@venue/api/OrderPreview"
import * as Frame from "@venue/api/trade/Frame"
import type { PreviewOrder } from "@venue/api/trade/OrderCommand"
import * as SubmitRefusal from "@venue/api/trade/SubmitRefusal"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Ids } from "@venue/cluster/clients/Ids"
import type { Cost } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Clock, Effect, identity } from "effect"
import { denoised } from "../NoisyDecimals.ts"
import type { ExpectedQuery } from "./ExpectedReply.ts"
import type { Member } from "./Member.ts"
import type { Queries } from "./Queries.ts"
import { previewedOf } from "./Request.ts"

export type Preview = (member: Member, command: PreviewOrder, cost: Cost, text: string) => ExpectedQuery

/** Returns the query for a preview, which runs in order with the commands on its symbol. */
export const make = Effect.fnUntraced(function* ({ bySymbol }: Pick<Queries, "bySymbol">) {
  const desks = yield* DeskClient
  const ids = yield* Ids
  const { commandExpiryMillis, instruments } = yield* VenueSettings

  const ask = Effect.fnUntraced(function* (
    member: Member,
    command: PreviewOrder,
    symbol: MarketSymbol,
    cost: Cost,
    text: string
  ) {
    const { accountId, caller } = member
    const expiresAtMillis = (yield* Clock.currentTimeMillis) + commandExpiryMillis
    const order = denoised(command.order, instruments.get(symbol), text)
    const request = previewedOf({ ...command, order }, symbol, ids.next(), expiresAtMillis, member)
    const answer = yield* desks.preview({ userId: caller.userId, accountId, cost, request })
    if (answer._tag === "Refused") {
      return Frame.err(
        SubmitRefusal.code(answer.refusal),
        SubmitRefusal.message(answer.refusal),
        Incoming.ofObject(text)
      )
    }
    const instrument = instruments.get(symbol)
    const result = answer._tag === "BadSymbol" || instrument === undefined ? undefined : { instrument, preview: answer }
    return Frame.previewResponse(previewBody(accountId, request, result))
  })

  return identity<Preview>((member, command, cost, text) => {
    const symbol = MarketSymbol.make(command.order.symbol)
    return bySymbol(symbol, text, ask(member, command, symbol, cost, text))
  })
})
