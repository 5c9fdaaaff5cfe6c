/**
 * The subset for programs that talk to a remote engine: loading the whole package would take longer than such a program
 * runs.
 */
import './node-version.ts';

export { type ChangedLine, changeOf } from './approvals/changes.ts';
export { escapeControls } from './approvals/escape-controls.ts';
export { type RequestSummary, summarizeQuestion, summarizeRequest } from './approvals/summarize-request.ts';
export { type AnswerIssue, findAnswersIssue, findOptionIssue } from './approvals/validate-answer.ts';
export { findEventIssue } from './boundary/event-shape.ts';
export * from './contract/errors.ts';
export { formatDuration } from './duration.ts';
export { readRegularFile, readRegularFileSync } from './files/regular-file.ts';
export { stateFolder } from './files/state-folder.ts';
export { asStorageError, findStorageFailure, type StorageFailure } from './files/storage-failure.ts';
export { identityOf, type ProcessIdentity, stillAlive } from './process/process-table.ts';
export * from './process/shell-quote.ts';
export { LAUNCH_VARIABLE, RUN_ID_VARIABLE } from './process/terminate.ts';
export { attachListeners } from './run/log/attach-listeners.ts';
export { EventLog } from './run/log/event-log.ts';
export { Listeners } from './run/log/listeners.ts';
export { BackgroundWork } from './run/turns/background.ts';
export { TextBuffer } from './run/turns/text-buffer.ts';
export { suggestNames } from './suggest-names.ts';
export { isRecord, messageOf, toJson } from './values.ts';
