import type { Health, Ready, SettingsPatch } from '@agent-mux/api/schemas';
import { DaemonError } from '../../daemon-error.ts';
import { assertMaySet } from '../access/token-only.ts';
import type { Audit } from '../audit.ts';
import type { Handlers } from '../call.ts';
import { findSession } from '../find-row.ts';
import { type HttpCounts, writeMetrics } from '../metrics.ts';
import { makeOpenApi } from '../openapi.ts';
import type { ApiParts } from '../parts.ts';
import type { Streams } from '../streams.ts';

type Operations =
  | 'getHealth'
  | 'getReady'
  | 'getMetrics'
  | 'getOpenApi'
  | 'getSettings'
  | 'changeSettings'
  | 'shutDown'
  | 'readUsage'
  | 'readAudit';

interface DaemonParts extends Pick<ApiParts, 'store' | 'clock' | 'version' | 'readiness' | 'shutDown' | 'settings'> {
  streams: Streams;
  http: HttpCounts;
  audit: Audit;
  nonce: string;
}

export function daemonHandlers(parts: DaemonParts): Pick<Handlers, Operations> {
  const { store, clock, version, readiness, shutDown, streams, http, audit, settings, nonce } = parts;
  const startedAt = clock();
  const health: Health = { status: 'ok', version, pid: process.pid, startedAt };
  let document: string | undefined;
  const idOf = async (session: string | undefined) =>
    session === undefined ? {} : { sessionId: (await findSession(store, session)).id };
  return {
    // The nonce for what a browser signs: a page that knows it is not refused first.
    getHealth: async () => Response.json(health, { headers: { 'agent-mux-nonce': nonce } }),
    async getReady() {
      const state: Ready = readiness?.() ?? { ready: true, waitsFor: [] };
      if (state.ready) return state;
      throw new DaemonError('STARTING', `the daemon is not ready: ${state.waitsFor.join(', ')}`, {
        hint: 'ask again soon',
      });
    },
    async getMetrics() {
      const text = await writeMetrics(store, { http, streams: streams.count(), startedAt, now: clock() });
      return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } });
    },
    async getOpenApi() {
      document ??= JSON.stringify(makeOpenApi(version));
      return new Response(document, { headers: { 'content-type': 'application/json' } });
    },
    getSettings: async () => settings.view(),
    async changeSettings({ body, who }) {
      assertMaySet(who, body);
      const changed = await settings.change(body);
      await audit(who, 'settings.change', tellableChange(body));
      return changed;
    },
    async shutDown({ context, who }) {
      await audit(who, 'daemon.shutdown');
      // The caller is told first.
      context.env.outgoing.once('close', shutDown);
      return { stopping: true };
    },
    async readUsage({ query }) {
      const { session, ...rest } = query;
      return { rows: await store.readUsage({ ...rest, ...(await idOf(session)) }) };
    },
    async readAudit({ query }) {
      const { session, ...rest } = query;
      return { entries: await store.readAudit({ ...rest, ...(await idOf(session)) }) };
    },
  };
}

/** Without addresses, arguments and secrets. */
function tellableChange({ revision: _, notify, ...rest }: SettingsPatch): Record<string, unknown> {
  if (!notify) return rest;
  const targets = Object.entries(notify.targets ?? {}).map(([name, target]) => [name, target?.type ?? null]);
  const rules = notify.rules === undefined ? {} : { rules: notify.rules };
  return { ...rest, notify: { ...(targets.length > 0 ? { targets: Object.fromEntries(targets) } : {}), ...rules } };
}
