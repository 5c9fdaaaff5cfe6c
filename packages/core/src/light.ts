/**
 * What a program needs that speaks to an engine elsewhere, without the engine: this package as a whole takes longer to load
 * than such a program has to say.
 */
import './old-node.ts';

export { type ChangedLine, changeOf } from './approvals/changes.ts';
export { type AnswerFault, findAnswersFault, findOptionFault } from './approvals/offered.ts';
export { type RequestSummary, summarizeQuestion, summarizeRequest } from './approvals/summarize-request.ts';
export { makeVisible } from './approvals/visible.ts';
export { findEventFault } from './border/event-shape.ts';
export * from './contract/errors.ts';
export { durationInWords } from './duration.ts';
export { readRegularFile, readRegularFileSync } from './files/regular-file.ts';
export { stateFolder } from './files/state-folder.ts';
export { asStorageError, findStorageFailure, type StorageFailure } from './files/storage-failure.ts';
export { findNearNames } from './near-names.ts';
export { identityOf, type ProcessIdentity, stillAlive } from './process/process-table.ts';
export * from './process/shell-quote.ts';
export { LAUNCH_VARIABLE, RUN_ID_VARIABLE } from './process/terminate.ts';
export { attachListeners } from './run/log/attach-listeners.ts';
export { EventLog } from './run/log/event-log.ts';
export { Listeners } from './run/log/listeners.ts';
export { BackgroundWork } from './run/turns/background.ts';
export { GrowingText } from './run/turns/growing-text.ts';
export { isRecord, messageOf, toJson } from './values.ts';
