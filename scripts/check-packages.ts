import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const WINDOWS = process.platform === 'win32';
const PACKAGES = ['core', 'adapters', 'testkit', 'api', 'daemon', 'cli', 'agent-mux'];
/** The dashboard is served, not imported. */
const WEB = 'web';
/** What no tarball may carry. */
const UNWANTED = /\.tsbuildinfo$|\.test\.|^(?:src|test)\/|\.tgz$/;
const NEEDED = ['README.md', 'LICENSE', 'package.json', 'dist/index.js', 'dist/index.d.ts'];
const NEEDED_OF_WEB = ['README.md', 'LICENSE', 'package.json', 'dist/index.html', 'dist/licenses.txt'];

interface Manifest {
  name: string;
  exports: Record<string, string | { types: string }>;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

/**
 * Checks the packages as published: packs them, installs them into an empty project with only their declared dependencies,
 * compiles, loads them, and checks the message of an old node. Offline.
 */
export function checkPackages(say: (note: string) => void): string | undefined {
  const unbuilt = PACKAGES.filter((name) => !existsSync(join(ROOT, 'packages', name, 'dist/index.js')));
  if (unbuilt.length > 0) return `not built: ${unbuilt.join(', ')}; run "npm run build"`;
  const folder = mkdtempSync(join(tmpdir(), 'agent-mux-packages-'));
  try {
    const issues = [...PACKAGES, WEB].flatMap((name) => packAndInspect(name, folder));
    if (issues.length > 0) return issues.join('\n');
    return [checkTypes(folder), checkLoading(folder), ...checkOldNode(folder, say)].find(
      (issue) => issue !== undefined,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packs a package, looks at what is in it, and unpacks it where an installer would put it. */
function packAndInspect(name: string, folder: string): string[] {
  const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
  const { stdout, stderr, status } = run(WINDOWS ? 'npm.cmd' : 'npm', args, join(ROOT, 'packages', name));
  if (status !== 0) return [`${name}: npm pack failed: ${stderr.trim()}`];
  const [{ filename, files }]: [{ filename: string; files: { path: string }[] }] = JSON.parse(stdout);
  const paths = files.map(({ path }) => path);
  const issues = [
    ...(name === WEB ? NEEDED_OF_WEB : NEEDED)
      .filter((path) => !paths.includes(path))
      .map((path) => `${name}: the tarball has no ${path}`),
    ...paths.filter((path) => UNWANTED.test(path)).map((path) => `${name}: the tarball has ${path}`),
  ];
  if (issues.length > 0) return issues;
  const manifest = manifestOf(join(ROOT, 'packages', name));
  const place = join(folder, 'node_modules', manifest.name);
  mkdirSync(place, { recursive: true });
  const tar = run('tar', ['-xzf', join(folder, filename), '-C', place, '--strip-components=1'], folder);
  if (tar.status !== 0) return [`${name}: ${tar.stderr.trim()}`];
  if (readFileSync(join(place, 'LICENSE'), 'utf8') !== readFileSync(join(ROOT, 'LICENSE'), 'utf8')) {
    return [`${name}: its LICENSE is not that of the repository`];
  }
  return listDeclared(manifest).flatMap((dependency) => copyDependency(dependency, folder, name));
}

/** Copies instead of linking: a linked package would resolve its neighbors. */
function copyDependency(name: string, folder: string, whose: string): string[] {
  const [from, to] = [join(ROOT, 'node_modules', name), join(folder, 'node_modules', name)];
  if (name.startsWith('@agent-mux/') || existsSync(to)) return [];
  if (!existsSync(from)) return [`${whose} needs ${name}, which is not installed here`];
  cpSync(from, to, { recursive: true });
  const manifest = manifestOf(from);
  return Object.keys(manifest.dependencies ?? {}).flatMap((each) => copyDependency(each, folder, name));
}

function listDeclared({ dependencies, optionalDependencies }: Manifest): string[] {
  const optional = Object.keys(optionalDependencies ?? {});
  return [
    ...Object.keys(dependencies ?? {}),
    ...optional.filter((name) => existsSync(join(ROOT, 'node_modules', name))),
  ];
}

/** With every library checked, and no types around but those that come along. */
function checkTypes(folder: string): string | undefined {
  const names = PACKAGES.flatMap((name) => listEntries(manifestOf(join(ROOT, 'packages', name))));
  const lines = [
    ...names.map((name, at) => `import * as all${at} from '${name}';`),
    "import { createClient, type AgentEvent } from 'agent-mux';",
    'const mux = createClient();',
    "const run = mux.run({ agent: 'demo', prompt: 'hello' });",
    'for await (const event of run) { const each: AgentEvent = event; void each; }',
    'const { costUsd } = await run;',
    'const cost: number | null = costUsd;',
    'await mux.close();',
    `export { cost, ${names.map((_, at) => `all${at}`).join(', ')} };`,
  ];
  writeFileSync(join(folder, 'package.json'), '{"type":"module","private":true}');
  writeFileSync(join(folder, 'consumer.ts'), lines.join('\n'));
  const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--module', 'nodenext'];
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = run(process.execPath, [tsc, ...flags, 'consumer.ts'], folder);
  return status === 0 ? undefined : `the types do not compile in a project that has nothing else:\n${stdout.trim()}`;
}

/** Whatever may be imported: the package, and its sub-paths that have types. */
function listEntries({ name, exports }: Manifest): string[] {
  const paths = Object.entries(exports).filter(([, target]) => typeof target === 'object');
  return paths
    .map(([path]) => join(name, path).replaceAll('\\', '/'))
    .filter((path) => !path.endsWith('contract-suite'));
}

function checkLoading(folder: string): string | undefined {
  const script =
    "const { createClient } = await import('agent-mux'); const c = createClient(); console.log(c.adapters.list().length > 20); await c.close();";
  const { stdout, stderr } = run(process.execPath, ['--input-type=module', '-e', script], folder);
  return stdout.trim() === 'true' ? undefined : `agent-mux does not load: ${stderr.trim()}`;
}

function checkOldNode(folder: string, say: (note: string) => void): (string | undefined)[] {
  const node = findOldNode();
  if (node === undefined) {
    say('note no node older than 22.18 on PATH: its message was NOT checked');
    return [];
  }
  return PACKAGES.map((name) => {
    const { name: called } = manifestOf(join(ROOT, 'packages', name));
    const { status, stderr } = run(node, ['--input-type=module', '-e', `await import('${called}')`], folder);
    const said = /agent-mux needs Node\.js 22\.18 or newer, but this is [\d.]+\. Install/.test(stderr);
    return status !== 0 && said
      ? undefined
      : `${called} does not report the required version to an old node: ${stderr.trim()}`;
  }).concat(checkOldCommand(node, folder));
}

function checkOldCommand(node: string, folder: string): string | undefined {
  const { status, stderr } = run(node, [join(folder, 'node_modules/agent-mux/bin/amux.js'), 'agents'], folder);
  if (status === 1 && /^amux: Node\.js 22\.18 or later is required, found .*\nhint: /.test(stderr)) return undefined;
  return `amux does not report the required version to an old node: ${stderr.trim()}`;
}

function findOldNode(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders
    .map((folder) => join(folder, WINDOWS ? 'node.exe' : 'node'))
    .filter((path) => existsSync(path))
    .find((path) => {
      const [major = 99, minor = 0] = run(path, ['-p', 'process.versions.node'], ROOT).stdout.split('.').map(Number);
      return major < 22 || (major === 22 && minor < 18);
    });
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function run(command: string, args: readonly string[], cwd: string) {
  const env = { ...process.env, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) };
  return spawnSync(command, [...args], { cwd, env, encoding: 'utf8', shell: WINDOWS && command.endsWith('.cmd') });
}
