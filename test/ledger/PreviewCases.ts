/** Orders of every kind, valid and invalid, and changes to the world between them. */
import type { AccountId } from "@venue/domain/AccountId"
import { parse } from "@venue/domain/Id"
import { priceOf, quantityOf } from "@venue/domain/Instrument"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { OrderType, PlaceOrder, Side, TimeInForce } from "@venue/domain/Order"
import type { PreviewRequest } from "@venue/domain/Preview"
import * as Ledger from "@venue/ledger/Ledger"
import * as Engine from "@venue/matching/Engine"
import { id } from "../Id.ts"
import type { Chance } from "../matching/Chance.ts"
import { accounts, builderCode, listed, symbols, userOf, type World } from "./PreviewWorld.ts"

const envelope = (world: World, accountId: AccountId, symbol: MarketSymbol) => ({
  commandId: world.id(),
  expiresAtMillis: world.nowMillis + 5_000,
  accountId,
  symbol
})

const markOf = (world: World, symbol: MarketSymbol): number =>
  world.prices.get(symbol)?.markE8 ?? listed.find(([one]) => one.symbol === symbol)![1]

const heldBy = (world: World, accountId: AccountId, symbol: MarketSymbol): number =>
  Engine.view(world.engines.get(symbol)!, accountId).position.quantityLots

/** A request that is previewed and then sent. */
export const request = (world: World, chance: Chance): PreviewRequest => {
  const { percent, pick } = chance
  const symbol = pick(...symbols)
  const accountId = pick(...accounts)
  const held = heldBy(world, accountId, symbol)
  const code = pick("", "", builderCode, id("stranger").text)
  const late = percent(0.3) ? { expiresAtMillis: world.nowMillis - 1 } : {}
  if (percent(8)) {
    const common = { ...envelope(world, accountId, symbol), ...late }
    return { _tag: "ClosePosition", ...common, clientOrderId: pick("", "flat"), builderCode: code }
  }
  const [type, timeInForce] = percent(97) ? pick(...kinds) : pick(...wrongKinds)
  // A trader with a position usually reduces it.
  const isAgainst = held !== 0 && percent(60)
  const side: Side = isAgainst ? (held > 0 ? "SELL" : "BUY") : pick("BUY", "SELL")
  const isOfHeld = isAgainst && percent(50)
  const quantity = isOfHeld ? quantityOfLots(symbol, Math.abs(held) * pick(1, 1, 0.5, 2)) : size(world, symbol, chance)
  const price = percent(2) ? pick(0, -1, 1e12) : near(world, symbol, side, chance)
  return {
    _tag: "PlaceOrder",
    ...envelope(world, accountId, symbol),
    ...late,
    side,
    type,
    timeInForce,
    price: type === "MARKET" ? pick(0, price) : price,
    quantity,
    reduceOnly: percent(isAgainst ? 45 : 6),
    clientOrderId: pick("", "mine"),
    builderCode: code,
    ...(percent(15) ? brackets(world, symbol, side, chance) : {})
  }
}

const kinds: ReadonlyArray<readonly [OrderType, TimeInForce]> = [
  ["LIMIT", "GTC"],
  ["LIMIT", "GTC"],
  ["LIMIT", "GTC"],
  ["LIMIT", "IOC"],
  ["LIMIT", "FOK"],
  ["LIMIT", "FOK"],
  ["MARKET", "IOC"],
  ["MARKET", "IOC"],
  ["ALO", "GTC"],
  ["STOP_LOSS", "GTC"],
  ["TAKE_PROFIT", "IOC"]
]
const wrongKinds: ReadonlyArray<readonly [OrderType, TimeInForce]> = [
  ["MARKET", "GTC"],
  ["ALO", "IOC"],
  ["STOP_MARKET", "IOC"]
]

const instrumentOf = (symbol: MarketSymbol) => listed.find(([one]) => one.symbol === symbol)![0]
const quantityOfLots = (symbol: MarketSymbol, lots: number) => quantityOf(instrumentOf(symbol), Math.ceil(lots))

