/**
 * The check that whoever signs in is human: the provider's widget, loaded once the service asks for it. Turnstile and
 * hCaptcha have the same functions, under different names of `window`.
 */
import { Refusal } from "./Sentences.js"

const { captchaAtOnce, captchaGlobal, captchaScript, captchaSiteKey } = document.body.dataset
const section = document.getElementById("captcha")
const place = document.getElementById("captcha-widget")

/** Once asked for, it stays so: the service remembers this network for longer than people stay here. */
let due = captchaAtOnce === "true"
let loading
let widget
let isBroken = false
/** Solved and not used yet. */
let solved
/** Who waits for it to be solved. */
let waiting

export const isDue = () => due

export const demand = () => {
  if (captchaScript === "") throw new Refusal("captcha_not_set_up")
  due = true
}

/** Puts the widget on the page where it is due, and starts it anew where it broke. */
export const show = async () => {
  if (!due) return
  section.hidden = false
  const api = await load()
  if (widget === undefined) widget = api.render(place, options())
  else if (isBroken) api.reset(widget)
  isBroken = false
}

export const hide = () => {
  section.hidden = true
  if (widget !== undefined) provider().remove(widget)
  widget = undefined
  solved = undefined
}

/** A token that was not used yet, or nothing while none is due. `onWait` hears that somebody has to solve it first. */
export const token = async (onWait) => {
  if (!due) return undefined
  await show()
  if (solved === undefined) {
    onWait()
    section.querySelector("h2").focus()
    await new Promise((resolve, reject) => {
      waiting = { resolve, reject }
    })
  }
  const taken = solved
  solved = undefined
  return taken
}

/** Each token is good once, and for minutes: after that it is to be solved again. */
export const startOver = () => {
  solved = undefined
  if (widget !== undefined) provider().reset(widget)
}

const provider = () => window[captchaGlobal]

const options = () => ({
  sitekey: captchaSiteKey,
  theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
  // The usual widgets are up to 303 pixels wide.
  size: place.clientWidth < 304 ? "compact" : "normal",
  callback: (token) => {
    solved = token
    isBroken = false
    waiting?.resolve()
  },
  "expired-callback": startOver,
  "error-callback": () => {
    solved = undefined
    isBroken = true
    waiting?.reject(new Refusal("captcha_unavailable"))
    // Turnstile takes this for heard; else it throws.
    return true
  }
})

/** It is tried again when it failed. */
const load = () => {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script")
    const failed = () => {
      loading = undefined
      script.remove()
      reject(new Refusal("captcha_unavailable"))
    }
    window.captchaReady = () => resolve(provider())
    script.src = `${captchaScript}?render=explicit&onload=captchaReady`
    script.addEventListener("error", failed)
    // Whatever stands in for a script that a browser blocks leaves nothing here.
    script.addEventListener("load", () => {
      if (provider() === undefined) failed()
    })
    document.head.append(script)
  })
  return loading
}
