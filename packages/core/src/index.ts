/// <reference types="node" preserve="true" />
import './old-node.ts';

export * from './adapter/auth-checks.ts';
export * from './adapter/base-adapter.ts';
export { parseJsonLine } from './adapter/defaults.ts';
export * from './adapter/define-adapter.ts';
export { type ChangedLine, changeOf } from './approvals/changes.ts';
export {
  type RequestSummary,
  summarizeQuestion,
  summarizeRequest,
} from './approvals/summarize-request.ts';
export { makeVisible } from './approvals/visible.ts';
export * from './binaries/lookup-binary.ts';
export * from './binaries/version.ts';
export { findEventFault, isThenable } from './border/event-shape.ts';
export { guardAdapter } from './border/guard-adapter.ts';
export { activityOf } from './client/activity.ts';
export { Client, type CoreClientOptions, createClient } from './client/client.ts';
export * from './config/edit-profiles.ts';
export * from './config/files.ts';
export * from './config/load-config.ts';
export * from './config/profiles.ts';
export { PROJECT_MAY_SET, projectOptions } from './config/project-profiles.ts';
export * from './contract/adapter.ts';
export * from './contract/assembler.ts';
export * from './contract/capabilities.ts';
export * from './contract/errors.ts';
export * from './contract/events.ts';
export * from './contract/flags.ts';
export * from './contract/hooks.ts';
export * from './contract/host-files.ts';
export * from './contract/live.ts';
export * from './contract/native-config.ts';
export * from './contract/options.ts';
export * from './contract/plugins.ts';
export * from './contract/quota.ts';
export * from './contract/retry.ts';
export * from './contract/run.ts';
export * from './contract/session-queries.ts';
export * from './contract/sessions.ts';
export * from './contract/skills.ts';
export * from './contract/surroundings.ts';
export * from './contract/tool-kinds.ts';
export * from './contract/upkeep.ts';
export * from './contract/usage.ts';
export type { OwnState } from './doctor/doctor.ts';
export * from './documents/document.ts';
export { durationInWords, parseDuration } from './duration.ts';
export * from './env/child-env.ts';
export type { Plugins } from './extensions/plugins.ts';
export type { Skills } from './extensions/skills.ts';
export { withFileLock } from './files/file-lock.ts';
export { hostFiles, readFirstLine } from './files/host-files.ts';
export * from './files/paths.ts';
export { openRegularFile, readRegularFile, readRegularFileSync } from './files/regular-file.ts';
export { stateFolder } from './files/state-folder.ts';
export type { Hooks } from './hooks/hooks.ts';
export { findResetTime, readDuration, readRetryAfter } from './limits/reset-time.ts';
export { estimateCost } from './models/facts.ts';
export { PRICES_AS_OF } from './models/prices.ts';
export { type ConfigCodec, codecOf } from './native-config/codecs.ts';
export { type NamedVariable, readConfigEnv } from './native-config/config-env.ts';
export type { FileEdit } from './native-config/edit-file.ts';
export { SECRET_MASK } from './native-config/mask.ts';
export type { McpServers } from './native-config/mcp-servers.ts';
export type { NativeConfigs } from './native-config/native-configs.ts';
export { readNativeConfig } from './native-config/read.ts';
export { writeNativeConfig } from './native-config/write.ts';
export { findNearNames } from './near-names.ts';
export { identityOf, type ProcessIdentity, stillAlive } from './process/process-table.ts';
export * from './process/shell-quote.ts';
export { stripSequences } from './process/terminal-text.ts';
export { endProcessesOfHost, listFamily, RUN_ID_VARIABLE } from './process/terminate.ts';
export * from './process/trace.ts';
export { hostMark } from './process/watchman.ts';
export * from './redact/redact.ts';
export { secretsOf } from './redact/secrets.ts';
export * from './registry/ask-agent.ts';
export * from './registry/detection.ts';
export * from './registry/load-adapters.ts';
export * from './registry/refusals.ts';
export * from './registry/registry.ts';
export * from './registry/validate-adapter.ts';
export * from './registry/validate-capabilities.ts';
export * from './run/log/run-index.ts';
export * from './run/options/gate.ts';
export { isMapOption, MAP_OPTIONS, mergeOptions } from './run/options/merge-options.ts';
export { isImage, mimeTypeOf } from './run/options/mime.ts';
export {
  DEFAULT_RETRY_POLICY,
  optionFaults,
  PROFILE_REFUSALS,
} from './run/options/options.ts';
export { type ResolvedRun, resolveRun } from './run/options/resolve-run.ts';
export { resolveTurn } from './run/options/turn-input.ts';
export * from './run/plan/invocation.ts';
export { type PlaceCommand, runInPlace } from './run/plan/place-command.ts';
export { type Estimate, ResultFold } from './run/turns/result.ts';
export * from './session-stores/database.ts';
export * from './session-stores/databases.ts';
export * from './session-stores/json-lines.ts';
export { orderedParts, type ShownPart } from './session-stores/message-parts.ts';
export * from './session-stores/store.ts';
export * from './session-stores/transcript.ts';
export * from './session-stores/tree.ts';
export type { Sessions } from './sessions/sessions.ts';
export { isRecord, messageOf, parseIfJson, toJson, withoutEnding } from './values.ts';
