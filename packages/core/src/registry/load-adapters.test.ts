import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../config/load-config.ts';
import { NO_CAPABILITIES } from '../contract/capabilities.ts';
import { type LoadAdaptersOptions, loadAdapters } from './load-adapters.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'agent-mux-adapters-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const userFile = () => join(home, '.config', 'agent-mux', 'config.json');
const project = () => join(home, 'project');

function write(file: string, text: string): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Source of a complete adapter without imports. */
const adapter = (agent: string, more = '') => `({
  agent: ${agent}, displayName: 'Some agent', cliCommand: 'some', models: [],
  capabilities: ${JSON.stringify(NO_CAPABILITIES)},
  configSchema: { agent: 'some', fields: [], configFilePaths: [], projectConfigFilePaths: [] },
  buildSpawnArgs() {}, parseEvent() {}, async detectAuth() {}, getAuthGuidance() {}, sessionDir() {},
  async parseSessionFile() {}, async listSessionFiles() {}, async readConfig() {}, async writeConfig() {}, ${more}
})`;

const nextToConfig = (path: string, text: string) => write(join(dirname(userFile()), path), text);

function load(adapters: unknown, options: LoadAdaptersOptions = {}, file = userFile()) {
  write(file, JSON.stringify({ adapters }, null, 2));
  const config = loadConfig({ cwd: project(), env: { HOME: home } });
  expect(config.issues).toEqual([]);
  const { adapters: loaded, problems } = loadAdapters(config.adapters, { env: { HOME: home }, ...options });
  return { agents: loaded.map(({ agent }) => agent), problems };
}

