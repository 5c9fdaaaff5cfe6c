import { readFileSync } from 'node:fs';
import { type EventBody, modesOf } from '@agent-mux/core';
import { assertDeterministic, createResolvedOptions, only, replayOneshot } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { kiloAdapter } from '../kilo/index.ts';
import { openCodeAdapter } from './index.ts';

const adapter = openCodeAdapter;

function run(name: string, options: Parameters<typeof replayOneshot>[2] = {}): EventBody[] {
  const output = readFileSync(new URL(`./recordings/run-${name}.jsonl`, import.meta.url));
  return assertDeterministic((stored) => replayOneshot(adapter, output, { ...options, ...stored }));
}

const types = (events: readonly EventBody[]) => events.map(({ type }) => type);

describe('output of `opencode run`', () => {
  it('ignores the session of a subagent', () => {
    const line = (sessionID: string, text: string) => JSON.stringify({ type: 'text', sessionID, part: { text } });
    const output = Buffer.from([line('ses_1', 'own'), line('ses_2', 'sub'), line('ses_1', 'own again')].join('\n'));
    const said = only(replayOneshot(adapter, output), 'text_delta').map(({ delta }) => delta);
    expect(said).toEqual(['own', 'own again']);
  });

  it('becomes a session, whole messages and their price', () => {
    const events = run('hello');
    expect(types(events)).toEqual(['session_start', 'message_start', 'text_delta', 'cost', 'message_stop']);
    expect(events[0]).toMatchObject({ sessionId: expect.stringMatching(/^ses_/) });
    expect(only(events, 'cost')[0]).toMatchObject({ costUsd: 0.00141, scope: 'delta' });
  });

  it('reports a failed command by its exit code, and a failed tool as an error', () => {
    expect(only(run('tool-exit-code'), 'tool_result')).toMatchObject([{ toolName: 'bash', exitCode: 3 }]);
    expect(only(run('tool-error'), 'tool_error')).toMatchObject(
      [{ toolName: 'read', error: /not found/ }].map((one) => ({ ...one, error: expect.stringMatching(one.error) })),
    );
  });

  it('reports denials as such', () => {
    expect(only(run('approval-denied'), 'tool_error')).toMatchObject([{ toolName: 'bash', denied: true }]);
    expect(only(run('deny-rule'), 'tool_error')).toMatchObject([{ toolName: 'bash', denied: true }]);
  });

  it('keeps thinking apart from text', () => {
    expect(types(run('thinking'))).toEqual([
      'session_start',
      'message_start',
      'thinking_start',
      'thinking_delta',
      'thinking_stop',
      'text_delta',
      'cost',
      'message_stop',
    ]);
  });

  it.each([
    ['auth-error', { type: 'auth_error', message: 'scripted 401' }],
    ['rate-limit', { type: 'rate_limit_error', retryAfterMs: 30_000, retrying: false }],
    ['context-exceeded', { type: 'context_exceeded', usedTokens: 250_000, maxTokens: 200_000 }],
    ['drop', { type: 'error', code: 'NETWORK_ERROR' }],
    ['bad-model', { type: 'error', code: 'AGENT_ERROR' }],
  ])('reports %s once', (name, expected) => {
    const failures = only(run(name), 'auth_error', 'rate_limit_error', 'context_exceeded', 'error');
    expect(failures).toMatchObject([expected]);
  });

  it('reads a missing session from stderr', () => {
    const stderr = '\u001b[91m\u001b[1mError: \u001b[0mSession not found\n';
    expect(replayOneshot(adapter, '', { stderr, exit: { code: 1, signal: null } })).toMatchObject([
      { type: 'error', code: 'SESSION_NOT_FOUND' },
    ]);
  });
});

