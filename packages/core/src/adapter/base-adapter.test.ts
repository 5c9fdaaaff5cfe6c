import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentMode, AgentName, ParseContext, SpawnArgs } from '../contract/adapter.ts';
import { type AgentCapabilities, NO_CAPABILITIES } from '../contract/capabilities.ts';
import type { AgentEvent, EventBody } from '../contract/events.ts';
import type { ResolvedRunOptions, RetryPolicy, RunOptions } from '../contract/options.ts';
import { findAdapterIssues } from '../registry/validate-adapter.ts';
import type { AuthCheck } from './auth-checks.ts';
import { BaseAgentAdapter } from './base-adapter.ts';

class Acme extends BaseAgentAdapter {
  readonly agent = 'acme';
  readonly displayName = 'Acme';
  readonly cliCommand: string = 'acme';
  override readonly capabilities: AgentCapabilities = { ...NO_CAPABILITIES, approvalModes: ['yolo'] };
  override readonly configSchema = {
    agent: 'acme',
    fields: [
      { name: 'model', type: 'string' as const, description: 'the model', nativePath: 'llm.model' },
      { name: 'verbose', type: 'boolean' as const, description: 'say more' },
    ],
    configFilePaths: ['{ACME_HOME:-~/.acme}/settings.json'],
    projectConfigFilePaths: ['.acme/settings.json'],
  };
  protected override readonly authGuidance = { steps: ['Set ACME_KEY.'], methods: [] };
  protected override readonly authChecks: readonly AuthCheck[] = [
    { env: 'ACME_KEY', method: 'api_key' },
    { file: '~/.acme/auth.json', key: 'tokens.access', method: 'oauth' },
  ];

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    const env = this.buildEnvFromOptions(options);
    return { command: this.cliCommand, args: [], env, cwd: options.cwd, usePty: false, stdin: options.prompt };
  }

  parseEvent(line: string): EventBody | null {
    return typeof this.parseJsonLine(line) === 'string' ? { type: 'text_delta', delta: line } : null;
  }

  json = (line: string) => this.parseJsonLine(line);
  version = (env: NodeJS.ProcessEnv) => this.detectVersionFromCli(env);
  session = (options: { sessionId?: string; forkSessionId?: string; noSession?: boolean }) =>
    this.resolveSessionId(options);
}

class Bare extends BaseAgentAdapter {
  readonly agent = 'bare';
  readonly displayName = 'Bare';
  readonly cliCommand = 'bare';
  override readonly modes: readonly AgentMode[] = [
    { name: 'oneshot', driver: 'oneshot', summary: 'one', capabilities: { ...NO_CAPABILITIES, canResume: true } },
  ];
  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return { command: 'bare', args: [], env: {}, cwd: options.cwd, usePty: false };
  }
  parseEvent(): null {
    return null;
  }
}

abstract class Getters extends BaseAgentAdapter {
  override get capabilities(): AgentCapabilities {
    return { ...NO_CAPABILITIES, canFork: true };
  }
  override get minVersion(): string {
    return '1.0.0';
  }
}

class Computed extends Getters {
  readonly agent = 'computed';
  readonly displayName = 'Computed';
  readonly cliCommand = 'computed';
  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return { command: 'computed', args: [], env: {}, cwd: options.cwd, usePty: false };
  }
  parseEvent(): null {
    return null;
  }
}

let home: string;
let project: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'base-adapter-'));
  project = join(home, 'project');
  await mkdir(join(home, '.acme'));
  await mkdir(join(project, '.acme'), { recursive: true });
});
afterAll(() => rm(home, { recursive: true, force: true }));
const env = () => ({ HOME: home });

describe('BaseAgentAdapter', () => {
  it('creates a complete adapter from an identity, capabilities and two codecs', () => {
    expect(findAdapterIssues(new Acme())).toEqual([]);
    expect(findAdapterIssues(new Bare())).toEqual([]);
  });

  it('has the capabilities of its first mode', () => {
    expect(new Bare().capabilities.canResume).toBe(true);
    expect(new Bare().models).toEqual([]);
    expect(new Computed().capabilities.canFork).toBe(true);
    expect(findAdapterIssues(new Computed())).toEqual([]);
  });

  it('parses a line of JSON and returns null for any other', () => {
    const { json } = new Acme();
    expect(json('{"a":1}')).toEqual({ a: 1 });
    expect(json('  [1]')).toEqual([1]);
    expect(json('{"a":')).toBeNull();
    expect(json('Loaded credentials.')).toBeNull();
    expect(json('')).toBeNull();
  });

  it('resolves the session to resume or fork', () => {
    const { session } = new Acme();
    expect(session({ sessionId: 's', forkSessionId: 'f' })).toBe('s');
    expect(session({ forkSessionId: 'f' })).toBe('f');
    expect(session({ noSession: true })).toBeUndefined();
    expect(session({})).toBeUndefined();
  });

  it('reads the version of the real command', async () => {
    const bin = join(home, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'acme'), '#!/bin/sh\necho "acme 3.2.1"\n');
    await chmod(join(bin, 'acme'), 0o755);
    expect(await new Acme().version({ PATH: bin })).toBe('3.2.1');
    expect(await new Acme().version({ PATH: home })).toBeNull();
  });

  it('returns its guidance under its own name', () => {
    expect(new Acme().getAuthGuidance()).toEqual({ agent: 'acme', steps: ['Set ACME_KEY.'], methods: [] });
    expect(new Bare().getAuthGuidance()).toEqual({ agent: 'bare', steps: [], methods: [] });
  });
});

