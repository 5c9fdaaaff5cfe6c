import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useBench } from '../../../test/engine.ts';
import { ValidationError } from '../../contract/errors.ts';
import type { RunOptions } from '../../contract/options.ts';
import {
  DEFAULT_AFTER_TOOL_MS,
  DEFAULT_APPROVAL_TIMEOUT_MS,
  DEFAULT_INACTIVITY_MS,
  DEFAULT_RETRY_POLICY,
  type OptionSources,
  resolveOptions,
} from './options.ts';

const bench = useBench();
const NONE: OptionSources = { profiles: {}, defaults: {}, defaultMode: () => 'oneshot' };
const resolve = (options: object, sources: Partial<OptionSources> = {}) =>
  resolveOptions({ agent: 'fake', prompt: 'go', ...options } as RunOptions, { ...NONE, ...sources });

function issuesIn(options: object, sources: Partial<OptionSources> = {}): Record<string, string> {
  try {
    resolve(options, sources);
  } catch (error) {
    if (error instanceof ValidationError)
      return Object.fromEntries(error.issues.map(({ field, problem }) => [field, problem]));
    throw error;
  }
  return {};
}

describe('run options', () => {
  const wrong: Record<keyof RunOptions, readonly unknown[]> = {
    agent: ['', 7, undefined],
    prompt: ['', '  \n', 7, [], [''], undefined],
    systemPrompt: [7, null],
    systemPromptMode: ['above', 'append'],
    model: ['', 7],
    thinkingEffort: ['enormous'],
    thinkingBudgetTokens: [0, -1, 1.5, '10'],
    thinkingOverride: ['x', []],
    sessionId: ['', 7],
    forkSessionId: ['', 7],
    noSession: ['yes'],
    cwd: ['', '/nonexistent/folder', import.meta.filename],
    env: [{ A: 1 }, 'A=1', { '': 'x' }],
    inheritEnv: ['all'],
    timeout: [-1, 1.5, '5s', Number.NaN, 2 ** 40],
    inactivityTimeout: [-1, '5s'],
    afterToolTimeout: [-1, '5s'],
    maxTurns: [0, -1, 1.5],
    approvalMode: ['ask'],
    nativePermissionMode: [''],
    approvalTimeout: [-1, '5s'],
    onApprovalRequest: ['yes', {}],
    onInputRequired: [true],
    allowedTools: ['Bash', [''], [7]],
    deniedTools: ['Bash', ['']],
    mcpServers: [
      { s: {} },
      { s: { command: 'x', port: 1 } },
      { 'a b': { command: 'x' } },
      { s: { type: 'http', url: 'x' } },
    ],
    skills: ['x', ['/nonexistent/skill']],
    addDirs: [['/nonexistent/folder'], ['']],
    attachments: [[{ path: '/nonexistent.png' }], [{}], ['x.png'], [{ path: 'x', size: 1 }]],
    outputSchema: ['{}', { type: 'nonsense' }, { $ref: '#/nowhere' }, { type: 'array', items: 'x' }],
    retryPolicy: [{ maxRetries: -1 }, { retryOn: ['BAD_DAY'] }, { delay: 1 }, 3, { multiplier: 0 }],
    signal: [{}, 'x'],
    tracePath: ['', 7],
    runId: ['a b', '', 'x'.repeat(129), '../up'],
    tags: ['x', ['']],
    profile: ['missing', 'toString', ''],
    invocation: [{ mode: 'docker' }, { mode: 'moon' }, { mode: 'ssh', host: 'h', port: 0 }, { mode: 'local', x: 1 }],
    mode: ['', 7],
    interactive: ['yes'],
    hooks: ['yes'],
    includeRaw: [1],
    debug: ['*'],
  };
  const cases = Object.entries(wrong).flatMap(([field, values]) => values.map((value) => [field, value] as const));
  it.each(cases)('reject %s: %j', (field, value) => {
    const found = Object.keys(issuesIn({ [field]: value }));
    expect(found.map((name) => name.split(/[.[]/)[0])).toContain(field);
  });

  it('reject an unknown option by name', () => {
    expect(issuesIn({ promt: 'x', retryPolicy: { retries: 3 } })).toEqual({
      promt: 'unknown option',
      'retryPolicy.retries': 'unknown option',
    });
  });

  it('report all issues at once, of shape and of meaning', () => {
    const options = {
      prompt: '',
      timeout: '5s',
      cwd: '/nonexistent/folder',
      sessionId: 'a',
      forkSessionId: 'b',
      noSession: true,
      shade: 'red',
      profile: 'missing',
      outputSchema: { type: 'nonsense' },
    };
    expect(Object.keys(issuesIn(options)).sort()).toEqual(
      ['prompt', 'timeout', 'cwd', 'forkSessionId', 'noSession', 'shade', 'profile', 'outputSchema'].sort(),
    );
  });

  it('reject sessions that exclude each other', () => {
    expect(issuesIn({ sessionId: 'a', forkSessionId: 'b' })).toHaveProperty('forkSessionId');
    expect(issuesIn({ sessionId: 'a', noSession: true })).toHaveProperty('noSession');
    expect(issuesIn({ forkSessionId: 'a', noSession: true })).toHaveProperty('noSession');
  });

  it('reject a value that is not an object', () => {
    for (const input of [null, undefined, 'go'] as never[])
      expect(() => resolveOptions(input, NONE)).toThrow(ValidationError);
  });

  it('explain why a schema cannot be used', () => {
    expect(issuesIn({ outputSchema: { type: 'nonsense' } }).outputSchema).toMatch(/JSON Schema.*nonsense/);
    expect(issuesIn({ outputSchema: { type: 'object', properties: { n: { type: 'integer' } } } })).toEqual({});
  });
});

describe('resolved options', () => {
  it('have defaults', () => {
    const { runId, scratchDir, ...rest } = resolve({});
    expect(rest).toEqual({
      agent: 'fake',
      prompt: 'go',
      cwd: process.cwd(),
      mode: 'oneshot',
      approvalMode: 'prompt',
      approvalModeGiven: false,
      modeGiven: false,
      cwdGiven: false,
      systemPromptMode: 'append',
      attachments: [],
      inactivityTimeout: DEFAULT_INACTIVITY_MS,
      afterToolTimeout: DEFAULT_AFTER_TOOL_MS,
      approvalTimeout: DEFAULT_APPROVAL_TIMEOUT_MS,
      retryPolicy: DEFAULT_RETRY_POLICY,
      invocation: { mode: 'local' },
    });
    expect(scratchDir).not.toContain(runId);
    expect(resolve({}).scratchDir).not.toBe(scratchDir);
    expect(resolve({}).runId).not.toBe(runId);
  });

  it('have absolute paths, MIME types and one prompt', () => {
    const cwd = bench.folder();
    mkdirSync(join(cwd, 'lib'));
    writeFileSync(join(cwd, 'a.png'), '');
    const options = resolve({
      cwd,
      prompt: ['one', 'two'],
      addDirs: ['lib'],
      skills: ['lib'],
      attachments: [{ path: 'a.png' }, { path: join(cwd, 'a.png'), name: 'b', mimeType: 'x/y' }],
    });
    expect(options).toMatchObject({
      prompt: 'one\ntwo',
      addDirs: [join(cwd, 'lib')],
      skills: [join(cwd, 'lib')],
      attachments: [
        { path: join(cwd, 'a.png'), name: 'a.png', mimeType: 'image/png' },
        { path: join(cwd, 'a.png'), name: 'b', mimeType: 'x/y' },
      ],
    });
  });

  it('need no local folder for a remote agent', () => {
    const invocation = { mode: 'ssh', host: 'h' };
    expect(issuesIn({ invocation, cwd: '/srv/there', addDirs: ['/srv/other'] })).toEqual({});
  });

  it('need no prompt if there is an attachment', () => {
    expect(resolve({ prompt: '', attachments: [{ path: import.meta.filename }] }).prompt).toBe('');
  });
});

describe('option layers', () => {
  const sources = {
    defaults: {
      model: 'm-default',
      env: { A: 'default', B: 'default' },
      retryPolicy: { maxRetries: 1, multiplier: 3 },
    },
    profiles: { fast: { model: 'm-fast', env: { B: 'fast', C: 'fast' }, tags: ['fast'] }, other: {} },
  };

  it('override each other: call, profile, defaults; maps merge by key', () => {
    const options = resolve({ profile: 'fast', env: { C: 'call' }, retryPolicy: { maxRetries: 5 } }, sources);
    expect(options).toMatchObject({
      model: 'm-fast',
      env: { A: 'default', B: 'fast', C: 'call' },
      tags: ['fast'],
      retryPolicy: { ...DEFAULT_RETRY_POLICY, maxRetries: 5, multiplier: 3 },
    });
    expect(options).not.toHaveProperty('profile');
    expect(resolve({ profile: 'fast', model: 'm-call' }, sources).model).toBe('m-call');
    expect(resolve({}, sources).model).toBe('m-default');
  });

  it('may contain undefined, which hides no value', () => {
    expect(resolve({ model: undefined }, sources).model).toBe('m-default');
  });

  it('may name the agent in the profile', () => {
    const input = { prompt: 'go', profile: 'who' } as RunOptions;
    expect(resolveOptions(input, { ...NONE, profiles: { who: { agent: 'claude' } } }).agent).toBe('claude');
  });

  it('list the available profiles', () => {
    expect(issuesIn({ profile: 'slow' }, sources).profile).toBe('unknown profile "slow"; available: fast, other');
    expect(issuesIn({ profile: 'fats' }, sources).profile).toBe('unknown profile "fats"; did you mean "fast"?');
    expect(issuesIn({ profile: 'slow' }).profile).toMatch(/no profiles are configured/);
  });
});
