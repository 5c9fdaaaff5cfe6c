import { createRequire } from 'node:module';
import type { AgentAdapter } from '../contract/adapter.ts';
import { type ConfigDocument, type ConfigIssue, type ConfigPath, issueAt } from '../documents/document.ts';
import { isRecord } from '../values.ts';
import { findAdapter, isAdapterPath, nameAdapterPackage } from './find-adapter.ts';
import { findAdapterIssues } from './validate-adapter.ts';

/** An adapter named in a file: a package, or a folder or file next to it. Its code has not been loaded. */
export interface AdapterEntry {
  from: string;
  /** For an adapter whose default export is a function. */
  options?: Record<string, unknown>;
  file: string;
  line: number;
  /** False: the entry comes from a project. Loading runs its code, which requires the user's consent. */
  trusted: boolean;
  document: ConfigDocument;
  path: ConfigPath;
}

export type AdapterProblemReason = 'untrusted' | 'missing' | 'import' | 'factory' | 'shape' | 'name';

/** A configured adapter that could not be loaded: where, why, and what to do. */
export interface AdapterProblem extends ConfigIssue {
  from: string;
  reason: AdapterProblemReason;
  hint: string;
}

export interface LoadedAdapters {
  adapters: AgentAdapter[];
  problems: AdapterProblem[];
}

export interface LoadAdaptersOptions {
  /** Also load adapters from a project's file. */
  trustProject?: boolean;
  /** Reserved agent names: no adapter may use one. */
  taken?: (agent: string) => boolean;
  env?: NodeJS.ProcessEnv;
}

/** Loads the configured adapters independently: a failure of one does not affect the others. Never throws. */
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
      loaded.problems.push({ ...issueAt(entry.document, entry.path, message), from: entry.from, reason, hint });
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
      `"${from}" is project code and was not loaded: the project is not trusted`,
      "review it, then pass --trust-project (SDK: trustProject: true) or add it to the user's file",
    );
  }
  const path = tryStep('missing', `"${from}" not found`, hintForMissing(from), () => findAdapter(from, file, env));
  const module = tryStep('import', `"${from}" could not be loaded from ${path}`, hintForImport, () =>
    createRequire(file)(path),
  );
  const exported = defaultOf(module);
  const adapter = tryStep('factory', `"${from}" (${path}) could not create its adapter`, REPORT_IT, () =>
    createAdapter(exported, entry),
  );
  const issues = findAdapterIssues(adapter);
  if (issues.length > 0 || !isAdapter(adapter)) {
    const list = issues.map(({ field, problem }) => (field ? `${field} ${problem}` : problem)).join('; ');
    throw new Refusal('shape', `"${from}" (${path}) has no valid adapter as default export: ${list}`, REPORT_IT);
  }
  if (taken(adapter.agent)) {
    throw new Refusal(
      'name',
      `"${from}" defines agent "${adapter.agent}", but that name is already in use; the existing one is used`,
      'rename the agent, or register it in code to replace the existing one',
    );
  }
  return adapter;
}

const REPORT_IT = 'update it, report it to its author, or remove it from "adapters"';

function hintForMissing(from: string): string {
  return isAdapterPath(from)
    ? 'fix the path: it is relative to the folder of the configuration file'
    : `run "npm install ${nameAdapterPackage(from)}" next to the configuration file or agent-mux (-g if that is global)`;
}

/** Hints for specific Node error codes. */
function hintForImport(error: unknown): string {
  const code = isRecord(error) ? error.code : undefined;
  if (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') return 'run "npm install" in its folder';
  if (code === 'ERR_REQUIRE_ASYNC_MODULE') return 'an adapter must not use top-level await: report it to its author';
  if (code === 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING')
    return 'a package must be compiled to JavaScript: report it to its author';
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

function createAdapter(exported: unknown, { options }: AdapterEntry): unknown {
  if (typeof exported === 'function') return exported(options ?? {});
  if (options !== undefined) throw new Error('it accepts no options: its default export is not a function');
  return exported;
}

function isAdapter(value: unknown): value is AgentAdapter {
  return findAdapterIssues(value).length === 0;
}
