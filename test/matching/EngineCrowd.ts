/** Books in which one order would exceed its event limit (rule 4.16), each for a different reason. */
import { type PlaceAsk, type Scene, ticks } from "./EngineScene.ts"

/** Order terms for bob, whose position limit is never reached. */
export const bob = { account: "bob", maxNotional: 9e14 }

/** Places many orders of 0.1 at one price, 200 per account. */
export const many = (scene: Scene, side: "BUY" | "SELL", count: number, price: number, ask: PlaceAsk = {}) => {
  for (let placed = 0; placed < count; placed++)
    scene.place(side, 0.1, price, { account: `${side} ${Math.floor(placed / 200)}`, ...ask })
}

const bracket = { takeProfitTicks: ticks(150), stopLossTicks: ticks(250), takerRate: 100_000 }
const reduceOnly = { reduceOnly: true }

/** Source of the events, setup, and the quantity and terms of bob's buy with a limit price of 201. */
export const crowded: ReadonlyArray<readonly [string, (scene: Scene) => void, number, PlaceAsk]> = [
  [
    "the order's own bracket",
    (scene) => many(scene, "SELL", 2_000, 200.5),
    200,
    { bracket: { ...bracket, takeProfitTicks: ticks(250), stopLossTicks: ticks(150) } }
  ],
  [
    "other users' brackets",
    (scene) => {
      for (let account = 0; account < 80; account++) {
        for (let order = 0; order < 25; order++) scene.sell(0.1, 200.5, { account: `a${account}`, bracket })
      }
    },
    200,
    {}
  ],
  [
    "other users' stops",
    (scene) => {
      for (let account = 0; account < 90; account++) {
        scene.hold(`a${account}`, 0.1)
        for (let stop = 0; stop < 50; stop++) scene.sell(0.1, 190, { account: `a${account}`, type: "STOP_LOSS" })
        scene.sell(0.1, 200.5, { account: `a${account}` })
      }
    },
    9,
    {}
  ],
  [
    "other users' reduce-only orders that its fills cut",
    (scene) => {
      for (let account = 0; account < 21; account++) {
        scene.hold(`a${account}`, 40)
        scene.sell(40, 230, { account: `a${account}`, ...reduceOnly })
        for (let order = 0; order < 199; order++) scene.sell(0.1, 200.5, { account: `a${account}` })
      }
    },
    300,
    {}
  ],
  [
    "the same user's reduce-only orders that its fills cut",
    (scene) => {
      scene.hold("bob", -500)
      scene.buy(500, 190, { ...bob, ...reduceOnly })
      many(scene, "SELL", 2_100, 200.5)
    },
    210,
    {}
  ],
  [
    "orders that it reaches after a reduce-only order has ended",
    (scene) => {
      scene.hold("ann", 400)
      scene.sell(400, 200.4, { account: "ann" })
      scene.sell(400, 200.45, { account: "ann", ...reduceOnly })
      many(scene, "SELL", 4_100, 200.5)
    },
    810,
    {}
  ]
]