/** Usually worth 20 to 4,000 USD; sometimes too little, too much or not whole lots. */
const size = (world: World, symbol: MarketSymbol, { percent, pick, whole }: Chance): number => {
  const instrument = instrumentOf(symbol)
  const unit = Math.max(instrument.minQuantityLots, Math.ceil(20e16 / (markOf(world, symbol) * instrument.lotE8)))
  if (percent(3)) return pick(0, -1, quantityOf(instrument, unit) + quantityOf(instrument, 1) / 2)
  if (percent(3)) return quantityOf(instrument, pick(1, instrument.minQuantityLots, instrument.maxQuantityLots + 1))
  if (percent(3)) return quantityOf(instrument, Math.max(instrument.minQuantityLots, Math.floor(unit / 3)))
  if (percent(10)) return quantityOf(instrument, Math.min(unit * whole(500, 40_000), instrument.maxQuantityLots))
  return quantityOf(instrument, unit * whole(1, percent(20) ? 200 : 12))
}

/** Usually a few ticks from the mark; sometimes at the edges of band and bounds, or between two ticks. */
const near = (world: World, symbol: MarketSymbol, side: Side, { percent, pick, whole }: Chance): number => {
  const instrument = instrumentOf(symbol)
  const centre = Math.round(markOf(world, symbol) / instrument.tickE8)
  const away = percent(55) ? whole(1, 8) : whole(-8, 0)
  const far = Math.round(centre * pick(-0.35, -0.12, -0.05, -0.02, 0.02, 0.05, 0.12, 0.35))
  const ticks = percent(10) ? centre + far : centre + (side === "BUY" ? -away : away)
  return priceOf(instrument, ticks) + (percent(2) ? priceOf(instrument, 1) / 2 : 0)
}

const brackets = (
  world: World,
  symbol: MarketSymbol,
  side: Side,
  { percent, pick, whole }: Chance
): Pick<PlaceOrder, "takeProfit" | "stopLoss"> => {
  const instrument = instrumentOf(symbol)
  const centre = Math.round(markOf(world, symbol) / instrument.tickE8)
  const sign = (side === "BUY" ? 1 : -1) * (percent(90) ? 1 : -1)
  const at = (ticks: number) => priceOf(instrument, ticks) + (percent(4) ? priceOf(instrument, 1) / 2 : 0)
  const takeProfit = at(centre + sign * whole(9, 30))
  const stopLoss = at(centre - sign * whole(9, 30))
  return pick({ takeProfit, stopLoss }, { takeProfit }, { stopLoss })
}

/** Changes between two orders: trades, price moves and state changes. */
export const disturb = (world: World, chance: Chance): void => {
  const { percent, pick, whole } = chance
  const symbol = pick(...symbols)
  const accountId = pick(...accounts)
  const engine = world.engines.get(symbol)!
  world.nowMillis += whole(0, 500)
  const roll = whole(1, 100)
  if (Engine.tradingState(engine) !== "TRADING" && percent(40)) {
    world.tell(symbol, { _tag: "SetTradingState", state: "TRADING" })
  }
  if (roll <= 62) rest(world, chance, symbol, accountId)
  else if (roll <= 72) move(world, chance, symbol)
  else if (roll <= 73) world.tell(symbol, { _tag: "SetTradingState", state: pick("CANCEL_ONLY", "HALTED") })
  else if (roll <= 79) leave(world, symbol, accountId)
  else if (roll <= 82) {
    const leverage = whole(1, engine.instrument.maxLeverage)
    world.ask(accountId, { _tag: "SetLeverage", accountId, symbol, leverage })
  } else if (roll <= 85) world.credit(accountId, percent(50) ? pick(100, 20_000) : -free(world, accountId))
  else if (roll <= 88) {
    const day = Math.floor(world.nowMillis / 86_400_000) + whole(0, 3)
    world.ask(accountId, { _tag: "SetTier", day, effectiveVolume: BigInt(whole(0, 300)) * 10n ** 12n })
  } else if (roll <= 91) takeOver(world, chance, symbol, accountId)
  else if (roll <= 94) {
    const all = { ...envelope(world, accountId, symbol), cause: "REQUEST" } as const
    if (percent(30)) world.place({ _tag: "CancelAllOrders", ...all })
  } else if (roll <= 96) age(world, chance, symbol)
  else world.tell(symbol, { _tag: "Tick" })
}

