import type { McpConfigFormat } from '../contract/auth-and-config.ts';
import { AgentMuxError, CapabilityError, ValidationError, type ValidationIssue } from '../contract/errors.ts';
import type {
  AgentMcpServers,
  ConfigScope,
  McpAdd,
  McpChange,
  McpEntry,
  McpList,
  McpQuery,
  McpWrite,
} from '../contract/native-config.ts';
import type { McpServer } from '../contract/options.ts';
import type { AdapterRegistry } from '../contract/run.ts';
import type { ConfigChange } from './codecs.ts';
import { editNativeFile, readNativeFile } from './edit-file.ts';
import { containsMask, maskServer } from './mask.ts';
import {
  addEntry,
  changeEntry,
  decodeEntry,
  findEntry,
  isSameServer,
  listMcpFiles,
  mcpPaths,
  readEntries,
} from './mcp-entries.ts';
import type { ScopedFile } from './scopes.ts';

interface Target {
  agent: string;
  form: McpConfigFormat;
  file: ScopedFile;
}

/** Decides about a change from the current content of a file. */
type Decision = (content: unknown) => { done: McpChange['done']; changes: readonly ConfigChange[] };

/** The MCP servers in the agents' own files: one list and one way to add, translated to the format of each agent. */
export class McpServers implements AgentMcpServers {
  readonly #adapters: AdapterRegistry;
  readonly #env: NodeJS.ProcessEnv;

  constructor({ adapters, env = process.env }: { adapters: AdapterRegistry; env?: NodeJS.ProcessEnv }) {
    this.#adapters = adapters;
    this.#env = env;
  }

  agents(scope?: ConfigScope): string[] {
    const names = this.#adapters.list().map(({ agent }) => agent);
    return names.filter((agent) => {
      const form = this.#adapters.get(agent).configSchema.mcp;
      return scope === undefined ? form !== undefined : mcpPaths(form, scope).length > 0;
    });
  }

  async list(query: McpQuery = {}): Promise<McpList> {
    const scopes: readonly ConfigScope[] = query.scope ? [query.scope] : ['global', 'project'];
    for (const agent of query.agents ?? []) this.#assertKnown(agent, query.scope);
    const targets = (query.agents ?? this.agents(query.scope)).flatMap((agent) => {
      const found = scopes.flatMap((scope) => this.#targets(agent, scope, query.cwd));
      // In the home folder the user's file is also the project's.
      return found.filter(({ file }, index) => found.findIndex((other) => other.file.path === file.path) === index);
    });
    const read = await Promise.all(targets.map((target) => readServers(target, query.showSecrets ?? false)));
    return { servers: read.flatMap(({ servers }) => servers), problems: read.flatMap(({ problems }) => problems) };
  }

  async add(name: string, server: McpServer, options: McpAdd): Promise<McpChange[]> {
    assertServer(name, server);
    const decide = ({ agent, form, file }: Target): Decision => {
      const entry = form.encode(server, name);
      return (content) => {
        const found = findEntry(form, content, name);
        if (!found) return { done: 'added', changes: addEntry(form, content, name, entry) };
        const same = isSameServer(form, found.entry, entry);
        const changes = changeEntry(form, found, entry);
        if (same && (!options.force || changes.length === 0)) return { done: 'unchanged', changes: [] };
        if (!options.force) throw duplicateNameError(agent, name, file);
        return { done: 'replaced', changes };
      };
    };
    return this.#change({ ...options, name }, decide);
  }

  async remove(name: string, options: McpWrite): Promise<McpChange[]> {
    return this.#change({ ...options, name, every: true }, ({ form }) => (content) => {
      const found = findEntry(form, content, name);
      return found
        ? { done: 'removed', changes: [{ path: found.path, value: undefined }] }
        : { done: 'absent', changes: [] };
    });
  }

  /** Tries all agents before the first file is written. */
  async #change(
    { name, every = false, ...options }: McpWrite & { name: string; every?: boolean },
    decide: (target: Target) => Decision,
  ): Promise<McpChange[]> {
    const { scope = 'global', dryRun = false } = options;
    if (options.agents.length === 0)
      throw new ValidationError('MCP servers', [{ field: 'agents', problem: 'is empty' }]);
    const known = [...new Set(options.agents)].map((agent) => this.#needTargets(agent, scope, options.cwd));
    const targets = await Promise.all(known.map((files) => selectTargets(files, name, every)));
    const decisions = targets.flat().map((target) => ({ target, decision: decide(target) }));
    const planned: McpChange[] = [];
    for (const { target, decision } of decisions) planned.push(await this.#edit(target, decision, true));
    if (dryRun) return planned;
    const done: McpChange[] = [];
    for (const { target, decision } of decisions) {
      try {
        done.push(await this.#edit(target, decision, false));
      } catch (error) {
        if (!(error instanceof AgentMuxError)) throw error;
        const { agent, file } = target;
        done.push({ agent, scope, file: file.path, done: 'failed', problem: error.message });
      }
    }
    return done;
  }

  async #edit({ agent, file }: Target, decision: Decision, dryRun: boolean): Promise<McpChange> {
    let done: McpChange['done'] = 'unchanged';
    const decide = (content: unknown) => {
      const decided = decision(content);
      done = decided.done;
      return decided.changes;
    };
    const { file: written, backup } = await editNativeFile(file, decide, { env: this.#env, dryRun });
    return { agent, scope: file.scope, file: written, done, ...(backup === undefined ? {} : { backup }) };
  }

  #targets(agent: string, scope: ConfigScope, cwd: string | undefined): Target[] {
    const schema = this.#adapters.get(agent).configSchema;
    const { mcp: form } = schema;
    return form ? listMcpFiles(schema, { scope, cwd }, this.#env).map((file) => ({ agent, form, file })) : [];
  }

  #needTargets(agent: string, scope: ConfigScope, cwd: string | undefined): Target[] {
    this.#assertKnown(agent, scope);
    const targets = this.#targets(agent, scope, cwd);
    if (targets.length === 0) throw this.#refuseUnknownForm(agent, scope);
    return targets;
  }

  #assertKnown(agent: string, scope: ConfigScope | undefined): void {
    this.#adapters.get(agent);
    if (!this.agents(scope).includes(agent)) throw this.#refuseUnknownForm(agent, scope);
  }

  #refuseUnknownForm(agent: string, scope: ConfigScope | undefined): CapabilityError {
    const able = this.agents(scope);
    const where = scope === 'project' ? ' of a project' : '';
    const message = `MCP servers${where} are not supported for ${agent}`;
    return new CapabilityError(agent, 'mcp', message, able.length > 0 ? `supported by ${able.join(', ')}` : undefined);
  }
}

