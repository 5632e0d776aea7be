/** PNG with a palette, a third of the size of a browser's screenshot. */
import type { Page } from "playwright-core"
import { crc32, deflateSync } from "node:zlib"

const maxColours = 256

interface Pixels {
  readonly width: number
  readonly height: number
  readonly base64: string
}

/** Rewrites a screenshot. The page decodes it. */
export const of = async (page: Page, screenshot: Buffer): Promise<Buffer> => {
  const decoded = await page.evaluate<Pixels>(`(async () => {
    const answer = await fetch("data:image/png;base64,${screenshot.toString("base64")}")
    const image = await createImageBitmap(await answer.blob())
    const { height, width } = image
    const context = new OffscreenCanvas(width, height).getContext("2d")
    context.drawImage(image, 0, 0)
    const { data } = context.getImageData(0, 0, width, height)
    return { height, width, base64: new Uint8Array(data.buffer).toBase64() }
  })()`)
  return encode(Buffer.from(decoded.base64, "base64"), decoded.width, decoded.height)
}

/** Encodes RGBA pixels without transparency. */
export const encode = (pixels: Uint8Array, width: number, height: number): Buffer => {
  const colourAt = (pixel: number) =>
    (pixels[pixel * 4]! << 16) | (pixels[pixel * 4 + 1]! << 8) | pixels[pixel * 4 + 2]!
  const counts = new Map<number, number>()
  for (let pixel = 0; pixel < width * height; pixel++) {
    const colour = colourAt(pixel)
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const palette = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, maxColours)
    .map(([colour]) => colour)
  const indexes = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]))
  // Each row begins with its filter, 0 for none.
  const rows = Buffer.alloc((width + 1) * height)
  for (let pixel = 0; pixel < width * height; pixel++)
    rows[pixel + Math.floor(pixel / width) + 1] = indexes.get(colourAt(pixel))!
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0])
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("PLTE", Buffer.from(palette.flatMap(channels))),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0))
  ])
}

const channels = (colour: number): ReadonlyArray<number> => [colour >> 16, (colour >> 8) & 255, colour & 255]

const nearest = (palette: ReadonlyArray<number>, colour: number): number => {
  const wanted = channels(colour)
  let [best, least] = [0, Infinity]
  for (const [index, candidate] of palette.entries()) {
    const distance = channels(candidate).reduce((sum, channel, at) => sum + (channel - wanted[at]!) ** 2, 0)
    if (distance < least) [best, least] = [index, distance]
  }
  return best
}

const chunk = (name: string, content: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(name, "latin1"), content])
  const sizes = Buffer.alloc(8)
  sizes.writeUInt32BE(content.length, 0)
  sizes.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([sizes.subarray(0, 4), named, sizes.subarray(4)])
}
