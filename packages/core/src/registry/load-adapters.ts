import { createRequire } from 'node:module';
import type { AgentAdapter } from '../contract/adapter.ts';
import { type ConfigDocument, type ConfigFault, type ConfigPath, faultAt } from '../documents/document.ts';
import { isRecord } from '../values.ts';
import { findAdapter, isAdapterPath, nameAdapterPackage } from './find-adapter.ts';
import { findAdapterFaults } from './validate-adapter.ts';

/** An adapter that a file names: a package, or a folder or file beside it. Naming it is all; its code has not been touched. */
export interface AdapterEntry {
  from: string;
  /** For an adapter whose default export is a function. */
  options?: Record<string, unknown>;
  file: string;
  line: number;
  /** False: it came with a project. Loading runs its code, so that is only done after the user has agreed. */
  trusted: boolean;
  document: ConfigDocument;
  path: ConfigPath;
}

export type AdapterProblemReason = 'untrusted' | 'missing' | 'import' | 'factory' | 'shape' | 'name';

/** An adapter that a configuration file names and that is not there: where, why, and what to do. */
export interface AdapterProblem extends ConfigFault {
  from: string;
  reason: AdapterProblemReason;
  hint: string;
}

export interface LoadedAdapters {
  adapters: AgentAdapter[];
  problems: AdapterProblem[];
}

export interface LoadAdaptersOptions {
  /** Also those that a project's file names. */
  trustProject?: boolean;
  /** The agents that are there already: no adapter may take their name. */
  taken?: (agent: string) => boolean;
  env?: NodeJS.ProcessEnv;
}

/** Loads what the files name, one by one: what is wrong with one does not concern the others. Never throws. */
export function loadAdapters(entries: readonly AdapterEntry[], options: LoadAdaptersOptions = {}): LoadedAdapters {
  const loaded: LoadedAdapters = { adapters: [], problems: [] };
  const taken = (agent: string) =>
    options.taken?.(agent) === true || loaded.adapters.some((adapter) => adapter.agent === agent);
  for (const entry of entries) {
    try {
      loaded.adapters.push(loadAdapter(entry, options, taken));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { reason, hint, message } = error;
      loaded.problems.push({ ...faultAt(entry.document, entry.path, message), from: entry.from, reason, hint });
    }
  }
  return loaded;
}

class Refusal extends Error {
  readonly reason: AdapterProblemReason;
  readonly hint: string;

  constructor(reason: AdapterProblemReason, message: string, hint: string) {
    super(message);
    this.reason = reason;
    this.hint = hint;
  }
}

function loadAdapter(
  entry: AdapterEntry,
  { trustProject = false, env }: LoadAdaptersOptions,
  taken: (agent: string) => boolean,
): AgentAdapter {
  const { from, file } = entry;
  if (!entry.trusted && !trustProject) {
    throw new Refusal(
      'untrusted',
      `"${from}" is code that the project brings, and is not loaded: the project is not trusted`,
      "read it; if you agree with it, pass --trust-project (SDK: trustProject: true), or name it in the user's own file",
    );
  }
  const path = tryStep('missing', `"${from}" was not found`, hintForMissing(from), () => findAdapter(from, file, env));
  const module = tryStep('import', `"${from}" could not be loaded from ${path}`, hintForImport, () =>
    createRequire(file)(path),
  );
  const exported = defaultOf(module);
  const adapter = tryStep('factory', `"${from}" (${path}) could not make its adapter`, REPORT_IT, () =>
    makeAdapter(exported, entry),
  );
  const faults = findAdapterFaults(adapter);
  if (faults.length > 0 || !isAdapter(adapter)) {
    const list = faults.map(({ field, problem }) => (field ? `${field} ${problem}` : problem)).join('; ');
    throw new Refusal('shape', `"${from}" (${path}) gives no adapter by default: ${list}`, REPORT_IT);
  }
  if (taken(adapter.agent)) {
    throw new Refusal(
      'name',
      `"${from}" calls its agent "${adapter.agent}", and there is one of that name already; that one is used`,
      'the adapter needs another name; or register it by code, which may replace',
    );
  }
  return adapter;
}

const REPORT_IT = 'update it, tell its author, or take it out of "adapters"';

function hintForMissing(from: string): string {
  return isAdapterPath(from)
    ? 'correct the path: it is seen from the folder of the configuration file'
    : `npm install ${nameAdapterPackage(from)}, in the folder of the configuration file or where agent-mux is (with -g if that is global)`;
}

/** Of the faults that Node tells by a code, those that have a remedy of their own. */
function hintForImport(error: unknown): string {
  const code = isRecord(error) ? error.code : undefined;
  if (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') return 'npm install in its folder';
  if (code === 'ERR_REQUIRE_ASYNC_MODULE') return 'an adapter must not await at its top level: tell its author';
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')
    return 'a package must be compiled to JavaScript: tell its author';
  return REPORT_IT;
}

function tryStep<T>(
  reason: AdapterProblemReason,
  what: string,
  hint: string | ((error: unknown) => string),
  act: () => T,
): T {
  try {
    return act();
  } catch (error) {
    const [why] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new Refusal(reason, `${what}: ${why}`, typeof hint === 'string' ? hint : hint(error));
  }
}

function defaultOf(module: unknown): unknown {
  return isRecord(module) && 'default' in module ? module.default : module;
}

function makeAdapter(exported: unknown, { options }: AdapterEntry): unknown {
  if (typeof exported === 'function') return exported(options ?? {});
  if (options !== undefined) throw new Error('it takes no options: its default export is no function');
  return exported;
}

function isAdapter(value: unknown): value is AgentAdapter {
  return findAdapterFaults(value).length === 0;
}
