import { dirname, join } from 'node:path/posix';
import type { Source } from './sources.ts';

/** Which packages each package may import. Tests may also use the testkit. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  core: [],
  adapters: ['core'],
  testkit: ['core'],
  api: ['core'],
  web: ['api'],
  daemon: ['core', 'adapters', 'api', 'testkit'],
  cli: ['core', 'adapters', 'testkit', 'api', 'daemon'],
  'agent-mux': ['core', 'adapters', 'testkit', 'api', 'daemon', 'cli'],
};

/**
 * The modules of core and what each may import: only modules listed above it, so cycles are impossible. Files directly in src
 * (values, durations, ...) may be imported by all and import nothing; `index.ts` and `light.ts` are entry points.
 */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  redact: ['contract'],
  env: ['contract', 'redact'],
  process: ['contract', 'redact'],
  files: ['contract', 'process'],
  git: ['files'],
  documents: [],
  approvals: ['contract'],
  limits: ['contract', 'files'],
  binaries: ['files', 'process'],
  'session-stores': ['contract', 'files'],
  'native-config': ['contract', 'redact', 'files', 'documents'],
  adapter: ['contract', 'env', 'files', 'binaries', 'session-stores', 'native-config'],
  boundary: ['contract', 'adapter'],
  registry: ['contract', 'env', 'process', 'files', 'documents', 'binaries', 'native-config', 'boundary'],
  models: ['contract', 'redact', 'files', 'native-config', 'registry'],
  sessions: ['contract', 'files', 'session-stores', 'adapter', 'models'],
  auth: ['contract', 'redact', 'registry'],
  extensions: ['contract', 'redact', 'files', 'registry'],
  hooks: ['contract', 'files', 'git', 'native-config', 'registry'],
  install: ['contract', 'redact', 'env', 'process', 'files', 'binaries', 'registry'],
  'run/options': ['contract', 'files'],
  'run/plan': ['contract', 'env', 'process', 'registry', 'hooks', 'run/options'],
  'run/channels': ['contract', 'process', 'files', 'native-config', 'run/plan'],
  'run/turns': ['contract', 'redact', 'process', 'approvals', 'limits', 'run/channels'],
  'run/drivers': [
    'contract',
    'process',
    'native-config',
    'boundary',
    'run/options',
    'run/plan',
    'run/channels',
    'run/turns',
  ],
  'run/ordering': ['contract', 'run/options'],
  'run/log': ['contract', 'redact', 'files'],
  run: [
    'contract',
    'redact',
    'env',
    'process',
    'files',
    'limits',
    'binaries',
    'session-stores',
    'native-config',
    'registry',
    'models',
    'run/options',
    'run/plan',
    'run/channels',
    'run/turns',
    'run/drivers',
    'run/ordering',
    'run/log',
  ],
  terminal: ['contract', 'env', 'process', 'files', 'native-config', 'registry', 'hooks', 'run/options', 'run/plan'],
  config: ['contract', 'files', 'documents', 'native-config', 'registry', 'run/options'],
  policy: ['contract', 'redact', 'process', 'files', 'documents', 'native-config', 'registry', 'config'],
  doctor: [
    'contract',
    'redact',
    'documents',
    'binaries',
    'native-config',
    'boundary',
    'registry',
    'auth',
    'run/options',
    'run/channels',
  ],
  client: [
    'contract',
    'limits',
    'native-config',
    'registry',
    'models',
    'sessions',
    'auth',
    'extensions',
    'hooks',
    'install',
    'run/options',
    'run/channels',
    'run',
    'doctor',
  ],
};

/** Imports that violate the tables above. */
export function findLayerViolations(sources: readonly Source[]): string[] {
  return [...findTableIssues(), ...sources.flatMap((source) => [...packageIssues(source), ...moduleIssues(source)])];
}

function findTableIssues(): string[] {
  const names = Object.keys(MODULES);
  return names.flatMap((name, at) =>
    MODULES[name]!.filter((other) => !names.slice(0, at).includes(other)).map(
      (other) => `the module table lists ${name} above ${other}, so it may not import it`,
    ),
  );
}

function packageIssues({ path, text }: Source): string[] {
  const own = /^packages\/([^/]+)\//.exec(path)?.[1];
  if (own === undefined) return [];
  const allowed = [own, ...(PACKAGES[own] ?? []), ...(isOfTests(path) ? ['testkit'] : [])];
  return importsOf(text).flatMap((to) => {
    const other = to.startsWith('.')
      ? /^packages\/([^/]+)\//.exec(join(dirname(path), to))?.[1]
      : (/^@agent-mux\/([^/]+)/.exec(to)?.[1] ?? (to === 'agent-mux' ? to : undefined));
    if (to.startsWith('.') && other === own) return [];
    if (to.startsWith('.')) return [`${path} imports ${to}, which is outside its package`];
    return other === undefined || allowed.includes(other) ? [] : [`${path} imports ${to}: ${own} may not`];
  });
}

function moduleIssues({ path, text }: Source): string[] {
  const module = moduleOf(path);
  if (module === undefined || isOfTests(path)) return [];
  return importsOf(text).flatMap((to) => {
    const other = to.startsWith('.') ? moduleOf(join(dirname(path), to)) : undefined;
    if (other === undefined || other === module) return [];
    if (module === '') return [`${path} imports ${to}: shared files may not import modules`];
    if (other === '') return [];
    const allowed = MODULES[module];
    if (!allowed) return [`${path}: unknown module ${module}: add it to scripts/structure/layers.ts`];
    return allowed.includes(other) ? [] : [`${path} imports ${to}: ${module} may not import ${other}`];
  });
}

/** '' for files directly in src; undefined for files outside core and for entry points. */
function moduleOf(path: string): string | undefined {
  const [first, second, third] = /^packages\/core\/src\/(.+)$/.exec(path)?.[1]?.split('/') ?? [];
  if (first === undefined || first === 'index.ts' || first === 'light.ts') return undefined;
  if (second === undefined) return '';
  return first === 'run' && third !== undefined ? `run/${second}` : first;
}

function isOfTests(path: string): boolean {
  return path.endsWith('.test.ts') || /^packages\/[^/]+\/test\//.test(path);
}

function importsOf(text: string): string[] {
  return [...text.matchAll(/^(?:import|export) [^'"`;]*?from '([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm)].map(
    (found) => found[1] ?? found[2] ?? found[3] ?? '',
  );
}
