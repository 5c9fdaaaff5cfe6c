import '@agent-mux/core';

export { findPlaces, type Places } from './places.ts';
export { type DaemonOptions, runDaemon } from './run-daemon.ts';
export { type DaemonSettings, DEFAULT_SETTINGS } from './settings/settings.ts';
