import { invalidArgument } from '../../src/protocol/errors.js'
import { SELDOM_CALLS, type SeldomName } from '../../src/protocol/seldom-calls.js'
import { exportArchive } from '../operations/archive/export.js'
import { importArchive } from '../operations/archive/import.js'
import { getAsOf, listAsOf } from '../operations/as-of/read.js'
import { searchAsOf } from '../operations/as-of/search.js'
import { ask } from '../operations/asking/ask.js'
import { addRule, listRules, removeRule } from '../operations/blacklist.js'
import { apply } from '../operations/bulk/apply.js'
import { inspect } from '../operations/bulk/inspect.js'
import { promote } from '../operations/bulk/promote.js'
import { related } from '../operations/bulk/related.js'
import { getCalibration } from '../operations/calibration.js'
import { consolidate } from '../operations/consolidating/consolidate.js'
import type { CallContext, Engine } from '../operations/context.js'
import { cancelEmbedder, pauseEmbedder, resumeEmbedder } from '../operations/embedder-hold.js'
import { forget } from '../operations/erasing/forget.js'
import { listErasures } from '../operations/erasing/receipts.js'
import { userErase, userExport, userProfile } from '../operations/erasing/users.js'
import { diff } from '../operations/history/diff.js'
import { finishHistory } from '../operations/history/finish.js'
import { history } from '../operations/history/history.js'
import { redact } from '../operations/history/redact.js'
import { rollback } from '../operations/history/rollback.js'
import { timeline } from '../operations/history/timeline.js'
import { undo } from '../operations/history/undo.js'
import { verifyHistory } from '../operations/history/verify.js'
import { keep as keepNow } from '../operations/keeping/keep.js'
import { setFromMessages } from '../operations/learning/learn.js'
import { cancelLearning, getLearning, listLearning, workQueue } from '../operations/learning/queue.js'
import { decideProposal, listProposals, reject } from '../operations/memory/decide.js'
import { lock, unlock, unpin } from '../operations/memory/guarding.js'
import { remove } from '../operations/memory/remove.js'
import { listConflicts, resolveConflict } from '../operations/memory/resolve.js'
import { restore } from '../operations/memory/restore.js'
import { auditNamespace } from '../operations/namespace-audit.js'
import { getNamespace, registerNamespace } from '../operations/namespaces.js'
import { appendTurns, listTurns } from '../operations/neighbours/conversations.js'
import { getSource, listDocuments } from '../operations/neighbours/documents.js'
import { addDocument, removeDocument, upsertDocument } from '../operations/neighbours/knowledge.js'
import { acquireLease, releaseLease, renewLease } from '../operations/neighbours/leases.js'
import { listRecords } from '../operations/neighbours/list-records.js'
import { deleteProfile, getProfile, listProfile, setProfile } from '../operations/neighbours/profile.js'
import { recallTurns } from '../operations/neighbours/recall.js'
import { defineRecords, getRecord, putRecord, removeRecord } from '../operations/neighbours/records.js'
import {
  digestSession,
  findSessions,
  getBrief,
  listBriefs,
  listDigests,
  setBrief,
} from '../operations/neighbours/sessions.js'
import { deleteWorking, getWorking, listWorking, patchWorking, setWorking } from '../operations/neighbours/working.js'
import { fetchOffloaded } from '../operations/offloading/fetch.js'
import { offload } from '../operations/offloading/offload.js'
import { pack } from '../operations/packing/pack.js'
import { told } from '../operations/packing/told.js'
import { withPending } from '../operations/pending.js'
import { listAudit } from '../operations/provenance/audit-list.js'
import { evidence } from '../operations/provenance/evidence.js'
import { lineage, provenance } from '../operations/provenance/provenance.js'
import { verify } from '../operations/provenance/verify.js'
import { resolvePending as resolveNow } from '../operations/resolving/resolve-pending.js'
import type { AsOfName, SeldomCalls } from '../operations/seldom.js'
import { completeRun, noteOutcome } from '../operations/usage/outcome.js'
import { parse } from '../parse.js'

