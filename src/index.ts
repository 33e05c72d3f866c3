export type { EmbedFunction, PageEmbedder } from './client/embedder-host.js'
export type { AppEmbedder, EmbeddingModel } from './client/embedders.js'
export type { Judge } from './client/judge-line.js'
export type { Location, OpenOptions } from './client/location.js'
export { type OpeningMemory, openMemory } from './client/open-memory.js'
export { type TransformersEmbedder, transformersEmbedder } from './client/transformers-embedder.js'
export type { Abortable, ConflictCalls, EmbedderCalls, LiveQuery, LiveSnapshot, Memory } from './protocol/api.js'
export type { ArchiveCalls } from './protocol/archive-calls.js'
export type { AskingCalls, Llm, Rerank } from './protocol/asking-calls.js'
export type { BulkCalls } from './protocol/bulk-calls.js'
export type { ContextCalls } from './protocol/context-calls.js'
export type { ConversationCalls } from './protocol/conversation-calls.js'
export type { ModelProgress } from './protocol/embedding.js'
export type { ErasingCalls, ErasureCalls, UserCalls } from './protocol/erasing-calls.js'
export { type ErrorCode, type ErrorDetails, isMemoryError, MemoryError } from './protocol/errors.js'
export type { ProgressEvent } from './protocol/events.js'
export type { BlacklistCalls, GuardCalls } from './protocol/guard-calls.js'
export type { HistoryCalls } from './protocol/history-calls.js'
export type { PairAnswer, PairMember, PairQuestion } from './protocol/judging.js'
export type { KnowledgeCalls } from './protocol/knowledge-calls.js'
export type { BackgroundLearningCalls, LearningCalls } from './protocol/learning-calls.js'
export type { NeighbourCalls } from './protocol/neighbour-calls.js'
export type { NamespaceCalls, ProposalCalls } from './protocol/policy-calls.js'
export type { ProfileCalls } from './protocol/profile-calls.js'
export type { AuditCalls, ProvenanceCalls } from './protocol/provenance-calls.js'
export type { RecordCalls } from './protocol/record-calls.js'
export type { SessionCalls } from './protocol/session-calls.js'
export type { RunCalls, UsageCalls } from './protocol/usage-calls.js'
export type { WorkingCalls } from './protocol/working-calls.js'
export type { ExportOptions, ImportEntry, ImportOptions, ImportOutcome, ImportReport } from './schema/archive.js'
export type { AskOptions, AskResult, Citation, Claim, LlmMessage } from './schema/asking.js'
export type {
  ApplyInput,
  ApplyResult,
  Inspection,
  KeptWhy,
  PromoteOptions,
  PromoteResult,
  RelatedMemory,
  RelatedOptions,
  RelatedWhy,
} from './schema/bulk.js'
export type {
  BulkEntry,
  CalibrationOptions,
  ConflictsFilter,
  DecideInput,
  HistoryOptions,
  KeyOptions,
  ListFilter,
  LiveTarget,
  RejectOptions,
  ResolveInput,
  SearchOptions,
  SetInput,
  TargetOptions,
  UpdateByIdInput,
  UpdateInput,
} from './schema/calls.js'
export type {
  Conflict,
  ConflictsResult,
  DecideResult,
  Proposal,
  ProposalsResult,
  ResolveResult,
} from './schema/conflicts.js'
export type { ConsolidatedRow, ConsolidateInput, ConsolidateResult, LeftWhy } from './schema/consolidation.js'
export type { CalibrationReport, EmbedderReport, Percentiles } from './schema/embedder.js'
export type {
  Erasure,
  ErasureCounts,
  ErasuresResult,
  ForgetInput,
  ForgetResult,
  NotReached,
  UserEraseOptions,
  UserExportOptions,
  UserProfile,
} from './schema/erasing.js'
export type {
  KeptReason,
  PlannedRow,
  PlannedState,
  RestoreAction,
  RestoreResult,
  RollbackInput,
  UndoInput,
} from './schema/going-back.js'
export type {
  BlacklistAddInput,
  BlacklistAddResult,
  BlacklistRemoveInput,
  BlacklistRemoveResult,
  BlacklistRule,
  GuardResult,
  LockOptions,
  SweepReport,
  UnlockOptions,
  UnpinInput,
} from './schema/guards.js'
export type {
  DiffOptions,
  DiffResult,
  FieldChange,
  Flaw,
  Happening,
  RedactOptions,
  RedactResult,
  TimelineEvent,
  TimelineInput,
  TimelineResult,
  VerifyHistoryOptions,
  VerifyReport,
  VersionRef,
  WordChange,
} from './schema/history.js'
export type {
  Deferred,
  FactKind,
  ForgottenFact,
  Learned,
  LearnedFact,
  LearningReport,
  LearnOptions,
  Message,
  RefusalWhy,
  RefusedFact,
} from './schema/learning.js'
export type {
  AuditOptions,
  AuditReport,
  ConflictPolicy,
  Finding,
  FindingKind,
  NamespaceOptions,
  NamespaceReport,
  NamespaceSettings,
  RegisterInput,
  RetentionWindow,
} from './schema/namespaces.js'
export type {
  AppendOptions,
  AppendResult,
  RecallOptions,
  RecallResult,
  Turn,
  TurnHit,
  TurnRow,
  TurnsFilter,
  TurnsResult,
} from './schema/neighbours/conversations.js'
export type {
  DocumentOptions,
  DocumentRemoval,
  DocumentResult,
  DocumentRow,
  DocumentsFilter,
  DocumentsResult,
  DocumentTargetOptions,
  OutlineEntry,
  SectionRow,
} from './schema/neighbours/knowledge.js'
export type {
  LabelOptions,
  ProfileFilter,
  ProfileResult,
  ProfileRow,
  ProfileSetOptions,
  RemoveResult,
} from './schema/neighbours/profile.js'
export type {
  Condition,
  DefineOptions,
  DefineResult,
  FieldType,
  RecordFields,
  RecordPutOptions,
  RecordRow,
  RecordsFilter,
  RecordsResult,
  RecordTargetOptions,
} from './schema/neighbours/records.js'
export type {
  BriefOptions,
  BriefRow,
  BriefsResult,
  DigestHit,
  DigestOptions,
  DigestRow,
  DigestsResult,
  FindSessionsOptions,
  FoundSessions,
  SessionsFilter,
} from './schema/neighbours/sessions.js'
export type {
  AcquireOptions,
  LeaseResult,
  RenewOptions,
  WorkingFilter,
  WorkingPatchOptions,
  WorkingResult,
  WorkingRow,
  WorkingSetOptions,
  WorkingTargetOptions,
} from './schema/neighbours/working.js'
export type { Fetched, FetchedPart, FetchOptions, Offloaded, OffloadOptions } from './schema/offloading.js'
export type { PackedMemory, PackOptions, PackResult, PackSection, ToldOptions, ToldResult } from './schema/packing.js'
export type {
  AuditFilter,
  AuditListResult,
  AuditRow,
  Evidence,
  Lineage,
  LineageEntry,
  LineageOptions,
  LineageWhy,
  Provenance,
  TrustLevel,
  VerifyOptions,
  VerifyResult,
} from './schema/provenance.js'
export type {
  AbstainCode,
  BulkResult,
  DeleteResult,
  Explanation,
  HistoryEntry,
  Hit,
  LegComponent,
  ListResult,
  MemoryRow,
  Peer,
  Relation,
  SearchExplanation,
  SearchResult,
  Sensitivity,
  SourceClass,
  Status,
  VerdictKind,
  Verification,
  VersionBody,
  WriteResult,
} from './schema/records.js'
export type { JsonValue } from './schema/scalars.js'
export type { Scope, ScopePatch, Tier } from './schema/scope.js'
export type { RecoveryReport, StorageReport } from './schema/storage.js'
export type { CompleteRunInput, CompleteRunResult, OutcomeOptions, OutcomeResult, UsageReport } from './schema/usage.js'
export type { TransformersOptions } from './transformers/options.js'