/** Of the files of one agent: those with the server, or the effective one; otherwise the one for new servers. */
async function selectTargets(targets: readonly Target[], name: string, every: boolean): Promise<Target[]> {
  if (targets.length < 2) return [...targets];
  const read = await Promise.all(targets.map(async (target) => ({ target, found: await readNativeFile(target.file) })));
  const having = read.filter(({ target, found }) => found && findEntry(target.form, found.content, name));
  if (having.length > 0) return (every ? having : having.slice(-1)).map(({ target }) => target);
  const taker = read.find(({ found }) => found) ?? read[0];
  return taker ? [taker.target] : [];
}

async function readServers({ agent, form, file }: Target, showSecrets: boolean): Promise<McpList> {
  const about = { agent, scope: file.scope, file: file.path };
  try {
    const read = await readNativeFile(file);
    const servers = readEntries(form, read?.content).map(({ name, entry }): McpEntry => {
      const server = decodeEntry(form, entry);
      return { ...about, name, server: server && !showSecrets ? maskServer(server) : server };
    });
    return { servers, problems: [] };
  } catch (error) {
    if (!(error instanceof AgentMuxError)) throw error;
    return { servers: [], problems: [{ ...about, problem: error.message }] };
  }
}

/** Server names that every agent accepts. */
const SERVER_NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/;

function assertServer(name: string, server: McpServer): void {
  const issues: ValidationIssue[] = [];
  if (!SERVER_NAME.test(name))
    issues.push({
      field: 'name',
      problem: 'must have at most 64 letters, digits, _ and -, and must not start with -',
    });
  if ('command' in server) {
    if (server.command.trim() === '') issues.push({ field: 'command', problem: 'must not be empty' });
  } else if (!isWebAddress(server.url)) issues.push({ field: 'url', problem: 'must be an http or https URL' });
  if (containsMask(server)) issues.push({ field: '', problem: 'contains the mask of a secret instead of the secret' });
  if (issues.length > 0) throw new ValidationError('MCP server', issues);
}

function isWebAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function duplicateNameError(agent: string, name: string, file: ScopedFile): AgentMuxError {
  const message = `${agent} already has another MCP server "${name}" in ${file.path}`;
  return new AgentMuxError('CONFIG_ERROR', message, { agent, hint: 'use --force (SDK: force) to replace it' });
}
