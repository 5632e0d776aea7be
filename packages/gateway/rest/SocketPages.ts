/** AsyncAPI documents for the sockets. */
import { document as marketData } from "@venue/api/marketData/Document"
import { document as trade } from "@venue/api/trade/Document"
import { Layer } from "effect"
import type { Route } from "../http/Gate.ts"
import * as Pages from "./Pages.ts"

export interface SocketUrls {
  readonly trade: string
  readonly marketData: string
}

export const routes: ReadonlyArray<Route> = ["/asyncapi/trade", "/asyncapi/market-data"].flatMap(
  Pages.descriptionRoutes
)

export const layer = (brand: string, urls: SocketUrls) =>
  Layer.mergeAll(
    Pages.description("/asyncapi/trade", trade({ brand, url: urls.trade })),
    Pages.description("/asyncapi/market-data", marketData(urls.marketData))
  )