describe('sessions without a session store', () => {
  it('are not listed, and reading one is rejected with a message', async () => {
    expect(await new Bare().listSessionFiles()).toEqual([]);
    expect(() => new Bare().sessionDir()).toThrow(/session folder of Bare is unknown/);
    await expect(new Bare().parseSessionFile('/x')).rejects.toMatchObject({ code: 'PARSE_ERROR', agent: 'bare' });
  });
});

describe('detectAuth', () => {
  it('is authenticated if a variable is set and does not repeat its value', async () => {
    const state = await new Acme().detectAuth({ HOME: home, ACME_KEY: 'very-secret' });
    expect(state).toEqual({ status: 'authenticated', method: 'api_key', details: 'ACME_KEY is set' });
    expect(JSON.stringify(state)).not.toContain('very-secret');
  });

  it('needs the key of a file that also exists without a login', async () => {
    const file = join(home, '.acme', 'auth.json');
    expect(await new Acme().detectAuth(env())).toEqual({ status: 'unauthenticated' });
    await writeFile(file, '{"tokens":{"access":""}}');
    expect(await new Acme().detectAuth(env())).toEqual({ status: 'unauthenticated' });
    await writeFile(file, '{"tokens":{"access":"abc"}}');
    expect(await new Acme().detectAuth(env())).toMatchObject({ status: 'authenticated', method: 'oauth' });
    await rm(file);
  });

  it('is unknown if it cannot be checked', async () => {
    expect(await new Bare().detectAuth(env())).toMatchObject({ status: 'unknown' });
    await mkdir(join(home, '.acme', 'auth.json'));
    expect(await new Acme().detectAuth(env())).toMatchObject({ status: 'unknown' });
    await rm(join(home, '.acme', 'auth.json'), { recursive: true });
  });
});

