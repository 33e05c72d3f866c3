import { el } from './dom.js'
import type { Person } from './people.js'

const LONGEST_NAME = 40

export interface PeopleView {
  readonly show: (people: readonly Person[], current: Person) => void
}

interface Actions {
  readonly choose: (person: Person) => void
  readonly add: (name: string) => void
}

/** Who is talking: each has a memory of their own. */
export const createPeopleView = (place: HTMLElement, { choose, add }: Actions): PeopleView => {
  const buttons = el('div', { class: 'names', role: 'group', 'aria-label': 'Who is talking' })
  const input = el('input', {
    type: 'text',
    'aria-label': 'Name',
    placeholder: 'Name',
    maxlength: LONGEST_NAME,
    autocomplete: 'off',
  })
  const form = el('form', { class: 'add', hidden: true }, input, el('button', { type: 'submit', class: 'plain' }, 'Add'))
  const opener = el('button', { type: 'button', class: 'name', 'aria-label': 'Add a person', title: 'Add a person' }, '+')

  const toggle = (open: boolean): void => {
    form.hidden = !open
    opener.hidden = open
    if (open) input.focus()
    else input.value = ''
  }
  opener.addEventListener('click', () => toggle(true))
  input.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return
    toggle(false)
    opener.focus()
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const name = input.value.trim()
    if (name !== '') add(name)
    toggle(false)
  })
  place.replaceChildren(buttons, opener, form)

  return {
    show: (people, current) => {
      const focused = buttons.contains(document.activeElement)
      buttons.replaceChildren(
        ...people.map((person) => {
          const pressed = person.id === current.id
          return el(
            'button',
            { type: 'button', class: 'name', 'aria-pressed': String(pressed), onclick: () => choose(person) },
            person.name,
          )
        }),
      )
      if (focused) buttons.querySelector<HTMLElement>('[aria-pressed="true"]')?.focus()
    },
  }
}
