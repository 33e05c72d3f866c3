import * as archives from '../schema/archive.js'
import * as asking from '../schema/asking.js'
import * as bulk from '../schema/bulk.js'
import * as schema from '../schema/calls.js'
import { ConsolidateInput } from '../schema/consolidation.js'
import * as erasing from '../schema/erasing.js'
import * as goingBack from '../schema/going-back.js'
import * as guards from '../schema/guards.js'
import * as history from '../schema/history.js'
import * as learning from '../schema/learning.js'
import * as namespaces from '../schema/namespaces.js'
import * as conversations from '../schema/neighbours/conversations.js'
import * as knowledge from '../schema/neighbours/knowledge.js'
import * as profile from '../schema/neighbours/profile.js'
import * as records from '../schema/neighbours/records.js'
import * as sessions from '../schema/neighbours/sessions.js'
import * as working from '../schema/neighbours/working.js'
import * as offloading from '../schema/offloading.js'
import * as packing from '../schema/packing.js'
import * as provenance from '../schema/provenance.js'
import * as usage from '../schema/usage.js'

/** The calls that few openings make: the worker loads what answers them with the first of them. As {@link CALLS} otherwise. */
export const SELDOM_CALLS = {
  'memory.delete': { input: schema.TargetInput, writes: true },
  'memory.restore': { input: schema.TargetInput, writes: true },
  'memory.unpin': { input: guards.UnpinInput, writes: true },
  'memory.lock': { input: guards.LockInput, writes: true },
  'memory.unlock': { input: guards.UnlockInput, writes: true },
  'memory.history': { input: schema.HistoryInput, writes: false },
  'conflicts.list': { input: schema.ConflictsInput, writes: false },
  'conflicts.resolve': { input: schema.ResolveInput, writes: true },
  'embedder.pause': { input: schema.NoInput, writes: false },
  'embedder.resume': { input: schema.NoInput, writes: false },
  'embedder.cancel': { input: schema.NoInput, writes: false },
  'blacklist.add': { input: guards.BlacklistAddInput, writes: true },
  'blacklist.list': { input: schema.NoInput, writes: false },
  'blacklist.remove': { input: guards.BlacklistRemoveInput, writes: true },
  'memory.reject': { input: schema.RejectInput, writes: true },
  'proposals.list': { input: schema.ConflictsInput, writes: false },
  'proposals.decide': { input: schema.DecideInput, writes: true },
  'namespaces.register': { input: namespaces.RegisterInput, writes: true },
  'namespaces.get': { input: namespaces.NamespaceInput, writes: false },
  'namespaces.audit': { input: namespaces.AuditInput, writes: false },
  'memory.export': { input: archives.ExportInput, writes: false },
  'memory.import': { input: archives.ImportInput, writes: true },
  'calibration.get': { input: schema.CalibrationInput, writes: false },
  'memory.ask': { input: asking.AskInput, writes: false },
  'context.pack': { input: packing.PackInput, writes: false },
  'context.offload': { input: offloading.OffloadInput, writes: true },
  'context.fetch': { input: offloading.FetchInput, writes: false },
  'context.told': { input: packing.ToldInput, writes: true },
  'memory.forget': { input: erasing.ForgetInput, writes: true },
  'erasures.list': { input: schema.NoInput, writes: false },
  'users.profile': { input: erasing.UserInput, writes: false },
  'users.export': { input: erasing.UserExportInput, writes: false },
  'users.erase': { input: erasing.UserEraseInput, writes: true },
  'memory.verify': { input: provenance.VerifyInput, writes: true },
  'memory.provenance': { input: provenance.AboutInput, writes: false },
  'memory.lineage': { input: provenance.LineageInput, writes: false },
  'memory.evidence': { input: provenance.AboutInput, writes: false },
  'audit.list': { input: provenance.AuditListInput, writes: false },
  'memory.outcome': { input: usage.OutcomeInput, writes: true },
  'runs.complete': { input: usage.CompleteRunInput, writes: true },
  'memory.apply': { input: bulk.ApplyInput, writes: true },
  'memory.consolidate': { input: ConsolidateInput, writes: true },
  'memory.promote': { input: bulk.PromoteInput, writes: true },
  'memory.related': { input: bulk.RelatedInput, writes: false },
  'memory.inspect': { input: provenance.AboutInput, writes: false },
  'memory.diff': { input: history.DiffInput, writes: false },
  'memory.timeline': { input: history.TimelineInput, writes: false },
  'memory.undo': { input: goingBack.UndoInput, writes: true },
  'memory.redact': { input: history.RedactInput, writes: true },
  'memory.verifyHistory': { input: history.VerifyInput, writes: false },
  'memory.setFromMessages': { input: learning.LearnInput, writes: true },
  'learning.list': { input: schema.NoInput, writes: false },
  'learning.get': { input: learning.QueueInput, writes: false },
  'learning.cancel': { input: learning.QueueInput, writes: true },
  'namespaces.rollback': { input: goingBack.RollbackInput, writes: true },
  'conversations.append': { input: conversations.AppendInput, writes: true },
  'conversations.list': { input: conversations.TurnsInput, writes: false },
  'conversations.recall': { input: conversations.RecallInput, writes: false },
  'profile.set': { input: profile.ProfileSetInput, writes: true },
  'profile.get': { input: profile.LabelInput, writes: false },
  'profile.list': { input: profile.ProfileInput, writes: false },
  'profile.delete': { input: profile.LabelTarget, writes: true },
  'working.set': { input: working.WorkingSetInput, writes: true },
  'working.patch': { input: working.WorkingPatchInput, writes: true },
  'working.get': { input: working.WorkingNameInput, writes: false },
  'working.list': { input: working.WorkingInput, writes: false },
  'working.delete': { input: working.WorkingTarget, writes: true },
  'working.acquire': { input: working.AcquireInput, writes: true },
  'working.renew': { input: working.RenewInput, writes: true },
  'working.release': { input: working.ReleaseInput, writes: true },
  'records.define': { input: records.DefineInput, writes: true },
  'records.put': { input: records.RecordPutInput, writes: true },
  'records.get': { input: records.RecordInput, writes: false },
  'records.list': { input: records.RecordsInput, writes: false },
  'records.remove': { input: records.RecordTarget, writes: true },
  'knowledge.add': { input: knowledge.DocumentInput, writes: true },
  'knowledge.upsert': { input: knowledge.DocumentInput, writes: true },
  'knowledge.get': { input: knowledge.SourceInput, writes: false },
  'knowledge.list': { input: knowledge.DocumentsInput, writes: false },
  'knowledge.remove': { input: knowledge.DocumentTarget, writes: true },
  'sessions.setBrief': { input: sessions.BriefInput, writes: true },
  'sessions.brief': { input: sessions.SessionInput, writes: false },
  'sessions.briefs': { input: sessions.SessionsInput, writes: false },
  'sessions.digest': { input: sessions.DigestInput, writes: true },
  'sessions.digests': { input: sessions.SessionsInput, writes: false },
  'sessions.find': { input: sessions.FindSessionsInput, writes: false },
} as const

export type SeldomName = keyof typeof SELDOM_CALLS
