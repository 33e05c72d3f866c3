import { el, find } from './dom.js'

/** What a first visitor may try, in an order that tells the story: a fact, its correction, the question. */
const SUGGESTIONS = [
  'I live in Delhi.',
  'I moved to Berlin.',
  'Where do I live?',
  'My sister Nora is allergic to peanuts.',
  'What can Nora not eat?',
  'What is my blood type?',
] as const

const SHOWN_AT_ONCE = 3
/** Lines after which a visitor needs no more hints. */
const ENOUGH_LINES = 12

export interface Composer {
  readonly focus: () => void
  /** Offers what was not said yet. */
  readonly suggest: (said: readonly string[]) => void
}

/** The line one writes: Enter says it, Shift+Enter begins a new line. What cannot be said yet stays where it is. */
export const createComposer = (say: (line: string) => boolean): Composer => {
  const form = find('#composer', HTMLFormElement)
  const input = find('#line', HTMLTextAreaElement)
  const hints = find('#suggestions', HTMLElement)
  let shown = ''

  const focus = (): void => {
    // On a phone the keyboard would jump up.
    if (matchMedia('(pointer: fine)').matches) input.focus({ preventScroll: true })
  }

  const send = (): void => {
    const line = input.value.trim()
    if (line !== '' && say(line)) input.value = ''
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    send()
  })
  input.addEventListener('keydown', (event) => {
    // While a word is being composed, as in Japanese, Enter chooses it.
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    send()
  })

  const button = (text: string): HTMLElement =>
    el(
      'li',
      {},
      el(
        'button',
        {
          type: 'button',
          onclick: () => {
            say(text)
            focus()
          },
        },
        text,
      ),
    )

  return {
    focus,
    suggest: (said) => {
      const left =
        said.length >= ENOUGH_LINES ? [] : SUGGESTIONS.filter((text) => !said.includes(text)).slice(0, SHOWN_AT_ONCE)
      if (left.join('\n') === shown) return
      shown = left.join('\n')
      hints.replaceChildren(...left.map(button))
      hints.hidden = left.length === 0
    },
  }
}
