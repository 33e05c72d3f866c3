import { type Memory, openMemory } from 'palimpsest'
import { MOST_SHOWN } from './chat-log.js'
import { createChatView } from './chat-view.js'
import { createComposer } from './composer.js'
import { find, refreshAges } from './dom.js'
import type { Reply } from './exchange.js'
import { explainFailure } from './failures.js'
import { createMeter } from './meter.js'
import { embedderOptions } from './model.js'
import { createPanelView } from './panel-view.js'
import { createPeople, FIRST_PEOPLE } from './people.js'
import { createPeopleView } from './people-view.js'
import { createRoom, type Room } from './room.js'
import { findSpeaker } from './speaker.js'
import { createStatusView } from './status-view.js'

const STORE = 'palimpsest-chat'
/** Which tab leads changes without a word to the page, so it is asked now and then. */
const REPORT_MS = 3000
const AGES_MS = 20_000

const announcer = find('#announcer', HTMLElement)
const scroller = find('#scroll', HTMLElement)
const filter = find('#filter', HTMLInputElement)

const status = createStatusView({
  strip: find('#status', HTMLElement),
  alert: find('#alert', HTMLElement),
  progress: find('#progress', HTMLElement),
})
const meter = createMeter(find('#meter', HTMLElement), status.showFailure)
const chat = createChatView(find('#log', HTMLElement), scroller, (entry) => ({
  undo: () => void room?.undo(entry).then(composer.focus),
  keep: () => void room?.keep(entry).then(composer.focus),
  forget: (key) => void room?.forgetByKey(key).then(composer.focus),
  decide: (choice) => void room?.decide(entry, choice).then(composer.focus),
  packFor: (question) => (room === null ? Promise.reject(new Error('Nobody is here.')) : room.packFor(question)),
  reveal: (key) => {
    showView('memory')
    clearFilter()
    panel.reveal(key)
  },
}))
const panel = createPanelView(
  { list: find('#memories', HTMLElement), note: find('#note', HTMLElement), forgotten: find('#forgotten', HTMLElement) },
  {
    forget: (row) => room?.forget(row).then(() => find('#panel h2', HTMLElement).focus()),
    rewrite: (row, entry) => room?.rewrite(row, entry),
    pin: (row) => room?.pin(row),
    readAsOf: (key, at, basis) => (room === null ? Promise.resolve(null) : room.readAsOf(key, at, basis)),
    readHistory: (key) => (room === null ? Promise.resolve([]) : room.readHistory(key)),
  },
)
const composer = createComposer((line) => {
  if (room === null) return false
  showView('chat')
  status.dismissFailure()
  chat.followEnd()
  void room.say(line)
  return true
})

const speaking = findSpeaker()
let root: Memory
let room: Room | null = null
let people = FIRST_PEOPLE
let peopleKnown = false
let drawIsDue = false

/** The person is in the address, so that every tab has its own and a reload keeps it. */
const chosen = (): string => decodeURIComponent(location.hash.slice(1)) || 'alice'

const draw = (): void => {
  if (room === null) return
  const shown = room.shown()
  const state = room.panel()
  const initial = room.person.name.trim().charAt(0).toUpperCase()
  chat.show(shown, initial)
  panel.show(state)
  if (state.status === 'ready') status.showCount(state.rows.length)
  find('#count', HTMLElement).textContent = String(state.rows.length)
  find('#whose', HTMLElement).textContent = room.person.name
  find('#earlier', HTMLElement).hidden = shown.length < MOST_SHOWN
  find('#empty', HTMLElement).hidden = shown.length > 0 || state.status !== 'ready'
  composer.suggest(shown.flatMap((one) => ('entry' in one ? one.entry.exchange.said : one.pending.said)))
}

/** Changes that come together are drawn once. */
const drawSoon = (): void => {
  if (drawIsDue) return
  drawIsDue = true
  setTimeout(() => {
    drawIsDue = false
    draw()
  })
}

/** Enters the room of the person in the address; the one before is left, its memories out of reach. */
const enter = (): void => {
  const person = people.find(({ id }) => id === chosen()) ?? (peopleKnown ? people[0] : undefined)
  if (person === undefined) return
  if (room?.person.id !== person.id) {
    room?.leave()
    clearFilter()
    const own = { user: person.id, actor: `human:${person.id}` }
    // What was said on this page is no memory of anybody: it stands in a namespace of its own.
    const handles = { memory: root.scope(own), log: root.scope({ ...own, namespace: 'page' }) }
    room = createRoom(handles, person, {
      speaker: () => speaking,
      changed: drawSoon,
      replied: announce,
      failed: status.showFailure,
    })
    chat.followEnd()
    draw()
    chat.followEnd()
  }
  peopleView.show(people, person)
}

const peopleView = createPeopleView(find('#people', HTMLElement), {
  choose: ({ id }) => {
    location.hash = id
    composer.focus()
  },
  add: async (name) => {
    try {
      const added = await createPeople(root).add(name)
      people = [...people, added]
      location.hash = added.id
    } catch (error) {
      status.showFailure(explainFailure(error))
    }
  },
})

const announce = (replies: readonly Reply[]): void => {
  announcer.textContent = replies.map(spoken).join(' ')
  void report()
}

const spoken = (reply: Reply): string => {
  if (reply.kind === 'learned')
    return reply.before === null ? `Remembered as ${reply.key}` : `Was: ${reply.before} Now: ${reply.value}`
  if (reply.kind === 'unknown') return 'I don’t know: nothing I remember fits.'
  if (reply.kind === 'known') return 'I knew that already.'
  if (reply.kind === 'forgot') return `Forgotten: ${reply.value}`
  if (reply.kind === 'passed') return 'I did not take that for a fact.'
  if (reply.kind === 'which') return 'Which of these shall I forget?'
  return reply.kind === 'failed' ? `${reply.title} ${reply.advice}` : reply.text
}

const report = async (): Promise<void> => {
  if (document.visibilityState === 'hidden') return
  try {
    status.showReport(await root.storage())
  } catch (error) {
    status.showFailure(explainFailure(error))
  }
}

const showView = (view: 'chat' | 'memory'): void => {
  document.body.dataset.view = view
  for (const button of document.querySelectorAll<HTMLElement>('#views button'))
    button.setAttribute('aria-pressed', String(button.dataset.view === view))
}

const clearFilter = (): void => {
  filter.value = ''
  room?.filter('')
}

const showSpeaker = async (): Promise<void> => {
  const speaker = await speaking
  if (speaker !== null) status.showSpeaker(speaker.name)
}

const start = async (): Promise<void> => {
  const began = performance.now()
  const opening = openMemory({ name: STORE, ...embedderOptions() })
  opening.onProgress((progress) => {
    if (!meter.takes(progress)) status.showProgress(progress)
  })
  root = opening
  createPeople(root).watch((known) => {
    people = known
    peopleKnown = true
    enter()
  })
  enter()
  try {
    await opening
  } catch (error) {
    return status.showFailure(explainFailure(error))
  }
  status.showOpened(performance.now() - began)
  meter.follow(root)
  await report()
  setInterval(() => void report(), REPORT_MS)
}

filter.addEventListener('input', () => room?.filter(filter.value))
for (const button of document.querySelectorAll<HTMLElement>('#views button'))
  button.addEventListener('click', () => showView(button.dataset.view === 'memory' ? 'memory' : 'chat'))
addEventListener('hashchange', enter)
document.addEventListener('visibilitychange', () => void report())
setInterval(refreshAges, AGES_MS)
void showSpeaker()
void start()