describe('stderr log of `opencode run`', () => {
  const log = (text: string, small = false) =>
    `timestamp=2026-11-16T00:26:48.485Z level=ERROR run=7523f0ec message="stream error" providerID=lab modelID=m session.id=ses_1 small=${small} agent=build mode=primary error.error="AI_APICallError: ${text}"`;
  const stderr = (...lines: string[]) =>
    replayOneshot(adapter, '', { stderr: lines, exit: { code: null, signal: 'SIGTERM' } });

  it('reports a rate limit at its first appearance', () => {
    expect(stderr(log('Rate limit reached for requests. Please try again in 30s.'))).toMatchObject([
      { type: 'session_start', sessionId: 'ses_1' },
      { type: 'rate_limit_error', retrying: true, retryAfterMs: 30_000 },
    ]);
  });

  it('reports a rate limit for the text of every provider, since the log has no status', () => {
    for (const text of ['Too many tokens, please wait before trying again.', 'slow down', 'Request was throttled.'])
      expect(stderr(log(text))[1], text).toMatchObject({ type: 'rate_limit_error', message: text, retrying: true });
  });

  it('reports a rate limit that is printed only on stderr', () => {
    const refusal = '\u001b[91m\u001b[1mError: \u001b[0mToo Many Requests. Please try again in 30s.\n';
    const exit = { code: 1, signal: null };
    for (const each of [adapter, kiloAdapter])
      expect(replayOneshot(each, '', { stderr: refusal, exit }), each.agent).toMatchObject([
        { type: 'rate_limit_error', message: 'Too Many Requests. Please try again in 30s.', retryAfterMs: 30_000 },
      ]);
    const printed =
      '{"type":"error","sessionID":"ses_1","error":{"name":"APIError","data":{"message":"no","statusCode":429}}}';
    const events = replayOneshot(kiloAdapter, printed, { stderr: refusal, exit });
    expect(events.filter(({ type }) => type === 'rate_limit_error')).toMatchObject([{ message: 'no' }]);
    expect(replayOneshot(adapter, '', { stderr: 'Error: no such file\n', exit })).toEqual([]);
  });

  it('reports a retry from the second failure on, but not of title requests', () => {
    const failure = log('The server had an error');
    expect(stderr(failure, log('The server had an error', true))).toMatchObject([{ type: 'session_start' }]);
    expect(stderr(failure, failure, failure).slice(1)).toMatchObject([
      { type: 'retry', attempt: 1, by: 'agent' },
      { type: 'retry', attempt: 2, reason: 'The server had an error' },
    ]);
  });
});

