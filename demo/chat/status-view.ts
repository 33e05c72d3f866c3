import type { ProgressEvent, StorageReport } from 'palimpsest'
import { el } from './dom.js'
import type { Failure } from './failures.js'
import { plural } from './phrasing.js'

export interface StatusView {
  readonly showReport: (report: StorageReport) => void
  readonly showCount: (memories: number) => void
  /** The language model that answers, where the page has one. */
  readonly showSpeaker: (name: string) => void
  readonly showOpened: (milliseconds: number) => void
  readonly showProgress: (progress: ProgressEvent) => void
  readonly showFailure: (failure: Failure) => void
  /** Takes the last failure off the page, once somebody goes on. */
  readonly dismissFailure: () => void
}

interface Places {
  readonly strip: HTMLElement
  readonly alert: HTMLElement
  readonly progress: HTMLElement
}

/** Where the memories are and how safe they are there, in honest words. */
export const createStatusView = ({ strip, alert, progress }: Places): StatusView => {
  const risk = el('span', { class: 'risk' }, 'Opening…')
  const tab = el('span', { class: 'tab' })
  const count = el('span', { class: 'count' })
  const opened = el('span', { class: 'opened' })
  const speaker = el('span', { class: 'speaker' })
  const step = el('span', { class: 'step', role: 'status' })
  strip.replaceChildren(risk, tab, count, opened, speaker, step)

  return {
    showReport: (report) => {
      risk.textContent = riskWords(report)
      risk.title = `${report.reason} Embedder: ${report.embedder}.`
      strip.dataset.risk = report.risk
      tab.textContent = report.leader
        ? 'This tab holds the store'
        : 'Another tab holds the store; this one writes through it'
    },
    showCount: (memories) => {
      count.textContent = plural(memories, 'memory', 'memories')
    },
    showSpeaker: (name) => {
      speaker.textContent = `${name} reads and answers`
    },
    showOpened: (milliseconds) => {
      opened.textContent = `opened in ${(milliseconds / 1000).toFixed(2)} s`
    },
    showProgress: ({ phase, ratio }) => {
      const done = ratio >= 1
      step.textContent = done ? '' : `${PHASES[phase]}…`
      progress.hidden = done
      progress.style.setProperty('--ratio', String(ratio))
    },
    showFailure: ({ title, advice, code }) => {
      progress.hidden = true
      step.textContent = ''
      if (strip.dataset.risk === undefined) risk.textContent = 'Not open.'
      alert.hidden = false
      alert.replaceChildren(
        el('p', {}, el('strong', {}, title), ' ', advice),
        el(
          'p',
          { class: 'meta' },
          el('code', {}, code),
          el('button', { type: 'button', class: 'plain', onclick: () => location.reload() }, 'Reload'),
        ),
      )
    },
    dismissFailure: () => {
      alert.hidden = true
    },
  }
}

const PHASES: { readonly [Phase in ProgressEvent['phase']]: string } = {
  engine: 'Loading the database',
  database: 'Opening the store',
  embedder: 'Loading the word table',
  indexing: 'Indexing',
  recovery: 'Recovering what can be read',
  export: 'Putting an archive together',
  check: 'Checking the archive',
  import: 'Taking the archive in',
  apply: 'Going through many memories',
  consolidate: 'Merging what is known',
  rollback: 'Bringing back what stood before',
  erase: 'Erasing',
  verify: 'Checking the history',
  learning: 'Learning from what was said',
}

const riskWords = ({ backend, risk, recovery }: StorageReport): string => {
  const where = {
    ok: 'Kept in this browser only. Clearing the site data erases it.',
    evictable:
      'Kept in this browser only. It can be cleared: by you with the site data, or by the browser when space runs short.',
    volatile: 'Kept in this tab only. It is gone when the tab closes.',
  }[risk]
  const how = backend === 'idb' ? ' (IndexedDB)' : ''
  return recovery === null
    ? where + how
    : `${where}${how} A damaged store was found; ${recovery.versionsRecovered} versions were saved.`
}
