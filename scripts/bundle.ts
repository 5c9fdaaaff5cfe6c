/**
 * Bundles the packages that every command loads into few files: each file costs start-up time, and zod alone would add 64
 * locales. Types come from tsc. Lazy modules (`imports` in package.json) stay separate files. Unchanged packages are skipped.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type OutputChunk, type Plugin, type RolldownOutput, rolldown } from 'rolldown';

const ROOT = join(import.meta.dirname, '..');
/** Imported as node has them, which knows only their CommonJS form. */
const TERMINAL_MODULES = {
  '@xterm/addon-serialize': join(ROOT, 'node_modules/@xterm/addon-serialize/lib/addon-serialize.js'),
  '@xterm/headless': join(ROOT, 'node_modules/@xterm/headless/lib-headless/xterm-headless.js'),
};
const STAMPS = join(ROOT, 'node_modules/.cache/agent-mux-bundle');

/** Folders shared by several agents; each becomes a file. */
const SHARED_BY_AGENTS = [
  'acp',
  'claude-stream',
  'documented',
  'generic',
  'jsonrpc',
  'opencode-family',
  'pi-family',
  'shared',
];

interface Bundle {
  name: string;
  /** Programs, in addition to the entries of package.json. */
  entries?: readonly string[];
  /** Self-contained files, which duplicate shared code. */
  whole?: readonly string[];
  /** Modules that go into one file, by its name. */
  groups?: readonly { name: string; test: RegExp; minShareCount?: number; includeDependenciesRecursively?: boolean }[];
}

const BUNDLES: readonly Bundle[] = [
  { name: 'core' },
  {
    name: 'adapters',
    entries: ['demo/agent'],
    whole: ['all-agents'],
    groups: [
      ...['acp', 'claude-stream', 'documented', 'opencode-family', 'pi-family', 'jsonrpc'].map((folder) => ({
        name: folder,
        // Profiles have schemas, and are loaded with definitions alone.
        test: new RegExp(`/adapters/src/${folder}/(?!profile)`),
        // Else what one family needs would be in its file, and agents of no family would load it for that.
        includeDependenciesRecursively: false,
      })),
      { name: 'shared', test: /\/adapters\/src\/shared\/(?!profile)|^\0node:(?:path|url)$/ },
    ],
  },
  { name: 'api' },
  // Keepers, the daemon lookup and the hook reporter must load little: one self-contained file each.
  { name: 'daemon', entries: ['main'], whole: ['keeper/main', 'terminals/main', 'start/index', 'hooks/reporter'] },
  {
    name: 'cli',
    entries: ['main'],
    groups: [
      // What every command needs, and nothing that loads the engine: what shows a run or checks its options is shared too.
      { name: 'common', test: /\/cli\/src\/(?:screen\/|sessions\/words|(?!capability)[^/]+$)/, minShareCount: 2 },
      {
        name: 'kept',
        test: /\/cli\/src\/(?:daemon\/(?:open|pages|words|session-table)|requests\/event-of)\.ts$/,
        minShareCount: 2,
      },
      // It loads the schemas of all options, which only a run needs.
      { name: 'options', test: /\/cli\/src\/run\/options\.ts$/, includeDependenciesRecursively: false },
      // And these what finds a daemon, which most commands do not need.
      { name: 'status', test: /\/cli\/src\/daemon\/status\.ts$/, includeDependenciesRecursively: false },
    ],
  },
];

/** Modules of node that take milliseconds to load. */
const HEAVY = [
  'child_process',
  'crypto',
  'fs/promises',
  'http',
  'readline',
  'readline/promises',
  'stream/consumers',
  'timers/promises',
  'zlib',
].map((name) => `node:${name}`);

/**
 * An `import` of a module of node reads all that it exports, and so loads what node itself would load when it is used:
 * `node:crypto` alone is forty modules. So ours ask for what they need, of the heavy ones when a function of theirs is called.
 */
const builtInsWhenUsed: Plugin = {
  name: 'built-ins-when-used',
  resolveId: (name) => (name.startsWith('node:') ? { id: `\0${name}`, moduleSideEffects: false } : null),
  load(id) {
    if (!id.startsWith('\0node:')) return null;
    const name = id.slice(1);
    const exported = Object.entries(process.getBuiltinModule(name) ?? {}).filter(([key]) => /^[A-Za-z]\w*$/.test(key));
    const lines = exported.map(([key, value]) =>
      HEAVY.includes(name) && typeof value === 'function' && /^[a-z]/.test(key)
        ? `export const ${key} = (...args) => own('${key}')(...args);`
        : `export const ${key} = /* @__PURE__ */ own('${key}');`,
    );
    // A node without `getBuiltinModule` is too old; node-version.ts reports that.
    const own = `const own = (key) => process.getBuiltinModule?.('${name}')[key];`;
    const whole = HEAVY.includes(name)
      ? 'new Proxy({}, { get: (_, key) => own(key) })'
      : `process.getBuiltinModule?.('${name}')`;
    return [own, ...lines, `export default /* @__PURE__ */ ${whole};`].join('\n');
  },
};

const WRITTEN = {
  // Half of the text is indentation and comments, which would be read, decoded and hashed at every start.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
} as const;

