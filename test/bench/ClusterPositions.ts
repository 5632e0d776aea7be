/** Creates traders who all hold a position. In each pair of traders, one bought from the other. */
import { markets } from "./ClusterMarkets.ts"
import * as Client from "./ClusterClient.ts"
import { holding } from "./ClusterProcess.ts"
import type { DevUser } from "./VenueProcess.ts"

const atOnce = 32

export const hold = async (urls: ReadonlyArray<string>, traders: ReadonlyArray<DevUser>): Promise<void> => {
  const pairs = Array.from({ length: traders.length >> 1 }, (_, n) => [traders[2 * n]!, traders[2 * n + 1]!] as const)
  for (let from = 0; from < pairs.length; from += atOnce) {
    await Promise.all(pairs.slice(from, from + atOnce).map((pair, n) => trade(urls, pair, from + n)))
  }
}

/**
 * Executes one trade between the two traders of a pair: the maker rests a bid, and the taker sells to it. Retries
 * refused commands.
 */
const trade = async (urls: ReadonlyArray<string>, pair: readonly [DevUser, DevUser], n: number): Promise<void> => {
  const market = markets[n % markets.length]!
  for (const [index, part] of (["maker", "taker"] as const).entries()) {
    const user = pair[index]!
    const client = await Client.begin({
      urls,
      key: { publicKey: user.public_key, secretKey: user.secret_key },
      market,
      part,
      tag: `p${n}-`,
      commands: 1,
      pauseMillis: 100
    })
    await holding(`trader ${user.name} has traded`, 30_000, () => client.counts.done > 0)
    await client.stop()
  }
}