describe('adapter in a configuration file', () => {
  it('can be a package next to the file, by short, full or scoped name', () => {
    for (const name of ['agent-mux-adapter-one', 'agent-mux-adapter-two', '@org/three']) {
      const folder = `node_modules/${name}`;
      nextToConfig(`${folder}/package.json`, JSON.stringify({ name, type: 'module', exports: './main.js' }));
      nextToConfig(`${folder}/main.js`, `export default ${adapter(JSON.stringify(name.replace('@org/', '')))};`);
    }
    expect(load(['one', 'agent-mux-adapter-two', '@org/three'])).toEqual({
      agents: ['agent-mux-adapter-one', 'agent-mux-adapter-two', 'three'],
      problems: [],
    });
  });

  it('can be a folder or file relative to the config: ESM, CommonJS or TypeScript', () => {
    nextToConfig('a/package.json', '{ "name": "x", "type": "module", "exports": { ".": { "default": "./in/a.js" } } }');
    nextToConfig('a/in/a.js', `export default ${adapter("'a'")};`);
    nextToConfig('b/package.json', '{ "main": "b.cjs" }');
    nextToConfig('b/b.cjs', `module.exports = ${adapter("'b'")};`);
    nextToConfig('c/index.mjs', `export default ${adapter("'c'")};`);
    nextToConfig('d.mts', `const name: string = 'd'; export default ${adapter('name')};`);
    write(join(home, 'e.mjs'), `export default ${adapter("'e'")};`);
    const { agents, problems } = load(['./a', './b', './c', './d.mts', '~/e.mjs', join(home, 'e.mjs')]);
    expect(agents).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(problems).toMatchObject([{ reason: 'name', from: join(home, 'e.mjs') }]);
  });

  it('can be created by a function with the configured options', () => {
    nextToConfig('f.mjs', `export default ({ name = 'unnamed' }) => ${adapter('name')};`);
    expect(load(['./f.mjs', { from: './f.mjs', options: { name: 'named' } }]).agents).toEqual(['unnamed', 'named']);
  });

  it('is loaded for a project only if the project is trusted', () => {
    const mark = join(home, 'mark');
    const file = join(project(), '.agent-mux', 'config.json');
    const code = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(mark)}, '');`;
    write(join(dirname(file), 'p.mjs'), `${code} export default ${adapter("'p'")};`);
    const { agents, problems } = load(['./p.mjs'], {}, file);
    expect(agents).toEqual([]);
    expect(problems).toMatchObject([{ reason: 'untrusted', file, line: 3, hint: expect.stringContaining('--trust') }]);
    expect(existsSync(mark)).toBe(false);
    expect(load(['./p.mjs'], { trustProject: true }, file)).toEqual({ agents: ['p'], problems: [] });
  });
});

describe('invalid adapter', () => {
  it('is reported with position, reason and hint and does not stop the others', () => {
    nextToConfig('throws.mjs', `throw new Error('no luck');`);
    nextToConfig('lacks.mjs', `import 'no-such-package';`);
    nextToConfig('awaits.mjs', `await 1; export default ${adapter("'w'")};`);
    nextToConfig('factory.mjs', `export default () => { throw new Error('no key'); };`);
    nextToConfig('promise.mjs', `export default async () => ${adapter("'q'")};`);
    nextToConfig('shape.mjs', `export default { agent: 'half' };`);
    nextToConfig('none.mjs', `export const adapter = 1;`);
    nextToConfig('plain.mjs', `export default ${adapter("'plain'")};`);
    nextToConfig('getter.mjs', `export default ${adapter("'g'", "get minVersion() { throw new Error('sly'); },")};`);
    nextToConfig('claude.mjs', `export default ${adapter("'claude'")};`);
    nextToConfig('good.mjs', `export default ${adapter("'good'")};`);
    const names = ['throws', 'lacks', 'awaits', 'factory', 'promise', 'shape', 'none', 'getter', 'claude', 'good'];
    const entries = names.map((name) => `./${name}.mjs`);
    const { agents, problems } = load(['absent', './absent', ...entries, { from: './plain.mjs', options: { a: 1 } }], {
      taken: (agent) => agent === 'claude',
    });
    expect(agents).toEqual(['good']);
    expect(problems.map(({ from, reason, line }) => [from, reason, line])).toEqual([
      ['absent', 'missing', 3],
      ['./absent', 'missing', 4],
      ['./throws.mjs', 'import', 5],
      ['./lacks.mjs', 'import', 6],
      ['./awaits.mjs', 'import', 7],
      ['./factory.mjs', 'factory', 8],
      ['./promise.mjs', 'shape', 9],
      ['./shape.mjs', 'shape', 10],
      ['./none.mjs', 'shape', 11],
      ['./getter.mjs', 'shape', 12],
      ['./claude.mjs', 'name', 13],
      ['./plain.mjs', 'factory', 15],
    ]);
    const problemOf = (from: string) => problems.find((problem) => problem.from === from);
    expect(problemOf('absent')?.problem).toBe(
      '"absent" not found: the package agent-mux-adapter-absent is not installed',
    );
    expect(problemOf('absent')?.hint).toContain('npm install agent-mux-adapter-absent');
    expect(problemOf('./throws.mjs')?.problem).toMatch(/could not be loaded from .*throws\.mjs: no luck$/);
    expect(problemOf('./lacks.mjs')?.hint).toBe('run "npm install" in its folder');
    expect(problemOf('./awaits.mjs')?.hint).toContain('await');
    expect(problemOf('./factory.mjs')?.problem).toContain('could not create its adapter: no key');
    expect(problemOf('./shape.mjs')?.problem).toContain('displayName must be a non-empty string; cliCommand must be');
    expect(problemOf('./claude.mjs')?.problem).toContain('that name is already in use');
    expect(problemOf('./plain.mjs')?.problem).toContain('accepts no options');
  });

  it('is a configuration issue if the entry is malformed', () => {
    write(userFile(), JSON.stringify({ adapters: [7, { from: '' }, { from: './x', option: {} }, { options: [] }] }));
    const { issues, adapters } = loadConfig({ cwd: home, env: { HOME: home } });
    expect(adapters).toEqual([]);
    expect(issues.map(({ field, problem }) => `${field} ${problem}`)).toEqual([
      'adapters[0] must be a package name, a path, or { "from": ..., "options": {...} }',
      'adapters[1].from must be a package name or a path',
      'adapters[2].option is not a known key; use from and options',
      'adapters[3].from must be a package name or a path',
      'adapters[3].options must be an object',
    ]);
  });
});
