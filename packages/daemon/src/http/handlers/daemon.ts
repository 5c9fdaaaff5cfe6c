import type { Health, Ready, SettingsPatch } from '@agent-mux/api/schemas';
import { DaemonError } from '../../daemon-error.ts';
import { assertMaySet } from '../access/token-only.ts';
import type { Audit } from '../audit.ts';
import type { Handlers } from '../call.ts';
import { findSession } from '../find-row.ts';
import { type HttpCounters, writeMetrics } from '../metrics.ts';
import { createOpenApi } from '../openapi.ts';
import type { ApiParts } from '../parts.ts';
import type { Streams } from '../streams.ts';

type Operations =
  | 'getHealth'
  | 'getReady'
  | 'getMetrics'
  | 'getOpenApi'
  | 'getSettings'
  | 'updateSettings'
  | 'shutdown'
  | 'getUsage'
  | 'listAudit';

interface DaemonParts extends Pick<ApiParts, 'store' | 'clock' | 'version' | 'readiness' | 'shutdown' | 'settings'> {
  streams: Streams;
  http: HttpCounters;
  audit: Audit;
  nonce: string;
}

export function daemonHandlers(parts: DaemonParts): Pick<Handlers, Operations> {
  const { store, clock, version, readiness, shutdown, streams, http, audit, settings, nonce } = parts;
  const startedAt = clock();
  const health: Health = { status: 'ok', version, pid: process.pid, startedAt };
  let document: string | undefined;
  const idOf = async (session: string | undefined) =>
    session === undefined ? {} : { sessionId: (await findSession(store, session)).id };
  return {
    // The nonce that browsers sign, so that a page needs no failed request to learn it.
    getHealth: async () => Response.json(health, { headers: { 'agent-mux-nonce': nonce } }),
    async getReady() {
      const state: Ready = readiness?.() ?? { ready: true, waitingFor: [] };
      if (state.ready) return state;
      throw new DaemonError('NOT_READY', `the daemon is not ready: ${state.waitingFor.join(', ')}`, {
        hint: 'retry in a moment',
      });
    },
    async getMetrics() {
      const text = await writeMetrics(store, { http, streams: streams.count(), startedAt, now: clock() });
      return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } });
    },
    async getOpenApi() {
      document ??= JSON.stringify(createOpenApi(version));
      return new Response(document, { headers: { 'content-type': 'application/json' } });
    },
    getSettings: async () => settings.view(),
    async updateSettings({ body, actor }) {
      assertMaySet(actor, body);
      const changed = await settings.change(body);
      await audit(actor, 'settings.change', publicChange(body));
      return changed;
    },
    async shutdown({ context, actor }) {
      await audit(actor, 'daemon.shutdown');
      // Respond before shutting down.
      context.env.outgoing.once('close', shutdown);
      return { stopping: true };
    },
    async getUsage({ query }) {
      const { sessionId, ...rest } = query;
      return { rows: await store.readUsage({ ...rest, ...(await idOf(sessionId)) }) };
    },
    async listAudit({ query }) {
      const { sessionId, ...rest } = query;
      return { entries: await store.readAudit({ ...rest, ...(await idOf(sessionId)) }) };
    },
  };
}

/** The change without URLs, arguments and secrets. */
function publicChange({ revision: _, notify, ...rest }: SettingsPatch): Record<string, unknown> {
  if (!notify) return rest;
  const targets = Object.entries(notify.targets ?? {}).map(([name, target]) => [name, target?.type ?? null]);
  const rules = notify.rules === undefined ? {} : { rules: notify.rules };
  return { ...rest, notify: { ...(targets.length > 0 ? { targets: Object.fromEntries(targets) } : {}), ...rules } };
}
