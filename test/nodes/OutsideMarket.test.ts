/** Candles, daily figures and best prices that an independent reader computes from trades and books. */
import { expect, it } from "vitest"
import * as DevApp from "./DevApp.ts"
import * as TraderRecord from "./TraderRecord.ts"
import * as Load from "./Load.ts"
import * as OutsideMarket from "./OutsideMarket.ts"

const symbols = Load.prices.map(([symbol]) => symbol)

it("streams, REST and an independent reader report the same figures to the last digit, even after a restart", async () => {
  const site = await DevApp.makeSite()
  const trades: Array<OutsideMarket.Trade> = []
  for (const run of ["first", "second"]) {
    const app = await DevApp.start(site)
    const { market_data, rest, trade } = app.file.urls
    const reader = await OutsideMarket.read(market_data, symbols, trades)
    const agrees = async () => {
      let differences: ReadonlyArray<string> = ["nothing was compared"]
      const isSame = async () => {
        // A busy venue is allowed to refuse a REST read, so the comparison is repeated.
        const compared = Promise.all(symbols.map((symbol) => OutsideMarket.differences(reader, rest, symbol, trades)))
        differences = (await compared.catch((error) => [[String(error)]])).flat()
        return differences.length === 0
      }
      // Candles and daily figures appear within 1 s of a trade, and books within 500 ms.
      await DevApp.until("all agree", isSame).catch(() => {})
      expect(differences).toEqual([])
    }
    // The first run's comparison must succeed before the second run's first trade.
    if (run === "second") await agrees()
    const before = trades.length
    const load = await Load.begin(trade, app.file.users.slice(0, 2).map(TraderRecord.make), run, 2, 20)
    await DevApp.until("each symbol has 40 more trades", () =>
      symbols.every((symbol) => trades.slice(before).filter((trade) => trade.symbol === symbol).length >= 40)
    )
    load.stop()
    await DevApp.until("every command is answered", load.isIdle)
    await agrees()
    await Promise.all(load.sockets.map((socket) => socket.close()))
    await reader.close()
    await app.end("SIGTERM")
  }
})
