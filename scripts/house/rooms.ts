import { dirname, join } from 'node:path/posix';
import type { Source } from './sources.ts';

/** What each package may import of the others. Their tests may use the testkit as well. */
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
 * The rooms of core, and what each may import: only rooms that stand above it, so that there is no way around in a circle.
 * The small files beside the rooms (values, durations, ...) are everybody's and import nothing; `index.ts` and `light.ts` open the doors.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
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
  border: ['contract', 'adapter'],
  registry: ['contract', 'env', 'process', 'files', 'documents', 'binaries', 'native-config', 'border'],
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
    'border',
    'run/options',
    'run/plan',
    'run/channels',
    'run/turns',
  ],
  'run/order': ['contract', 'run/options'],
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
    'run/order',
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
    'border',
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

/** Imports that lead where they may not. */
export function findRoomFaults(sources: readonly Source[]): string[] {
  return [...findTableFaults(), ...sources.flatMap((source) => [...packageFaults(source), ...roomFaults(source)])];
}

function findTableFaults(): string[] {
  const names = Object.keys(ROOMS);
  return names.flatMap((room, at) =>
    ROOMS[room]!.filter((other) => !names.slice(0, at).includes(other)).map(
      (other) => `the table of rooms: ${room} stands above ${other}, and may not import it`,
    ),
  );
}

function packageFaults({ path, text }: Source): string[] {
  const own = /^packages\/([^/]+)\//.exec(path)?.[1];
  if (own === undefined) return [];
  const allowed = [own, ...(PACKAGES[own] ?? []), ...(isOfTests(path) ? ['testkit'] : [])];
  return importsOf(text).flatMap((to) => {
    const other = to.startsWith('.')
      ? /^packages\/([^/]+)\//.exec(join(dirname(path), to))?.[1]
      : (/^@agent-mux\/([^/]+)/.exec(to)?.[1] ?? (to === 'agent-mux' ? to : undefined));
    if (to.startsWith('.') && other === own) return [];
    if (to.startsWith('.')) return [`${path} imports ${to}, which lies outside of its package`];
    return other === undefined || allowed.includes(other) ? [] : [`${path} imports ${to}: ${own} may not`];
  });
}

function roomFaults({ path, text }: Source): string[] {
  const room = roomOf(path);
  if (room === undefined || isOfTests(path)) return [];
  return importsOf(text).flatMap((to) => {
    const other = to.startsWith('.') ? roomOf(join(dirname(path), to)) : undefined;
    if (other === undefined || other === room) return [];
    if (room === '') return [`${path} imports ${to}: what is everybody's imports nothing`];
    if (other === '') return [];
    const allowed = ROOMS[room];
    if (!allowed) return [`${path}: scripts/house/rooms.ts does not know the room ${room}`];
    return allowed.includes(other) ? [] : [`${path} imports ${to}: ${room} may not import ${other}`];
  });
}

/** '' for the files beside the rooms; undefined for what is not a room's. */
function roomOf(path: string): string | undefined {
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
