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

/** The text of a whole adapter that imports nothing. */
const adapter = (agent: string, more = '') => `({
  agent: ${agent}, displayName: 'Some agent', cliCommand: 'some', models: [],
  capabilities: ${JSON.stringify(NO_CAPABILITIES)},
  configSchema: { agent: 'some', fields: [], configFilePaths: [], projectConfigFilePaths: [] },
  buildSpawnArgs() {}, parseEvent() {}, async detectAuth() {}, getAuthGuidance() {}, sessionDir() {},
  async parseSessionFile() {}, async listSessionFiles() {}, async readConfig() {}, async writeConfig() {}, ${more}
})`;

const besideConfig = (path: string, text: string) => write(join(dirname(userFile()), path), text);

function load(adapters: unknown, options: LoadAdaptersOptions = {}, file = userFile()) {
  write(file, JSON.stringify({ adapters }, null, 2));
  const config = loadConfig({ cwd: project(), env: { HOME: home } });
  expect(config.faults).toEqual([]);
  const { adapters: loaded, problems } = loadAdapters(config.adapters, { env: { HOME: home }, ...options });
  return { agents: loaded.map(({ agent }) => agent), problems };
}

describe('an adapter that a configuration file names', () => {
  it('is a package beside the file, by its short, whole or scoped name', () => {
    for (const name of ['agent-mux-adapter-one', 'agent-mux-adapter-two', '@org/three']) {
      const folder = `node_modules/${name}`;
      besideConfig(`${folder}/package.json`, JSON.stringify({ name, type: 'module', exports: './main.js' }));
      besideConfig(`${folder}/main.js`, `export default ${adapter(JSON.stringify(name.replace('@org/', '')))};`);
    }
    expect(load(['one', 'agent-mux-adapter-two', '@org/three'])).toEqual({
      agents: ['agent-mux-adapter-one', 'agent-mux-adapter-two', 'three'],
      problems: [],
    });
  });

  it('is a folder or a file, seen from the file: ESM, CommonJS or TypeScript', () => {
    besideConfig('a/package.json', '{ "name": "x", "type": "module", "exports": { ".": { "default": "./in/a.js" } } }');
    besideConfig('a/in/a.js', `export default ${adapter("'a'")};`);
    besideConfig('b/package.json', '{ "main": "b.cjs" }');
    besideConfig('b/b.cjs', `module.exports = ${adapter("'b'")};`);
    besideConfig('c/index.mjs', `export default ${adapter("'c'")};`);
    besideConfig('d.mts', `const name: string = 'd'; export default ${adapter('name')};`);
    write(join(home, 'e.mjs'), `export default ${adapter("'e'")};`);
    const { agents, problems } = load(['./a', './b', './c', './d.mts', '~/e.mjs', join(home, 'e.mjs')]);
    expect(agents).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(problems).toMatchObject([{ reason: 'name', from: join(home, 'e.mjs') }]);
  });

  it('may be made by a function, with the options that the file gives', () => {
    besideConfig('f.mjs', `export default ({ name = 'unnamed' }) => ${adapter('name')};`);
    expect(load(['./f.mjs', { from: './f.mjs', options: { name: 'named' } }]).agents).toEqual(['unnamed', 'named']);
  });

  it('is not loaded for a project, unless the project is trusted', () => {
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

describe('a faulty adapter', () => {
  it('is reported with its place, the reason and what to do, and does not stop the others', () => {
    besideConfig('throws.mjs', `throw new Error('no luck');`);
    besideConfig('lacks.mjs', `import 'no-such-package';`);
    besideConfig('awaits.mjs', `await 1; export default ${adapter("'w'")};`);
    besideConfig('factory.mjs', `export default () => { throw new Error('no key'); };`);
    besideConfig('promise.mjs', `export default async () => ${adapter("'q'")};`);
    besideConfig('shape.mjs', `export default { agent: 'half' };`);
    besideConfig('none.mjs', `export const adapter = 1;`);
    besideConfig('plain.mjs', `export default ${adapter("'plain'")};`);
    besideConfig('getter.mjs', `export default ${adapter("'g'", "get minVersion() { throw new Error('sly'); },")};`);
    besideConfig('claude.mjs', `export default ${adapter("'claude'")};`);
    besideConfig('good.mjs', `export default ${adapter("'good'")};`);
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
    const said = (from: string) => problems.find((problem) => problem.from === from);
    expect(said('absent')?.problem).toBe(
      '"absent" was not found: the package agent-mux-adapter-absent is not installed',
    );
    expect(said('absent')?.hint).toContain('npm install agent-mux-adapter-absent');
    expect(said('./throws.mjs')?.problem).toMatch(/could not be loaded from .*throws\.mjs: no luck$/);
    expect(said('./lacks.mjs')?.hint).toBe('npm install in its folder');
    expect(said('./awaits.mjs')?.hint).toContain('await');
    expect(said('./factory.mjs')?.problem).toContain('could not make its adapter: no key');
    expect(said('./shape.mjs')?.problem).toContain('displayName must be a non-empty string; cliCommand must be');
    expect(said('./claude.mjs')?.problem).toContain('there is one of that name already');
    expect(said('./plain.mjs')?.problem).toContain('takes no options');
  });

  it('is a fault of the file where the entry itself makes no sense', () => {
    write(userFile(), JSON.stringify({ adapters: [7, { from: '' }, { from: './x', option: {} }, { options: [] }] }));
    const { faults, adapters } = loadConfig({ cwd: home, env: { HOME: home } });
    expect(adapters).toEqual([]);
    expect(faults.map(({ field, problem }) => `${field} ${problem}`)).toEqual([
      'adapters[0] must be the name of a package, a path, or { "from": ..., "options": {...} }',
      'adapters[1].from must be the name of a package, or a path',
      'adapters[2].option is not known here; there are from and options',
      'adapters[3].from must be the name of a package, or a path',
      'adapters[3].options must be an object',
    ]);
  });
});
