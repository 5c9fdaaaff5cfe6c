import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useBench } from '../../../test/engine.ts';
import { ValidationError } from '../../contract/errors.ts';
import type { RunOptions } from '../../contract/options.ts';
import { RunProfileSchema } from './option-schemas.ts';
import { resolveOptions } from './options.ts';

const bench = useBench();

function invalidFields(options: object): string[] {
  try {
    resolveOptions({ agent: 'fake', prompt: 'go', ...options } as RunOptions, {
      profiles: {},
      defaults: {},
      defaultMode: () => 'oneshot',
    });
  } catch (error) {
    if (error instanceof ValidationError) return error.issues.map(({ field }) => field);
    throw error;
  }
  return [];
}

const WORDS: Record<string, (value: string) => object> = {
  agent: (agent) => ({ agent }),
  model: (model) => ({ model }),
  mode: (mode) => ({ mode }),
  sessionId: (sessionId) => ({ sessionId }),
  forkSessionId: (forkSessionId) => ({ forkSessionId }),
  nativePermissionMode: (nativePermissionMode) => ({ nativePermissionMode }),
  'allowedTools[1]': (tool) => ({ allowedTools: ['Read', tool] }),
  'deniedTools[1]': (tool) => ({ deniedTools: ['WebFetch', tool] }),
  'tags[0]': (tag) => ({ tags: [tag] }),
  runId: (runId) => ({ runId }),
  'invocation.host': (host) => ({ invocation: { mode: 'ssh', host } }),
  'invocation.user': (user) => ({ invocation: { mode: 'ssh', host: 'h', user } }),
  'invocation.image': (image) => ({ invocation: { mode: 'docker', image } }),
  'invocation.pod': (pod) => ({ invocation: { mode: 'k8s', pod } }),
  'invocation.namespace': (namespace) => ({ invocation: { mode: 'k8s', pod: 'p', namespace } }),
  'invocation.container': (container) => ({ invocation: { mode: 'k8s', pod: 'p', container } }),
};

describe('names in run options', () => {
  describe.each(Object.entries(WORDS))('%s', (field, optionsWith) => {
    it.each([
      '--dangerously-skip-permissions',
      '-x',
      '--settings=x.json',
      'a\nb',
      'a\0b',
      'a\u001b[31m',
      'x'.repeat(5000),
    ])('rejects %j', (value) => {
      expect(invalidFields(optionsWith(value))).toContain(field);
    });
  });

  it.each([
    'claude-opus-5[1m]',
    'openrouter/anthropic/claude:free',
    'models/gemini-3@latest',
    'on-request/workspace-write',
    'Große Stufe',
  ])('accepts %j', (model) => {
    expect(invalidFields({ model })).toEqual([]);
  });
});

describe('tool names', () => {
  it.each(['Read,Bash', 'Read Bash', 'Bash(a), Edit', 'Bash(a(b), Edit)', 'Bash(a, Edit'])('rejects %j', (tool) => {
    expect(invalidFields({ deniedTools: [tool] })).toEqual(['deniedTools[0]']);
  });

  it.each(['Bash', 'mcp__files__*', 'Bash(git commit -m x, y)', 'shell(git:*)', 'Edit(src/**)', 'server/tool'])(
    'accepts %j',
    (tool) => {
      expect(invalidFields({ allowedTools: [tool], deniedTools: [tool] })).toEqual([]);
    },
  );
});

describe('session ids', () => {
  it.each([
    '--yolo',
    '../../x',
    '/etc/passwd',
    '~/x',
    './x',
    'a/b',
    'a\\b',
    'a b',
    '@last',
    'last',
    'LATEST',
    'current',
  ])('rejects flags, paths and aliases: %j', (id) => {
    expect(invalidFields({ sessionId: id })).toEqual(['sessionId']);
    expect(invalidFields({ forkSessionId: id })).toEqual(['forkSessionId']);
  });

  it.each(['7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90', 'agent:main:amux:1', 'ses_1', '20261115_1', 'T-1', 'a.b+c=d'])(
    'accepts %j',
    (id) => {
      expect(invalidFields({ sessionId: id })).toEqual([]);
    },
  );
});

describe('paths in run options', () => {
  it('may start with a dash and are made absolute', () => {
    const cwd = bench.folder();
    mkdirSync(join(cwd, '--yolo'));
    const { addDirs } = resolveOptions(
      { agent: 'fake', prompt: 'go', cwd, addDirs: ['--yolo'] },
      { profiles: {}, defaults: {}, defaultMode: () => 'oneshot' },
    );
    expect(addDirs).toEqual([join(cwd, '--yolo')]);
  });

  it.each(['a\nb', 'a\0b', 'a\u001bb'])('rejects control characters: %j', (path) => {
    expect(invalidFields({ cwd: path })).toEqual(['cwd']);
    expect(invalidFields({ tracePath: path })).toEqual(['tracePath']);
    expect(invalidFields({ addDirs: [path] })).toEqual(['addDirs[0]']);
    expect(invalidFields({ skills: [path] })).toEqual(['skills[0]']);
    expect(invalidFields({ attachments: [{ path }] })).toEqual(['attachments[0].path']);
  });
});

describe('remote targets', () => {
  it.each(['-oProxyCommand=x', 'h;id', 'h$(id)', 'h`id`', "h'", 'a b', 'h|x'])('rejects the host %j', (host) => {
    expect(invalidFields({ invocation: { mode: 'ssh', host } })).toEqual(['invocation.host']);
  });

  it.each(['host.example', '10.0.0.1', '[fe80::1%eth0]', 'my_alias'])('accepts the host %j', (host) => {
    expect(invalidFields({ invocation: { mode: 'ssh', host, user: 'me.too' } })).toEqual([]);
  });

  it('accepts an image with registry, tag and digest', () => {
    const image = 'registry.example:5000/team/image:1.2@sha256:0123abc';
    expect(invalidFields({ invocation: { mode: 'docker', image } })).toEqual([]);
  });
});

describe('MCP servers', () => {
  it.each(['--yolo', '-x', 'a.b', 'a"b', '__proto__', 'x'.repeat(200)])('rejects the name %j', (name) => {
    const mcpServers = JSON.parse(`{${JSON.stringify(name)}:{"command":"x"}}`) as object;
    expect(invalidFields({ mcpServers }).length).toBeGreaterThan(0);
  });

  it.each([
    { command: '--yolo' },
    { command: 'a\nb' },
    { command: 'x', args: ['a\0b'] },
    { type: 'http', url: 'file:///etc/passwd' },
    { type: 'http', url: 'http://h', headers: { a: 'b\r\nc: d' } },
    { type: 'sse', url: 'http://h', headers: { 'a: b': 'c' } },
  ])('rejects %j', (server) => {
    expect(invalidFields({ mcpServers: { s: server } })[0]).toMatch(/^mcpServers\.s/);
  });
});

describe('texts', () => {
  it('may start with a dash but contain no NUL', () => {
    expect(invalidFields({ prompt: '--help', systemPrompt: '- be brief\n- be kind' })).toEqual([]);
    expect(invalidFields({ prompt: 'a\0b', systemPrompt: 'a\0b' })).toEqual(['systemPrompt', 'prompt']);
  });
});

describe('run profiles', () => {
  it('are checked by the same rules', () => {
    const deniedTools = ['WebFetch', '--dangerously-skip-permissions', '--settings', '.agent-mux/s.json'];
    expect(RunProfileSchema.safeParse({ deniedTools }).success).toBe(false);
    expect(RunProfileSchema.safeParse({ model: '--yolo' }).success).toBe(false);
  });
});