describe('native configuration', () => {
  const userFile = () => join(home, '.acme', 'settings.json');
  const projectFile = () => join(project, '.acme', 'settings.json');

  it('is empty without a file', async () => {
    expect(await new Acme().readConfig(project, env())).toEqual({});
  });

  it('merges project values over user values', async () => {
    await writeFile(userFile(), '{ "llm": { "model": "big" }, "verbose": true }');
    await writeFile(projectFile(), '{ /* ours */ "llm": { "model": "small" } }');
    expect(await new Acme().readConfig(project, env())).toEqual({
      agent: 'acme',
      model: 'small',
      sources: [userFile(), projectFile()],
      values: { model: 'small', verbose: true },
    });
  });

  it('is found at the path of an environment variable', async () => {
    const custom = join(home, 'custom');
    await mkdir(custom);
    await writeFile(join(custom, 'settings.json'), '{"verbose":false}');
    const config = await new Acme().readConfig(custom, { HOME: home, ACME_HOME: custom });
    expect(config.values).toEqual({ verbose: false });
  });

  it('keeps comments, other keys and the file mode when writing a value', async () => {
    await writeFile(userFile(), '{\n  // mine\n  "llm": { "model": "big", "beta": 1 },\n  "other": [1, 2]\n}\n');
    await chmod(userFile(), 0o640);
    await new Acme().writeConfig({ model: 'new', values: { verbose: true } }, undefined, env());
    const text = await readFile(userFile(), 'utf8');
    expect(text).toContain('// mine');
    expect(await new Acme().readConfig(join(home, 'nowhere'), env())).toMatchObject({
      model: 'new',
      values: { verbose: true },
    });
    expect(JSON.parse(text.replace('// mine', ''))).toMatchObject({ llm: { beta: 1 }, other: [1, 2] });
    expect((await stat(userFile())).mode & 0o777).toBe(0o640);
    expect((await readdir(join(home, '.acme'))).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('is written into the project if a folder is passed, and created if missing', async () => {
    const fresh = join(home, 'fresh');
    await new Acme().writeConfig({ model: 'm' }, fresh, env());
    expect(JSON.parse(await readFile(join(fresh, '.acme', 'settings.json'), 'utf8'))).toEqual({ llm: { model: 'm' } });
  });

  it('is written through a link, which is kept', async () => {
    const target = join(home, 'dotfiles.json');
    const linked = join(home, 'linked');
    await mkdir(linked);
    await writeFile(target, '{}');
    await symlink(target, join(linked, 'settings.json'));
    await new Acme().writeConfig({ model: 'm' }, undefined, { HOME: home, ACME_HOME: linked });
    expect(JSON.parse(await readFile(target, 'utf8'))).toEqual({ llm: { model: 'm' } });
  });

  it('rejects all unknown fields and wrong types at once', async () => {
    const write = new Acme().writeConfig({ values: { verbose: 'yes', color: 'red' } }, undefined, env());
    await expect(write).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      issues: [{ field: 'verbose' }, { field: 'color' }],
    });
  });

  it('is neither read nor overwritten if broken', async () => {
    await writeFile(projectFile(), '{ "llm": ');
    await expect(new Acme().readConfig(project, env())).rejects.toMatchObject({ code: 'CONFIG_ERROR' });
    await expect(new Acme().writeConfig({ model: 'm' }, project, env())).rejects.toMatchObject({
      code: 'CONFIG_ERROR',
    });
    expect(await readFile(projectFile(), 'utf8')).toBe('{ "llm": ');
  });
});

describe('hooks', () => {
  const policy: RetryPolicy = {
    maxRetries: 2,
    initialDelayMs: 1,
    maxDelayMs: 1,
    multiplier: 1,
    retryOn: ['RATE_LIMITED', 'AGENT_CRASH'],
  };
  const limited: EventBody = { type: 'rate_limit_error', message: 'slow down', retrying: false };

  it('turn a failed spawn, a timeout and an exit into events', () => {
    const adapter = new Acme();
    expect(adapter.onSpawnError(new Error('ENOENT'))).toMatchObject({ type: 'crash', exitCode: -1 });
    expect(adapter.onTimeout()).toMatchObject({ type: 'error', code: 'TIMEOUT', recoverable: false });
    expect(adapter.onProcessExit(0, null)).toEqual([]);
    expect(adapter.onProcessExit(3, null)).toMatchObject([{ type: 'crash', exitCode: 3, signal: null }]);
    expect(adapter.onProcessExit(null, 'SIGKILL')).toMatchObject([
      { type: 'crash', exitCode: null, signal: 'SIGKILL' },
    ]);
  });

  it('retry transient failures named by the policy, up to its limit', () => {
    const adapter = new Acme();
    expect(adapter.shouldRetry(limited, 0, policy)).toBe(true);
    expect(adapter.shouldRetry(limited, 1, policy)).toBe(true);
    expect(adapter.shouldRetry(limited, 2, policy)).toBe(false);
    expect(adapter.shouldRetry(limited, 0, { ...policy, retryOn: ['AGENT_CRASH'] })).toBe(false);
    const auth: EventBody = { type: 'auth_error', message: 'no' };
    expect(adapter.shouldRetry(auth, 0, { ...policy, retryOn: ['AUTH_ERROR'] })).toBe(false);
    const final: EventBody = { type: 'error', code: 'RATE_LIMITED', message: 'no', recoverable: false };
    expect(adapter.shouldRetry(final, 0, policy)).toBe(false);
    expect(adapter.shouldRetry({ type: 'text_delta', delta: 'x' }, 0, policy)).toBe(false);
  });
});

/** Uses the caller's options instead of the resolved ones: the type checker accepts it without a cast. */
class Plain extends BaseAgentAdapter {
  readonly agent = 'plain' as AgentName;
  readonly displayName = 'Plain';
  readonly cliCommand = 'plain';
  override readonly minVersion = '0.1.0';
  override readonly capabilities: AgentCapabilities = { ...NO_CAPABILITIES, approvalModes: ['yolo'] };

  buildSpawnArgs(options: RunOptions): SpawnArgs {
    return {
      command: this.cliCommand,
      args: ['--prompt', Array.isArray(options.prompt) ? options.prompt.join('\n') : options.prompt],
      env: this.buildEnvFromOptions(options),
      cwd: options.cwd ?? process.cwd(),
      usePty: false,
    };
  }

  parseEvent(line: string, _context: ParseContext): AgentEvent | null {
    const json = this.parseJsonLine(line);
    if (!json || typeof json !== 'object') return null;
    return null;
  }
}

describe('adapter written for RunOptions', () => {
  it('satisfies the contract and launches lists of prompts too', () => {
    const adapter = new Plain();
    expect(findAdapterIssues(adapter)).toEqual([]);
    expect(adapter.buildSpawnArgs({ agent: 'plain', prompt: 'one' }).args).toEqual(['--prompt', 'one']);
    expect(adapter.buildSpawnArgs({ agent: 'plain', prompt: ['one', 'two'] }).args).toEqual(['--prompt', 'one\ntwo']);
  });
});
