import { AgentMuxError } from '@agent-mux/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServedApi, serveApi, TOKEN } from '../../test/served-api.ts';
import { StoreError } from '../store/store.ts';
import { createApi } from './api.ts';
import { serve } from './serve.ts';

const SESSIONS = '/api/v1/sessions';
let api: ServedApi;
beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.stop());

describe('responses', () => {
  test('have security headers', async () => {
    for (const path of [SESSIONS, '/nothing', '/docs', '/docs/script.js', '/', '/metrics', '/api/v1/health']) {
      const { headers } = await api.ask(path);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
      });
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'/);
      expect(headers['content-security-policy']).not.toMatch(/unsafe|\*|https?:/);
    }
  });

  test('hide internal errors, which are logged', async () => {
    const { listSessions } = api.store;
    const inner = [
      new Error('secret insides'),
      new StoreError('CORRUPT', 'secret insides'),
      new AgentMuxError('INTERNAL_ERROR', 'secret insides'),
      'secret insides',
      null,
    ];
    for (const thrown of inner) {
      api.store.listSessions = async () => {
        throw thrown;
      };
      const before = api.logged.length;
      const answer = await api.ask(SESSIONS);
      expect([answer.status, answer.json().code, answer.headers['content-type']]).toEqual([
        500,
        'INTERNAL_ERROR',
        'application/problem+json',
      ]);
      expect(answer.text).not.toMatch(/insides|\.ts|node_modules/);
      expect(api.logged.length).toBe(before + 1);
    }
    api.store.listSessions = listSessions;
  });

  test('use stable codes for failures of the engine, the store and the disk', async () => {
    const cases: [unknown, number, string][] = [
      [new StoreError('FULL', 'x'), 503, 'DISK_FULL'],
      [Object.assign(new Error('x'), { code: 'ENOSPC' }), 503, 'DISK_FULL'],
      [new AgentMuxError('UNKNOWN_AGENT', 'x', { hint: 'try y' }), 422, 'UNKNOWN_AGENT'],
      [new AgentMuxError('AUTH_ERROR', 'x'), 422, 'AGENT_ERROR'],
      [new AgentMuxError('SESSION_NOT_FOUND', 'x'), 404, 'NOT_FOUND'],
      [new AgentMuxError('SESSION_NOT_FOUND', 'x', { data: { candidates: ['a', 'b'] } }), 409, 'AMBIGUOUS_ID'],
    ];
    const { create } = api.service;
    for (const [thrown, status, code] of cases) {
      api.service.create = async () => {
        throw thrown;
      };
      const answer = await api.ask(SESSIONS, { method: 'POST', body: { agent: 'x', cwd: '/x' } });
      expect([answer.status, answer.json().code]).toEqual([status, code]);
    }
    api.service.create = create;
  });

  test('find rows by id prefix', async () => {
    for (const id of ['abc1', 'abd2']) await api.store.insertSession({ ...(await api.store.getSession('one'))!, id });
    expect((await api.ask(`${SESSIONS}/abc`)).json().id).toBe('abc1');
    expect((await api.ask(`${SESSIONS}/ab`)).json()).toMatchObject({ status: 409, code: 'AMBIGUOUS_ID' });
    expect((await api.ask(`${SESSIONS}/abc/park`, { method: 'POST' })).json()).toMatchObject({
      id: 'abc1',
      parked: true,
    });
    expect((await api.ask(`${SESSIONS}/ABC`)).status).toBe(404);
  });
});

describe('daemon', () => {
  test('responds before it shuts down', async () => {
    const answer = await api.ask('/api/v1/shutdown', { method: 'POST' });
    expect([answer.status, answer.json()]).toEqual([202, { stopping: true }]);
    await expect.poll(() => api.shutDowns).toBe(1);
    expect((await api.ask('/api/v1/shutdown', { method: 'POST', token: null })).status).toBe(401);
    expect(api.shutDowns).toBe(1);
  });

  test('reports whether it is ready', async () => {
    const starting = await serveApi({}, { readiness: () => ({ ready: false, waitingFor: ['the keeper of abc'] }) });
    expect((await starting.ask('/api/v1/health')).json()).toMatchObject({ status: 'ok', pid: process.pid });
    expect((await starting.ask('/api/v1/ready')).json()).toMatchObject({
      status: 503,
      code: 'NOT_READY',
      detail: expect.stringContaining('abc'),
    });
    await starting.stop();
    expect((await api.ask('/api/v1/ready')).json()).toEqual({ ready: true, waitingFor: [] });
  });

  test('serves metrics in the Prometheus format', async () => {
    const { text, headers } = await api.ask('/metrics');
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? -?[\d.e+]+)$/);
    expect(text).toMatch(/^agent_mux_sessions\{activity="idle"\} [1-9]/m);
    expect(text).toMatch(/^agent_mux_http_requests_total\{route="listSessions",status="200"\} [1-9]/m);
    expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);
  });

  test('listens on the loopback address only and fails if the port is taken', async () => {
    expect(api.url).toBe(`http://127.0.0.1:${api.port}`);
    const other = createApi({
      ...api,
      auth: { token: TOKEN },
      clock: Date.now,
      log: () => {},
      version: '0',
      shutdown: () => {},
    });
    await expect(serve(other, { port: api.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
