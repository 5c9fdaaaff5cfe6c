import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { chmod, lstat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as hold } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSparse, ODD_FILES } from '../../test/odd-files.ts';
import { withFileLock } from '../files/file-lock.ts';
import { backupPath } from './backup.ts';
import { valueAtNative } from './changes.ts';
import { codecOf } from './codecs.ts';
import { editNativeFile, type NativeFile, readNativeFile } from './edit-file.ts';

const TIMEOUT = { timeout: 120_000 };

let home: string;
let file: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'amux-config-'));
  file = join(home, 'settings.json');
  env = { HOME: home };
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const target = (more: Partial<NativeFile> = {}): NativeFile => ({ agent: 'acme', path: file, format: 'json', ...more });
const set = (name: string, value: unknown, more: Partial<NativeFile> = {}) =>
  editNativeFile(target(more), () => [{ path: [name], value }], { env });
const lockFolder = () => join(home, '.local', 'state', 'agent-mux', 'locks');

describe('native file', () => {
  it('keeps its mode; a new one is private', async () => {
    expect(await set('a', 1)).toEqual({ file, changed: true, created: true });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await chmod(file, 0o644);
    await set('a', 2);
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  it("is backed up once, before the first change, outside of the agent's folder", async () => {
    writeFileSync(file, '{"a":0}');
    const first = await set('a', 1);
    expect(first.backup).toBe(backupPath(file, env));
    expect((await set('a', 2)).backup).toBeUndefined();
    expect(readFileSync(backupPath(file, env), 'utf8')).toBe('{"a":0}');
    expect(statSync(backupPath(file, env)).mode & 0o777).toBe(0o600);
    expect(readdirSync(home).sort()).toEqual(['.local', 'settings.json']);
  });

  it('is not touched if nothing changes', async () => {
    writeFileSync(file, '{ "a" : 1 }');
    expect(await set('a', 1)).toMatchObject({ changed: false });
    expect(existsSync(backupPath(file, env))).toBe(false);
  });

  it.each([
    ['json', '{\n  "a": 1,\n  "key": sk-secret1234\n}', 3],
    ['toml', 'a = 1\nkey = sk-secret1234\n', 2],
    ['yaml', 'a: 1\nkey: "sk-secret1234\n', 3],
  ] as const)('in invalid %s is refused with its position, unchanged and unquoted', async (format, text, line) => {
    writeFileSync(file, text);
    const refusal: unknown = await set('a', 2, { format }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'CONFIG_ERROR', data: { file, line, column: expect.any(Number) } });
    expect(refusal).toMatchObject({ message: expect.stringContaining(`${file}:${line}:`) });
    expect(String(refusal)).not.toContain('secret');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('is refused if it is not text, or a single value', async () => {
    writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]));
    await expect(set('a', 2)).rejects.toMatchObject({ message: expect.stringContaining('UTF-8') });
    writeFileSync(file, '[1, 2]');
    await expect(set('a', 2)).rejects.toMatchObject({ message: expect.stringContaining('must contain an object') });
    expect(readFileSync(file, 'utf8')).toBe('[1, 2]');
  });

  it('is written through links, which stay, even if the target is missing', async () => {
    const real = join(home, 'dotfiles', 'real.json');
    mkdirSync(join(home, 'dotfiles'));
    await symlink('dotfiles/real.json', file);
    expect(await set('a', 1)).toMatchObject({ file: real, created: true });
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    await set('a', 2);
    expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({ a: 2 });
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
  });

  it('of a project is not written if a link leads out of it', async () => {
    const project = join(home, 'project');
    const outside = join(home, 'outside');
    mkdirSync(project);
    mkdirSync(outside);
    writeFileSync(join(outside, 'victim.json'), '{}');
    await symlink(join(outside, 'victim.json'), join(project, 'file.json'));
    await symlink(join(outside, 'not-yet.json'), join(project, 'dangling.json'));
    await symlink(outside, join(project, 'folder'));
    for (const path of ['file.json', 'dangling.json', 'folder/victim.json', 'folder/new/x.json', '../outside/x.json']) {
      const write = set('a', 1, { path: join(project, path), within: project });
      await expect(write, path).rejects.toMatchObject({ message: expect.stringContaining('leads out of the project') });
    }
    expect(readdirSync(outside)).toEqual(['victim.json']);
    expect(readFileSync(join(outside, 'victim.json'), 'utf8')).toBe('{}');
    await symlink('inside.json', join(project, 'link.json'));
    await set('a', 1, { path: join(project, 'link.json'), within: project });
    expect(existsSync(join(project, 'inside.json'))).toBe(true);
  });

  it.skipIf(process.platform === 'win32').each(Object.entries(ODD_FILES))(
    'is named in the error if it is %s',
    async (kind, make) => {
      await make(file);
      const message = `${file}: it is ${kind}, not a file`;
      await expect(readNativeFile(target())).rejects.toMatchObject({ message });
      await expect(set('a', 1)).rejects.toMatchObject({ message });
    },
  );

  it.each(['json', 'jsonc', 'toml', 'yaml'] as const)('of %s is named in the error if it is huge', async (format) => {
    createSparse(file, 1024 ** 3);
    const message = expect.stringContaining(`${file}: it has ${1024 ** 3} bytes`);
    await expect(readNativeFile({ ...target(), format })).rejects.toMatchObject({ message });
  });

  it.each([
    ['json', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['json', '{"a":'.repeat(100_000)],
    ['toml', `a = ${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['toml', `${'a.'.repeat(100_000)}b = 1`],
    ['toml', `[${'a.'.repeat(100_000)}b]`],
    ['yaml', '['.repeat(50_000) + ']'.repeat(50_000)],
    ['yaml', 'a: &a [*a]'],
    ['yaml', '- '.repeat(50_000)],
  ] as const)('of %s that is nested too deeply is refused with its position', async (format, text) => {
    writeFileSync(file, text);
    const message = expect.stringMatching(/:1:\d+: (?:nested more than 256 levels deep|resource exhaustion)$/);
    await expect(readNativeFile({ ...target(), format })).rejects.toMatchObject({ message });
  });

  it('keeps what the agent wrote in the meantime', async () => {
    writeFileSync(file, '{"a":1}');
    let calls = 0;
    const decide = () => {
      calls += 1;
      if (calls === 1) writeFileSync(file, '{"a":1,"agent":"was here"}');
      return [{ path: ['b'], value: 2 }];
    };
    await editNativeFile(target(), decide, { env });
    expect(calls).toBe(2);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ a: 1, agent: 'was here', b: 2 });
  });
});

const WRITER = `
const [module, path, format, home, prefix, count] = process.argv.slice(1);
const { editNativeFile } = await import(module);
for (let i = 0; i < Number(count); i += 1)
  await editNativeFile({ agent: 'acme', path, format }, () => [{ path: ['t', prefix + i], value: i }], { env: { HOME: home } });
`;

async function writer(format: string, prefix: string, count: number): Promise<number | null> {
  const module = new URL('./edit-file.ts', import.meta.url).href;
  const flags = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning', '--input-type=module'];
  const args = [...flags, '-e', WRITER, module, file, format, home, prefix, String(count)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  return code;
}

describe('concurrent writers', () => {
  it.each(['json', 'toml', 'yaml'] as const)('of %s in separate processes lose nothing', TIMEOUT, async (format) => {
    const count = 15;
    expect(await Promise.all(['a', 'b', 'c'].map((prefix) => writer(format, prefix, count)))).toEqual([0, 0, 0]);
    const content = (await codecOf(format)).parse(readFileSync(file, 'utf8'));
    const names = Object.keys(valueAtNative(content, ['t']) ?? {});
    expect(names.sort()).toEqual(
      ['a', 'b', 'c'].flatMap((prefix) => Array.from({ length: count }, (_, i) => prefix + i)).sort(),
    );
    expect(readdirSync(lockFolder())).toEqual([]);
    expect(readdirSync(home).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('in one process lose nothing', TIMEOUT, async () => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => set(`k${i}`, i)));
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toHaveLength(20);
  });

  it('take over the lock of a dead process, one at a time', TIMEOUT, async () => {
    const dying = spawn(process.execPath, ['-e', HOLD_AND_DIE, lockModule, file, home], { stdio: 'inherit' });
    await once(dying, 'exit');
    const [name = ''] = readdirSync(lockFolder());
    const abandoned = readFileSync(join(lockFolder(), name), 'utf8');
    let inside = 0;
    let most = 0;
    let held = 0;
    const work = async () => {
      inside += 1;
      held += 1;
      most = Math.max(most, inside);
      // Longer than a waiting process sleeps between two checks, every second time.
      await (held % 2 === 0 ? turns(20) : hold(40));
      inside -= 1;
    };
    for (let round = 0; round < 15; round += 1) {
      writeFileSync(join(lockFolder(), name), abandoned);
      const contender = async (delay: number) => {
        await turns(delay);
        await withFileLock(file, env, work);
      };
      await Promise.all(Array.from({ length: 6 }, (_, i) => contender(i * (round % 5))));
      expect(readdirSync(lockFolder())).toEqual([]);
    }
    expect(most).toBe(1);
  });
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const lockModule = fileURLToPath(new URL('../files/file-lock.ts', import.meta.url));
const HOLD_AND_DIE = `
const [module, path, home] = process.argv.slice(1);
import(module).then(({ withFileLock }) => withFileLock(path, { HOME: home }, async () => process.exit(0)));
`;
