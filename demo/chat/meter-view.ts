import type { EmbedderReport } from 'palimpsest'
import { el } from './dom.js'
import { embedderName, STATIC_NAME } from './model.js'
import { plural } from './phrasing.js'

export type MeterAction = 'pause' | 'resume' | 'cancel'

export interface MeterView {
  readonly show: (report: EmbedderReport) => void
}

/** Who answers now, and how far the one that is to answer has come. */
export const createMeterView = (place: HTMLElement, act: (action: MeterAction) => void): MeterView => {
  const who = el('b')
  const step = el('span', { role: 'status' })
  const amount = el('span')
  const reason = el('p', { class: 'reason' })
  const bar = el('progress', { max: 1 })
  // One button for holding and for going on: whoever pressed it with the keyboard is still on it.
  const hold = el('button', { type: 'button', class: 'plain', onclick: () => act(canPause(state) ? 'pause' : 'resume') })
  const cancel = el('button', { type: 'button', class: 'plain', onclick: () => act('cancel') }, 'Cancel')
  let state: EmbedderReport['state'] = 'idle'
  let isHere = false

  place.replaceChildren(
    el('p', { class: 'who' }, 'Answered by ', who),
    el('p', { class: 'words' }, step, amount),
    bar,
    el('span', { class: 'buttons' }, hold, cancel),
    reason,
  )

  return {
    show: (report) => {
      state = report.state
      isHere = state === 'loading' && (isHere || report.model?.ratio === 1)
      const model = embedderName(report.wanted.id)
      place.hidden = false
      place.dataset.state = state
      // Before anybody was asked, the next question is the table's.
      setText(who, report.active === null ? STATIC_NAME : embedderName(report.active.id))
      setText(step, isHere ? `${model} gets ready` : STEPS[state](model))
      setText(amount, isHere ? '' : amountOf(report))
      setText(reason, state === 'failed' ? explain(report.reason ?? '') : '')
      bar.setAttribute('aria-label', model)
      showRatio(bar, isHere ? null : ratioOf(report))
      const label = HOLD_LABELS[state]
      if (label === undefined && document.activeElement === hold) place.focus()
      hold.hidden = label === undefined
      setText(hold, label ?? '')
      const canCancel = canPause(state) || state === 'paused' || state === 'failed'
      if (!canCancel && document.activeElement === cancel) (hold.hidden ? place : hold).focus()
      cancel.hidden = !canCancel
    },
  }
}

const STEPS: { readonly [State in EmbedderReport['state']]: (model: string) => string } = {
  idle: (model) => `${model} starts`,
  loading: (model) => `${model} is loading`,
  embedding: (model) => `${model} is reading`,
  ready: () => '',
  failed: (model) => `${model} does not answer`,
  paused: (model) => `${model} is paused`,
  cancelled: (model) => `${model} was cancelled`,
}

const HOLD_LABELS: { readonly [State in EmbedderReport['state']]?: string } = {
  idle: 'Pause',
  loading: 'Pause',
  embedding: 'Pause',
  paused: 'Resume',
  cancelled: 'Load it',
  failed: 'Try again',
}

const canPause = (state: EmbedderReport['state']): boolean => HOLD_LABELS[state] === 'Pause'

/** Written anew, the same words would be read out anew. */
const setText = (node: HTMLElement, text: string): void => {
  if (node.textContent !== text) node.textContent = text
}

/** Null while nobody can say how far it is, undefined where nothing is waited for. */
const showRatio = (bar: HTMLProgressElement, ratio: number | null | undefined): void => {
  bar.hidden = ratio === undefined
  if (ratio === null) bar.removeAttribute('value')
  else if (ratio !== undefined) bar.value = ratio
}

const ratioOf = ({ state, model, ratio }: EmbedderReport): number | null | undefined => {
  if (state === 'embedding' || state === 'paused') return ratio
  if (state === 'idle' || state === 'loading') return model?.total == null ? null : model.ratio
  return undefined
}

const amountOf = ({ state, model, loaded, total }: EmbedderReport): string => {
  if (state === 'embedding' || (state === 'paused' && loaded > 0))
    return `, ${loaded.toLocaleString('en')} of ${plural(total, 'passage', 'passages')}`
  if (state !== 'loading' || model === null) return ''
  return model.total === null
    ? `, ${megabytes(model.loaded)} MB`
    : `, ${megabytes(model.loaded)} of ${megabytes(model.total)} MB`
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1)

/** Why it failed, without what the meter says anyway, and what can be done about it. */
const explain = (reason: string): string => {
  const cause = reason
    .replace(/^The app's embedder \S+ did not answer with usable vectors: /u, '')
    .replace(/ \(`local_files_only.*\)/u, '')
    .replace(/ The next call tries again\.$/u, '')
  const isMissing = /\/models\/.* answers 404/u.test(cause)
  return `${cause} ${isMissing ? 'Run “npm run model:minilm”, then try again.' : 'It is tried again now and then.'}`
}
