import '@agent-mux/core';

export { type DaemonPaths, resolveDaemonPaths } from './paths.ts';
export { type DaemonOptions, runDaemon } from './run-daemon.ts';
export { type DaemonSettings, DEFAULT_SETTINGS } from './settings/settings.ts';
