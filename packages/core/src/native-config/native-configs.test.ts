import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BaseAgentAdapter } from '../adapter/base-adapter.ts';
import { createClient } from '../client/client.ts';
import type { SpawnArgs } from '../contract/adapter.ts';
import type { AgentConfigSchema, ConfigFormat } from '../contract/auth-and-config.ts';
import { NO_CAPABILITIES } from '../contract/capabilities.ts';
import type { AgentConfigs } from '../contract/native-config.ts';
import { SECRET_MASK } from './mask.ts';

class Acme extends BaseAgentAdapter {
  readonly agent: string = 'acme';
  readonly displayName = 'Acme';
  readonly cliCommand = 'acme';
  override readonly capabilities = NO_CAPABILITIES;
  override readonly configSchema: AgentConfigSchema;

  constructor(format: ConfigFormat) {
    super();
    this.configSchema = {
      agent: 'acme',
      fields: [
        { name: 'model', type: 'string', description: 'the model', nativePath: 'llm.model' },
        { name: 'effort', type: 'string', description: 'how hard', values: ['low', 'high'] },
        { name: 'tools', type: 'array', description: 'what it may use' },
        { name: 'turns', type: 'number', description: 'how many' },
        { name: 'verbose', type: 'boolean', description: 'say more' },
        { name: 'apiKey', type: 'string', description: 'the key', nativePath: 'auth.value', secret: true },
        { name: 'env', type: 'object', description: 'variables', secret: true },
      ],
      configFilePaths: [`~/.acme/settings.${format}`],
      projectConfigFilePaths: [`.acme/settings.${format}`, `.acme/settings.local.${format}`],
      format,
    };
  }

  buildSpawnArgs(): SpawnArgs {
    return { command: 'acme', args: [], env: {}, cwd: '/', usePty: false };
  }

  parseEvent(): null {
    return null;
  }
}

class Bare extends Acme {
  override readonly agent = 'bare';
  override readonly configSchema: AgentConfigSchema = {
    agent: 'bare',
    fields: [],
    configFilePaths: [],
    projectConfigFilePaths: [],
  };
}

const SAMPLES: Readonly<Record<ConfigFormat, string>> = {
  json: '{\n  "llm": { "model": "big", "beta": 1 },\n  "other": [1, 2]\n}\n',
  jsonc: '{\n  // mine\n  "llm": { "model": "big", /* here */ "beta": 1 }, // there\n  "other": [1, 2]\n}\n',
  toml: '# mine\nother = [1, 2]\n\n[llm] # here\nmodel = "big" # there\nbeta = 1\n',
  yaml: '# mine\nllm: # here\n    model: big # there\n    beta: 1\nother: [1,   2]\n',
};
const FORMATS = Object.keys(SAMPLES) as ConfigFormat[];

let home: string;
let cwd: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'amux-config-'));
  cwd = join(home, 'project');
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function open(format: ConfigFormat): AgentConfigs {
  return createClient({ adapters: [new Acme(format), new Bare(format)], env: { HOME: home } }).config;
}

