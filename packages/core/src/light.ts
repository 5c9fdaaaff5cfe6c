/**
 * What a program needs that speaks to an engine elsewhere, without the engine: this package as a whole takes longer to load
 * than such a program has to say.
 */
import './old-node.ts';

export { type AnswerFault, findAnswersFault, findOptionFault } from './approvals/offered.ts';
export * from './contract/errors.ts';
export { readRegularFile } from './files/regular-file.ts';
export { stateFolder } from './files/state-folder.ts';
export { identityOf, type ProcessIdentity, stillAlive } from './process/process-table.ts';
export { LAUNCH_VARIABLE, RUN_ID_VARIABLE } from './process/terminate.ts';
export { EventLog } from './run/log/event-log.ts';
export { Listeners } from './run/log/listeners.ts';
export { BackgroundWork } from './run/turns/background.ts';
export { GrowingText } from './run/turns/growing-text.ts';
export { isRecord, messageOf } from './values.ts';