/** Available balance of an account in whole USD, or 0 if it is negative. */
const free = (world: World, accountId: AccountId): number => {
  const { available } = Ledger.balance(world.traders.get(userOf(accountId))!, accountId)!
  return available > 0n ? Number(available / 1_000_000n) : 0
}

/** Rests one or several orders within the band, some of them reduce-only. */
const rest = (world: World, chance: Chance, symbol: MarketSymbol, accountId: AccountId): void => {
  const { percent, pick, whole } = chance
  const held = heldBy(world, accountId, symbol)
  for (let left = whole(1, 3); left > 0; left--) {
    const isAgainst = held !== 0 && percent(50)
    const side: Side = isAgainst ? (held > 0 ? "SELL" : "BUY") : pick("BUY", "SELL")
    world.place({
      _tag: "PlaceOrder",
      ...envelope(world, accountId, symbol),
      side,
      type: "LIMIT",
      timeInForce: "GTC",
      price: near(world, symbol, side, chance),
      quantity: size(world, symbol, chance),
      reduceOnly: isAgainst && percent(60),
      clientOrderId: "",
      builderCode: pick("", builderCode),
      ...(percent(15) ? brackets(world, symbol, side, chance) : {})
    })
  }
}

/** Moves the operator's price slightly, or far enough that an account becomes under-margined. */
const move = (world: World, { percent, whole }: Chance, symbol: MarketSymbol): void => {
  const by = percent(70) ? whole(-20, 20) / 10_000 : whole(-600, 600) / 10_000
  const [, from] = listed.find(([one]) => one.symbol === symbol)!
  const priceE8 = Math.round(markOf(world, symbol) * (1 + by))
  const within = Math.min(Math.max(priceE8, Math.round(from * 0.8)), Math.round(from * 1.2))
  world.tell(symbol, { _tag: "Observe", priceE8: within, teller: "operator" })
}

/**
 * Stops or resumes the price sources, so that the price turns stale before the next order, soon after it, or is fresh
 * again.
 */
const age = (world: World, { percent, pick }: Chance, symbol: MarketSymbol): void => {
  const { toldE8 } = world.prices.get(symbol) ?? { toldE8: markOf(world, symbol) }
  world.tell(symbol, { _tag: "Observe", priceE8: toldE8, teller: "external" })
  world.nowMillis += pick(1_000, 59_999, 60_000, 61_000)
  if (percent(50)) world.tell(symbol, { _tag: "Tick" })
}

/** Holds margin for an order that has left its desk and has not reached its market. */
const leave = (world: World, symbol: MarketSymbol, accountId: AccountId): void => {
  const trader = world.traders.get(userOf(accountId))!
  const { inFlight } = trader
  const known = [...inFlight.keys()].at(0)
  if (known !== undefined && inFlight.size > 2) {
    const { exposure } = inFlight.get(known)!
    return Ledger.release(trader, exposure.instrument.symbol, parse(known)!)
  }
  const instrument = instrumentOf(symbol)
  const mark = Math.round(markOf(world, symbol) / instrument.tickE8)
  Ledger.enter(
    trader,
    {
      _tag: "PlaceOrder",
      ...envelope(world, accountId, symbol),
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      price: priceOf(instrument, mark),
      quantity: quantityOf(instrument, instrument.minQuantityLots * 20),
      reduceOnly: false,
      clientOrderId: "",
      builderCode: ""
    },
    1
  )
}

/** Opens a takeover, which freezes the position until it is closed. */
const takeOver = (world: World, { percent }: Chance, symbol: MarketSymbol, accountId: AccountId): void => {
  const engine = world.engines.get(symbol)!
  if (percent(60)) {
    world.nowMillis += 500
    return void world.tell(symbol, { _tag: "CloseTakeovers", stands: [] })
  }
  const { position } = Engine.view(engine, accountId)
  const decidedOn = { position, markE8: markOf(world, symbol) }
  const { symbol: _, ...command } = envelope(world, accountId, symbol)
  world.tell(symbol, {
    _tag: "OpenTakeover",
    ...command,
    traderEpoch: 1,
    userId: userOf(accountId),
    decidedOn,
    share: 0
  })
}
