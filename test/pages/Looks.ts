/** Layout measurements, as source text that runs in the page. */

/** Number of pixels by which the page is wider than its window. */
export const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

/** Texts whose contrast with their background is below 4.5:1 (WCAG 2.2 AA). */
export const unreadable = `(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
  const paint = (...colours) => {
    canvas.clearRect(0, 0, 1, 1)
    for (const colour of colours) {
      canvas.fillStyle = colour
      canvas.fillRect(0, 0, 1, 1)
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3)
  }
  const luminance = (colour) =>
    colour
      .map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
      .reduce((sum, value, at) => sum + value * [0.2126, 0.7152, 0.0722][at], 0)
  const behind = (element) => (element === null ? [] : [...behind(element.parentElement), getComputedStyle(element).backgroundColor])
  const contrast = (element) => {
    const back = behind(element)
    const [light, dark] = [paint(...back), paint(...back, getComputedStyle(element).color)].map(luminance).sort((a, b) => b - a)
    return (light + 0.05) / (dark + 0.05)
  }
  const ownText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "")
  return [...document.body.querySelectorAll("*")]
    .filter((element) => ownText(element) && element.checkVisibility())
    .filter((element) => contrast(element) < 4.5)
    .map((element) => element.innerText)
})()`