for (const bundle of BUNDLES) {
  const stamp = join(STAMPS, bundle.name);
  const inputs = digestOf(bundle.name);
  if (isFresh(stamp, inputs)) continue;
  const files = await write(bundle);
  mkdirSync(STAMPS, { recursive: true });
  writeFileSync(stamp, JSON.stringify({ inputs, files }));
}

function digestOf(name: string): string {
  const sources = globSync(`packages/${name}/src/**/*.ts`, { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));
  const files = [...sources.sort(), `packages/${name}/package.json`, 'package-lock.json', 'scripts/bundle.ts'];
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
}

function isFresh(stamp: string, inputs: string): boolean {
  if (!existsSync(stamp)) return false;
  const kept: { inputs: string; files: string[] } = JSON.parse(readFileSync(stamp, 'utf8'));
  return kept.inputs === inputs && kept.files.every((file) => existsSync(join(ROOT, file)));
}

async function write({ name, entries = [], whole = [], groups = [] }: Bundle): Promise<string[]> {
  const source = join(ROOT, 'packages', name, 'src');
  const dist = join(ROOT, 'packages', name, 'dist');
  const input = Object.fromEntries(
    [...entriesOf(name), ...entries]
      .filter((path) => !whole.includes(path))
      .map((path) => [path, join(source, `${path}.ts`)]),
  );
  const started = new Set(await staticModules(input.index!));
  const small = new Set(input.light === undefined ? [] : await staticModules(input.light));
  const build = await rolldown({ ...options(), input, preserveEntrySignatures: 'allow-extension' });
  const output = await build.generate({
    ...WRITTEN,
    codeSplitting: {
      groups:
        groups.length > 0
          ? [...groups]
          : [
              { name: 'light', test: (id) => small.has(id) },
              { name: 'start', test: (id) => started.has(id) && !small.has(id) },
            ],
    },
  });
  await build.close();
  const outputs = [
    output,
    ...(await Promise.all(whole.map((path) => generateWhole(path, join(source, `${path}.ts`))))),
  ];
  for (const file of globSync('**/*.js', { cwd: dist })) rmSync(join(dist, file));
  const files = outputs.flatMap(chunksOf).map(({ fileName, code }) => put(join(dist, fileName), code));
  return [...files, put(join(dist, 'licenses.txt'), licensesOf(output))];
}

async function generateWhole(name: string, input: string): Promise<RolldownOutput> {
  const build = await rolldown({ ...options(), input: { [name]: input } });
  const output = await build.generate({ ...WRITTEN, codeSplitting: false });
  await build.close();
  return output;
}

/** What `exports` and `imports` of package.json name, without `.ts`. */
function entriesOf(name: string): string[] {
  const folder = join(ROOT, 'packages', name);
  const manifest: { exports: Record<string, unknown>; imports?: Record<string, unknown> } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const targets = [...Object.values(manifest.exports), ...Object.values(manifest.imports ?? {})].flatMap((target) =>
    typeof target === 'object' && target !== null && 'agent-mux-source' in target
      ? [`${target['agent-mux-source']}`]
      : [],
  );
  const files = targets.flatMap((target) => {
    const found = globSync(target, { cwd: folder }).map((file) => relative('src', file).replace(/\.ts$/, ''));
    return target.includes('*') ? found.filter((file) => !SHARED_BY_AGENTS.includes(dirname(file))) : found;
  });
  return [...new Set(files)];
}

function options() {
  return {
    cwd: ROOT,
    platform: 'node' as const,
    logLevel: 'warn' as const,
    // The same module may be named twice, for those who have it and those who have not.
    checks: { ineffectiveDynamicImport: false },
    tsconfig: false as const,
    // As tsc has it: an old node must be able to read it, to say that it is too old.
    transform: { target: 'es2023' },
    external: [/^@agent-mux\//],
    plugins: [builtInsWhenUsed],
    // jsonc-parser's main entry requires its parts by a name that no bundler can follow.
    resolve: { mainFields: ['module', 'main'], alias: TERMINAL_MODULES },
  };
}

async function staticModules(entry: string): Promise<string[]> {
  const build = await rolldown({ ...options(), input: entry });
  const output = await build.generate({ format: 'esm' });
  await build.close();
  return chunksOf(output).flatMap(({ isEntry, moduleIds }) => (isEntry ? moduleIds : []));
}

function chunksOf({ output }: RolldownOutput): OutputChunk[] {
  return output.filter((each) => each.type === 'chunk');
}

function put(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return relative(ROOT, path);
}

/** Of the libraries whose code is in there. */
function licensesOf(output: RolldownOutput): string {
  const ids = chunksOf(output).flatMap(({ moduleIds }) => moduleIds);
  const names = new Set(ids.flatMap((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? []));
  return [...names].sort().map(licenseOf).join('\n');
}

function licenseOf(name: string): string {
  const folder = join(ROOT, 'node_modules', name);
  const { version, license }: { version: string; license: string } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const [file] = globSync('{LICENSE,LICENCE,license}*', { cwd: folder });
  const text = file === undefined ? '' : `\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  return `${name} ${version} (${license})\n${text}`;
}
