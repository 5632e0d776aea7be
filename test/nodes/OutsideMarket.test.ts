/** Whoever makes candles, figures and best prices of the trades and books that they hear, makes what the venue tells. */
import { expect, it } from "vitest"
import * as DevApp from "./DevApp.ts"
import * as Heard from "./Heard.ts"
import * as Load from "./Load.ts"
import * as OutsideMarket from "./OutsideMarket.ts"

const symbols = Load.prices.map(([symbol]) => symbol)

it("an outside reader agrees with streams and REST to the last digit, also after a restart", async () => {
  const site = await DevApp.makeSite()
  const trades: Array<OutsideMarket.Trade> = []
  for (const run of ["first", "second"]) {
    const app = await DevApp.start(site)
    const { market_data, rest, trade } = app.file.urls
    const reader = await OutsideMarket.read(market_data, symbols, trades)
    const agrees = async () => {
      let found: ReadonlyArray<string> = ["nothing was compared"]
      const isSame = async () => {
        found = (
          await Promise.all(symbols.map((symbol) => OutsideMarket.differences(reader, rest, symbol, trades)))
        ).flat()
        return found.length === 0
      }
      // A candle and figures are told within a second of what they tell of, a book within half a one.
      await DevApp.until("all agree", isSame).catch(() => {})
      expect(found).toEqual([])
    }
    // What the run before left is known before anything is traded in this one.
    if (run === "second") await agrees()
    const before = trades.length
    const load = await Load.begin(trade, app.file.users.slice(0, 2).map(Heard.make), run, 2, 20)
    await DevApp.until("enough was traded of each", () =>
      symbols.every((symbol) => trades.slice(before).filter((one) => one.symbol === symbol).length >= 40)
    )
    load.stop()
    await DevApp.until("the last answer has come", load.isIdle)
    await agrees()
    await Promise.all(load.sockets.map((socket) => socket.close()))
    await reader.close()
    await app.end("SIGTERM")
  }
})