/** By wire name. */
const OPERATIONS = {
  'memory.delete': remove,
  'memory.restore': restore,
  'memory.unpin': unpin,
  'memory.lock': lock,
  'memory.unlock': unlock,
  'memory.history': history,
  'conflicts.list': listConflicts,
  'conflicts.resolve': resolveConflict,
  'embedder.pause': pauseEmbedder,
  'embedder.resume': resumeEmbedder,
  'embedder.cancel': cancelEmbedder,
  'blacklist.add': addRule,
  'blacklist.list': listRules,
  'blacklist.remove': removeRule,
  'memory.reject': reject,
  'proposals.list': listProposals,
  'proposals.decide': decideProposal,
  'namespaces.register': registerNamespace,
  'namespaces.get': getNamespace,
  'namespaces.audit': auditNamespace,
  'memory.export': exportArchive,
  'memory.import': importArchive,
  'calibration.get': getCalibration,
  'memory.ask': withPending(ask),
  'context.pack': pack,
  'context.offload': offload,
  'context.fetch': fetchOffloaded,
  'context.told': told,
  'memory.forget': forget,
  'erasures.list': listErasures,
  'users.profile': userProfile,
  'users.export': userExport,
  'users.erase': userErase,
  'memory.verify': verify,
  'memory.provenance': provenance,
  'memory.lineage': lineage,
  'memory.evidence': evidence,
  'audit.list': listAudit,
  'memory.outcome': noteOutcome,
  'runs.complete': completeRun,
  'memory.apply': apply,
  'memory.consolidate': consolidate,
  'memory.promote': promote,
  'memory.related': related,
  'memory.inspect': inspect,
  'memory.diff': diff,
  'memory.timeline': timeline,
  'memory.undo': undo,
  'memory.redact': redact,
  'memory.verifyHistory': verifyHistory,
  'memory.setFromMessages': setFromMessages,
  'learning.list': listLearning,
  'learning.get': getLearning,
  'learning.cancel': cancelLearning,
  'namespaces.rollback': rollback,
  'conversations.append': appendTurns,
  'conversations.list': listTurns,
  'conversations.recall': recallTurns,
  'profile.set': setProfile,
  'profile.get': getProfile,
  'profile.list': listProfile,
  'profile.delete': deleteProfile,
  'working.set': setWorking,
  'working.patch': patchWorking,
  'working.get': getWorking,
  'working.list': listWorking,
  'working.delete': deleteWorking,
  'working.acquire': acquireLease,
  'working.renew': renewLease,
  'working.release': releaseLease,
  'records.define': defineRecords,
  'records.put': putRecord,
  'records.get': getRecord,
  'records.list': listRecords,
  'records.remove': removeRecord,
  'knowledge.add': addDocument,
  'knowledge.upsert': upsertDocument,
  'knowledge.get': getSource,
  'knowledge.list': listDocuments,
  'knowledge.remove': removeDocument,
  'sessions.setBrief': setBrief,
  'sessions.brief': getBrief,
  'sessions.briefs': listBriefs,
  'sessions.digest': digestSession,
  'sessions.digests': listDigests,
  'sessions.find': findSessions,
} as const satisfies { readonly [Name in SeldomName]: unknown }

/** Reads of an earlier time; the worker's own script has parsed their input. */
const READS = { 'memory.get': getAsOf, 'memory.list': listAsOf, 'memory.search': searchAsOf } as const satisfies {
  readonly [Name in AsOfName]: unknown
}

type Operation = (engine: Engine, context: CallContext, input: unknown) => unknown

/** What the worker imports with the first call that its own script does not answer. */
export const { run, resolvePending, readAsOf, keep }: SeldomCalls = {
  keep: keepNow,
  readAsOf: (engine, context, name, input) => (READS[name] as Operation)(engine, context, input),
  resolvePending: async (engine, memories, all, signal) => {
    await finishHistory(engine, signal)
    // What cannot be learned from just now keeps nothing else waiting.
    try {
      await workQueue(engine, signal)
    } finally {
      await resolveNow(engine, memories, all, signal)
    }
  },
  run: (engine, context, name, input) => {
    if (!Object.hasOwn(SELDOM_CALLS, name)) throw invalidArgument('call', 'is not a call of this library')
    const known = name as SeldomName
    return (OPERATIONS[known] as Operation)(engine, context, parse(SELDOM_CALLS[known].input, input))
  },
}
