export { type DaemonPaths, resolveDaemonPaths } from '../paths.ts';
export { type EnsureOptions, ensureDaemon } from './ensure.ts';
export { type DaemonState, type FoundDaemon, findDaemon, probeDaemon } from './find.ts';
export { daemonLocator, type LocateOptions } from './locate.ts';
export { type DaemonRecord, readLogTail } from './record.ts';
export { daemonCommand } from './spawn.ts';
export { type StoppedDaemon, stopDaemon } from './stop.ts';
export { readToken } from './token.ts';