function put(path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

describe.each(FORMATS)('configuration in %s', (format) => {
  it('contains set values, keeps everything else and drops unset values', async () => {
    const config = open(format);
    const file = put(`.acme/settings.${format}`, SAMPLES[format]);
    const values = { model: 'new', effort: 'high', tools: ['Read', 'Bash(git *)'], turns: -1, verbose: true };
    const result = await config.set('acme', values, { cwd });
    expect(result).toMatchObject({ scope: 'global', files: [{ file, changed: true }], overruled: [] });
    expect((await config.get('acme', { cwd })).values).toEqual(values);
    const text = readFileSync(file, 'utf8');
    for (const comment of ['mine', 'here', 'there'])
      expect(text.includes(comment)).toBe(SAMPLES[format].includes(comment));
    expect((await config.get('acme', { cwd, native: true })).values).toMatchObject({ llm: { beta: 1 }, other: [1, 2] });
    await config.set('acme', { model: 'big' }, { cwd });
    await config.unset('acme', ['effort', 'tools', 'turns', 'verbose'], { cwd });
    expect(readFileSync(file, 'utf8')).toBe(SAMPLES[format]);
  });

  it('prefers the project over the user and changes a value where it is', async () => {
    const config = open(format);
    await config.set('acme', { model: 'user' }, { cwd });
    await config.set('acme', { model: 'project' }, { cwd, scope: 'project' });
    const local = put(
      `project/.acme/settings.local.${format}`,
      readFileSync(join(cwd, `.acme/settings.${format}`), 'utf8'),
    );
    const changed = await config.set('acme', { model: 'local' }, { cwd, scope: 'project' });
    expect(changed.files.map(({ file }) => file)).toEqual([local]);
    const reading = await config.get('acme', { cwd });
    expect([reading.values.model, reading.sources.model]).toEqual(['local', local]);
    expect((await config.get('acme', { cwd, scope: 'global' })).values).toEqual({ model: 'user' });
    expect((await config.set('acme', { model: 'x' }, { cwd })).overruled).toEqual([{ name: 'model', file: local }]);
    expect((await config.unset('acme', ['model'], { cwd, scope: 'project' })).files).toHaveLength(2);
    expect((await config.get('acme', { cwd })).values).toEqual({ model: 'x' });
  });

  it('reports invalid values with their line and accepts unknown keys', async () => {
    const config = open(format);
    const file = put(`.acme/settings.${format}`, '');
    const values = { 'llm.model': 'x', unknown: { any: 'thing' }, effort: 'medium', turns: 'many' };
    await config.set('acme', values, { cwd, native: true });
    const findings = await config.validate('acme', { cwd });
    expect(findings).toMatchObject([
      { file, field: 'effort', problem: 'must be one of low, high', column: expect.any(Number) },
      { file, field: 'turns', problem: 'must be of type number' },
    ]);
    const lines = readFileSync(file, 'utf8').split('\n');
    for (const { field = '', line = 0 } of findings) expect(lines[line - 1]).toContain(field);
  });

  it('is refused if it is broken, also for reading; validate reports the position', async () => {
    const config = open(format);
    const text = `${SAMPLES[format]}"oops: [\n`;
    const file = put(`.acme/settings.${format}`, text);
    await expect(config.get('acme', { cwd })).rejects.toMatchObject({ code: 'CONFIG_ERROR' });
    await expect(config.set('acme', { model: 'x' }, { cwd })).rejects.toMatchObject({ code: 'CONFIG_ERROR' });
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(await config.validate('acme', { cwd })).toMatchObject([
      { file, problem: expect.stringMatching(/^cannot be read/) },
    ]);
    expect((await config.validate('acme', { cwd }))[0]?.line).toBeGreaterThanOrEqual(
      SAMPLES[format].split('\n').length,
    );
  });
});

describe('configuration', () => {
  it('masks secrets by default and rejects a mask as a value', async () => {
    const config = open('json');
    const values = { apiKey: 'hush', env: { A: 'hush' }, tools: ['--token=hushhush'] };
    await config.set('acme', values, { cwd });
    await config.set('acme', { 'proxy.headers.X': 'hush', 'my.api_key': 'hush' }, { cwd, native: true });
    expect((await config.get('acme', { cwd })).values).toEqual({
      apiKey: SECRET_MASK,
      env: { A: SECRET_MASK },
      tools: [`--token=${SECRET_MASK}`],
    });
    expect(JSON.stringify(await config.get('acme', { cwd, native: true }))).not.toContain('hush');
    expect((await config.get('acme', { cwd, names: ['auth'], native: true })).values).toEqual({
      auth: { value: SECRET_MASK },
    });
    expect((await config.get('acme', { cwd, showSecrets: true })).values).toEqual(values);
    await expect(config.set('acme', { env: { A: SECRET_MASK } }, { cwd })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('reports all invalid names and values at once, with suggestions', async () => {
    const set = open('json').set('acme', { modle: 'x', turns: 'many', effort: 'no' }, { cwd });
    await expect(set).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('did you mean model?'),
      issues: [{ field: 'modle' }, { field: 'turns' }, { field: 'effort' }],
    });
  });

  it('accepts native paths with dots in keys, but none that changes prototypes', async () => {
    const config = open('toml');
    await config.set('acme', { 'projects."/a.b".trust': 'yes' }, { cwd, native: true });
    expect(readFileSync(join(home, '.acme/settings.toml'), 'utf8')).toBe('[projects."/a.b"]\ntrust = "yes"\n');
    for (const path of ['', 'a.', '.a', 'a..b', '"a', '__proto__.x']) {
      await expect(config.set('acme', { [path]: 1 }, { cwd, native: true }), path).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    }
  });

  it('is not written in a dry run', async () => {
    const config = open('json');
    expect(await config.set('acme', { model: 'x' }, { cwd, dryRun: true })).toMatchObject({
      files: [{ created: true }],
    });
    expect((await config.get('acme', { cwd })).files).toEqual([]);
  });

  it('of an agent with unknown files is refused with the supported agents', async () => {
    await expect(open('json').get('bare')).rejects.toMatchObject({
      code: 'CAPABILITY_ERROR',
      hint: expect.stringContaining('acme'),
    });
    await expect(open('json').get('acmee')).rejects.toMatchObject({ code: 'UNKNOWN_AGENT' });
  });

  it('lists its files and which one gets new values', async () => {
    put('project/.acme/settings.local.json', '{}');
    expect(await open('json').files('acme', { cwd })).toMatchObject([
      { scope: 'global', exists: false, written: true },
      { scope: 'project', exists: false, written: false },
      { scope: 'project', exists: true, written: true },
    ]);
  });
});

describe('adapter with its own readConfig and writeConfig', () => {
  const stored: Record<string, unknown> = { model: 'big', token: 'hidden' };
  class Own extends Bare {
    override readonly agent = 'bare';
    override readonly configSchema: AgentConfigSchema = {
      agent: 'bare',
      fields: [{ name: 'token', type: 'string', description: 'the key', secret: true }],
      configFilePaths: [],
      projectConfigFilePaths: [],
    };

    override async readConfig() {
      return { agent: 'bare', sources: ['registry'], values: { ...stored } };
    }

    override async writeConfig({ values = {} }: { values?: Record<string, unknown> }) {
      for (const [name, value] of Object.entries(values)) {
        if (value === undefined) delete stored[name];
        else stored[name] = value;
      }
    }
  }

  it('is read and changed through them', async () => {
    const { config } = createClient({ adapters: [new Own('json')], env: { HOME: home } });
    expect(await config.get('bare')).toMatchObject({
      files: ['registry'],
      values: { model: 'big', token: SECRET_MASK },
    });
    expect((await config.get('bare', { names: ['token'], showSecrets: true })).values).toEqual({ token: 'hidden' });
    await config.set('bare', { model: 'small' });
    await config.unset('bare', ['token']);
    expect((await config.get('bare')).values).toEqual({ model: 'small' });
    await expect(config.set('bare', { model: 'x' }, { dryRun: true })).rejects.toMatchObject({
      code: 'CAPABILITY_ERROR',
    });
  });
});
