import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConfiguredClient } from '@agent-mux/adapters/client';
import { PolicyStore } from '@agent-mux/core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ServedApi, serveApi } from '../../../test/served-api.ts';
import type { ApiParts } from '../parts.ts';

/** Installs a fake CLI that only prints its version, once the file `go` exists. */
const NPM = `#!/bin/sh
cd "$(dirname "$0")"
echo "fetching $*"
while [ ! -e go ]; do sleep 0.05; done
printf '#!/bin/sh\\necho "codex-cli 9.9.9"\\n' > codex
chmod +x codex
echo "added 1 package"
`;

const bin = mkdtempSync(join(tmpdir(), 'jobs-'));
let api: ServedApi;
let parts: Pick<ApiParts, 'client' | 'policy'>;
beforeAll(async () => {
  writeFileSync(join(bin, 'npm'), NPM);
  chmodSync(join(bin, 'npm'), 0o755);
  const env = { HOME: bin, XDG_STATE_HOME: join(bin, 'state'), PATH: `${bin}:/usr/bin:/bin` };
  parts = {
    client: createConfiguredClient({ env, cwd: bin, runIndex: false, rules: 'none' }),
    policy: { book: new PolicyStore({ env }), env },
  };
  api = await serveApi({}, parts);
});
afterAll(async () => {
  await api.stop();
  rmSync(bin, { recursive: true, force: true, maxRetries: 3 });
});

const get = async (path: string) => (await api.ask(`/api/v1/${path}`)).json();
const post = (path: string, body: unknown = {}) => api.ask(`/api/v1/${path}`, { method: 'POST', body });

test('runs only a plan that was shown', async () => {
  const refused = await post('agents/codex/install', { commands: ['npm install -g something-else'] });
  expect([refused.status, refused.json().code]).toEqual([409, 'PLAN_CHANGED']);
  expect((await get('jobs')).jobs).toEqual([]);
  expect((await post('agents/missing/install', { commands: [] })).status).toBe(404);
});

test('runs one job per agent, streams its output, and records the version', async () => {
  const { commands } = await get('agents/codex/plan?action=install');
  expect(commands).toEqual(['npm install -g @openai/codex']);
  const started = await post('agents/codex/install', { commands });
  const { id } = started.json();
  expect([started.status, started.json().state]).toEqual([201, 'running']);
  const second = await post('agents/codex/install', { commands });
  expect([second.status, second.json().code]).toEqual([409, 'JOB_RUNNING']);
  await vi.waitFor(async () => expect((await get(`jobs/${id}`)).lines).toEqual(['fetching install -g @openai/codex']), {
    timeout: 30_000,
  });
  writeFileSync(join(bin, 'go'), '');
  await vi.waitFor(async () => expect((await get(`jobs/${id}`)).state).toBe('completed'), { timeout: 30_000 });
  expect(await get(`jobs/${id}?after=1`)).toMatchObject({ version: '9.9.9', lines: ['added 1 package'], lastLine: 2 });
  expect(await get('agents/codex')).toMatchObject({ installed: true, version: '9.9.9', evidence: 'verified' });
  const actions = (await api.store.readAudit({ limit: 10 })).map(({ action }) => action);
  expect(actions).toEqual(['agent.install', 'agent.install-ended']);
});

test('ends a cancelled job', async () => {
  rmSync(join(bin, 'go'));
  const { commands } = await get('agents/gemini/plan');
  const { id } = (await post('agents/gemini/install', { commands })).json();
  await vi.waitFor(async () => expect((await get(`jobs/${id}`)).lastLine).toBe(1), { timeout: 30_000 });
  await post(`jobs/${id}/cancel`);
  await vi.waitFor(async () => expect((await get(`jobs/${id}`)).state).toBe('failed'), { timeout: 30_000 });
  expect((await get(`jobs/${id}`)).endedAt).not.toBeNull();
});

test('plans a verification, then runs it case by case until cancelled', {
  timeout: 240_000,
}, async () => {
  const plan = await get('agents/codex/plan?action=verify');
  expect(plan).toMatchObject({ action: 'verify', commands: ['amux verify codex'] });
  expect(plan.cases).toContainEqual({ mode: expect.any(String), case: expect.any(String), title: expect.any(String) });
  const { id, caseCount } = (await post('agents/codex/verify', { commands: plan.commands })).json();
  expect(caseCount).toBe((plan.cases as unknown[]).length);
  // The fake CLI only prints its version, so no case passes.
  await vi.waitFor(async () => expect((await get(`jobs/${id}`)).results).not.toEqual([]), { timeout: 200_000 });
  await post(`jobs/${id}/cancel`);
  await vi.waitFor(async () => expect((await get(`jobs/${id}`)).state).toBe('failed'), { timeout: 60_000 });
  const { results, message, version } = await get(`jobs/${id}`);
  expect([message, version]).toEqual(['the job was cancelled', '9.9.9']);
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('amux-verify-'))).toEqual([]);
  expect(results).toContainEqual(expect.objectContaining({ status: 'failed', detail: expect.any(String) }));
  const other = await post('agents/demo/verify', { commands: ['amux verify demo'] });
  expect([other.status, other.json().code]).toEqual([422, 'NOT_OFFERED']);
});

test('keeps finished jobs for the next daemon and marks running ones as interrupted', async () => {
  const before = await get('jobs');
  const [newest] = before.jobs as { id: string }[];
  const cut = { ...(await get(`jobs/${newest?.id}`)), id: 'jcut', state: 'running', endedAt: null };
  const { lines: _, lastLine: __, ...job } = cut as Record<string, unknown>;
  await api.store.putRecord('job', 'jcut', { job, lines: ['half of it'], lastLine: 1 }, api.now);
  const next = await serveApi({}, { ...parts, store: api.store });
  try {
    const jobs = (await next.ask('/api/v1/jobs')).json().jobs as { id: string }[];
    expect(jobs).toHaveLength((before.jobs as unknown[]).length + 1);
    const job = (await next.ask('/api/v1/jobs/jcut')).json();
    expect(job).toMatchObject({
      state: 'interrupted',
      message: expect.stringContaining('daemon'),
      lines: ['half of it'],
    });
    expect((await next.ask(`/api/v1/jobs/${newest?.id}`)).json()).toMatchObject({ results: expect.any(Array) });
  } finally {
    await next.stop();
  }
});
