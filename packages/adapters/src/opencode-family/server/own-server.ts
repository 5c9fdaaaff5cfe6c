import type { HttpServerSpec } from '@agent-mux/core';
import type { FamilyDialect } from '../dialect.ts';
import { serverKey } from '../launch.ts';

export const HEALTH_PATH = '/global/health';

/** Our own server: `serve` on loopback, with a password that only the engine knows. */
export function ownServer(dialect: FamilyDialect): HttpServerSpec {
  return {
    readUrl: (line) => dialect.listening.exec(line)?.[1],
    shareKey: (options) => serverKey(options, dialect),
    passwordEnv: `${dialect.envPrefix}_SERVER_PASSWORD`,
    headers: (options, password) =>
      basicAuth(options.env?.[`${dialect.envPrefix}_SERVER_USERNAME`] ?? dialect.serverUser, password),
    healthPath: HEALTH_PATH,
    eventsPath: ({ cwd }) => eventsPath(cwd),
  };
}

/** It carries the events of every session of the folder. */
export function eventsPath(folder: string): string {
  return `/event?directory=${encodeURIComponent(folder)}`;
}

export function basicAuth(user: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}
