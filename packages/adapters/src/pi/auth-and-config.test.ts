import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CapabilityError } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { piAdapter } from './index.ts';

const adapter = piAdapter;
const said = (stdout: string, exitCode = 0) => ({ stdout, stderr: '', exitCode });

describe('models of pi', () => {
  it('lists them with their limits and prices', () => {
    const models = [
      {
        id: 'claude-fable-5',
        name: 'Claude Fable 5',
        provider: 'anthropic',
        reasoning: true,
        input: ['text', 'image'],
        cost: { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 },
        contextWindow: 1_000_000,
        maxTokens: 128_000,
      },
      { id: 'local', provider: 'mine', cost: { input: 0, output: 0 } },
    ];
    const answer = { id: 'models', type: 'response', success: true, data: { models } };
    expect(adapter.modelQuery!.parse(said(`{"type":"notice"}\n${JSON.stringify(answer)}\n`))).toEqual([
      {
        id: 'anthropic/claude-fable-5',
        displayName: 'Claude Fable 5',
        contextWindow: 1_000_000,
        maxOutputTokens: 128_000,
        supportsThinking: true,
        supportsImageInput: true,
        pricing: { input: 10, output: 50, cacheRead: 1, cacheCreation: 12.5 },
      },
      {
        id: 'mine/local',
        contextWindow: null,
        maxOutputTokens: null,
        supportsThinking: false,
        supportsImageInput: false,
      },
    ]);
  });

  it('rejects a failed list', () => {
    expect(() => adapter.modelQuery!.parse(said('Error: no', 1))).toThrow('could not be listed');
  });
});

describe('packages of pi', () => {
  const LISTED = `User packages:
  npm:@foo/bar@1.0.0
  git:github.com/x/y@v1
  npm:baz (filtered)
    /home/me/.pi/agent/npm/node_modules/baz

Project packages:
  ../pkg
    /workspace/pkg
`;

  it('lists npm packages by name and local ones by location', () => {
    expect(adapter.plugins!.list.parse(said(LISTED))).toEqual([
      { id: '@foo/bar', version: '1.0.0', enabled: true, format: 'npm-package', source: 'npm:@foo/bar@1.0.0' },
      { id: 'git:github.com/x/y@v1', enabled: true, format: 'extension-ts', source: 'git:github.com/x/y@v1' },
      { id: 'baz', enabled: true, format: 'npm-package', source: 'npm:baz' },
      { id: '/workspace/pkg', enabled: true, format: 'extension-ts', source: '../pkg' },
    ]);
    expect(adapter.plugins!.list.parse(said('No packages installed.\n'))).toEqual([]);
    expect(() => adapter.plugins!.list.parse(said('Error: broken settings', 1))).toThrow('could not be listed');
  });

  it('installs and removes by source', () => {
    const { install, uninstall } = adapter.plugins!;
    expect(install('@foo/bar', { version: '1.0.0' }).args).toEqual(['install', 'npm:@foo/bar@1.0.0']);
    expect(install('/workspace/pkg', { global: false }).args).toEqual(['install', '/workspace/pkg', '--local']);
    expect(uninstall('baz', {}).args).toEqual(['remove', 'npm:baz']);
    expect(uninstall('git:github.com/x/y', { global: false }).args).toEqual([
      'remove',
      'git:github.com/x/y',
      '--local',
    ]);
    expect(() => install('x', { registry: 'other' })).toThrow(CapabilityError);
  });
});

describe('login of pi', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'pi-login-'));
    mkdirSync(join(home, '.pi/agent'), { recursive: true });
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  it('is an account or a key in its file, which exists without any too', async () => {
    const logins = (content: Record<string, unknown>) => {
      writeFileSync(join(home, '.pi/agent/auth.json'), JSON.stringify(content));
      return adapter.detectAuth({ HOME: home });
    };
    expect(await logins({})).toMatchObject({ status: 'unauthenticated' });
    const account = { type: 'oauth', access: 'a', refresh: 'r', expires: 1 };
    expect(await logins({ anthropic: account })).toMatchObject({ status: 'authenticated', method: 'oauth' });
    const key = { type: 'api_key', key: 'x' };
    expect(await logins({ openai: key })).toMatchObject({ status: 'authenticated', method: 'api_key' });
  });
});