describe('launch of opencode', () => {
  const plan = (options: Parameters<typeof createResolvedOptions>[0], env: Record<string, string> = {}) =>
    adapter.buildSpawnArgs(createResolvedOptions({ agent: 'opencode', cwd: '/project', ...options }), env);
  const shareKey = (options: Parameters<typeof createResolvedOptions>[0]) => {
    const [{ live } = { live: undefined }] = modesOf(adapter);
    if (live?.transport !== 'http') throw new Error('the first mode is the server');
    return live.server.shareKey?.(createResolvedOptions({ mode: 'serve', ...options }));
  };

  it('starts a server outside any project folder that asks by default', () => {
    const { args, cwd, env, files, stdin } = plan({ mode: 'serve', prompt: 'secret prompt' });
    expect(args).toEqual(['serve', '--hostname', '127.0.0.1', '--port', '0']);
    expect(cwd).not.toBe('/project');
    expect(env.OPENCODE_PERMISSION).toBe('{"*":"ask"}');
    expect([files, stdin]).toEqual([undefined, undefined]);
  });

  it('passes the prompt on stdin, so that nothing in it is an option', () => {
    const { args, stdin } = plan({
      mode: 'run',
      prompt: '--help me',
      model: 'lab/m',
      thinkingEffort: 'high',
      forkSessionId: 'ses_1',
      approvalMode: 'yolo',
    });
    expect(stdin).toBe('--help me');
    expect(args.join(' ')).toBe(
      'run --format json --thinking --print-logs --log-level ERROR --model=lab/m --variant=high --session=ses_1 --fork --auto',
    );
  });

  it('escapes references to variables and files in texts', () => {
    const systemPrompt = 'say {env:HOME} and {file:/etc/hostname}';
    const mcpServers = { one: { command: 'x', args: ['{env:TOKEN}'] } };
    const { files } = plan({
      mode: 'run',
      approvalMode: 'yolo',
      systemPrompt,
      systemPromptMode: 'replace',
      mcpServers,
    });
    const text = files?.['config.json'] ?? '';
    expect(text).not.toMatch(/\{(?:env|file):/);
    expect(JSON.parse(text)).toMatchObject({
      agent: { build: { prompt: systemPrompt } },
      mcp: { one: { command: ['x', '{env:TOKEN}'] } },
    });
    expect(() => plan({ mode: 'run', approvalMode: 'deny', deniedTools: ['{file:x}'] })).toThrow('deniedTools: ');
  });

  it('denies by rules what would need an approval', () => {
    const { args, env } = plan({ mode: 'run', approvalMode: 'plan' });
    expect(args.join(' ')).toContain('--agent=plan');
    const { agent } = JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? '');
    expect(agent.plan.permission).toMatchObject({ '*': 'deny', read: 'allow' });
    expect(Object.keys(agent.plan.permission)[0]).toBe('*');
    expect(plan({ mode: 'run', approvalMode: 'yolo' }).env).toEqual({});
  });

  it('merges the user’s own variables', () => {
    const own = {
      OPENCODE_PERMISSION: '{"*":"allow","bash":{"curl *":"deny"}}',
      OPENCODE_CONFIG_CONTENT: '{"share":"disabled","agent":{"build":{"temperature":0}}}',
    };
    expect(plan({ mode: 'serve' }, own).env.OPENCODE_PERMISSION).toBe('{"*":"ask","bash":{"curl *":"deny"}}');
    const { env } = plan({ mode: 'run', approvalMode: 'deny' }, own);
    expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? '')).toMatchObject({
      share: 'disabled',
      agent: { build: { temperature: 0, permission: { '*': 'deny' } } },
    });
  });

  it('adds the folders of skills to the user’s own variable', () => {
    const skills = ['/skills/a', '/skills/b/SKILL.md'];
    const inline = (...given: Parameters<typeof plan>) => JSON.parse(plan(...given).env.OPENCODE_CONFIG_CONTENT ?? '');
    expect(inline({ mode: 'serve', skills })).toEqual({ skills: { paths: ['/skills/a', '/skills/b'] } });
    const own = { OPENCODE_CONFIG_CONTENT: '{"share":"disabled","skills":{"paths":["/mine"]}}' };
    expect(inline({ mode: 'run', approvalMode: 'deny', skills }, own)).toMatchObject({
      share: 'disabled',
      agent: { build: { permission: { '*': 'deny' } } },
      skills: { paths: ['/mine', '/skills/a', '/skills/b'] },
    });
    expect(() => plan({ mode: 'serve', skills: ['/{env:HOME}'] })).toThrow('skills: ');
    expect(() => plan({ mode: 'serve', skills, env: { OPENCODE_CONFIG_CONTENT: '{}' } })).toThrow(/needed for skills/);
  });

  it('passes MCP servers in a file, never in a variable that the agent’s shell sees', () => {
    const mcpServers = { git: { command: 'git-mcp', args: ['-x'], env: { TOKEN: 'hush' } } };
    for (const mode of ['serve', 'run']) {
      const { env, files } = plan({ mode, mcpServers, approvalMode: 'yolo', scratchDir: '/scratch' });
      expect(env.OPENCODE_CONFIG).toBe('/scratch/config.json');
      expect(JSON.stringify(env)).not.toContain('hush');
      expect(JSON.parse(files?.['config.json'] ?? '')).toEqual({
        mcp: { git: { type: 'local', command: ['git-mcp', '-x'], enabled: true, environment: { TOKEN: 'hush' } } },
      });
    }
    expect(() => plan({ mode: 'serve', mcpServers, env: { OPENCODE_CONFIG: '/mine' } })).toThrow(/OPENCODE_CONFIG/);
  });

  it('shares a server between runs that it serves alike, and no others', () => {
    const first = shareKey({ runId: 'a', cwd: '/one', model: 'lab/m', approvalMode: 'prompt' });
    expect(shareKey({ runId: 'b', cwd: '/two', model: 'lab/n', approvalMode: 'yolo' })).toBe(first);
    expect(shareKey({ runId: 'b', env: { OPENAI_API_KEY: 'other' } })).not.toBe(first);
    expect(shareKey({ runId: 'b', noSession: true })).not.toBe(first);
    expect(shareKey({ runId: 'b', skills: ['/skills/a'] })).not.toBe(first);
    const own = { mcpServers: { x: { command: 'x' } } };
    expect(shareKey({ runId: 'a', ...own })).toBe(shareKey({ runId: 'b', ...own }));
    expect(shareKey({ runId: 'a', ...own })).not.toBe(first);
    expect(shareKey({ runId: 'a', mcpServers: { x: { command: 'y' } } })).not.toBe(shareKey({ runId: 'a', ...own }));
  });
});
