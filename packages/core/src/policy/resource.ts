import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { userConfigFile } from '../config/files.ts';
import type { ApprovalRequest } from '../contract/options.ts';
import type { ToolKind } from '../contract/tool-kinds.ts';
import { homeOf } from '../files/paths.ts';
import { stateFolder } from '../files/state-folder.ts';
import { isWithin } from '../files/within.ts';
import { shellCommand } from '../process/shell-quote.ts';
import { REDACTED } from '../redact/redact.ts';
import { isRecord, toJson } from '../values.ts';
import { ADDRESSES, COMMANDS, FOLDERS, isAboutRequest, isContent, isHarmless, PATHS, SUBJECTS } from './field-names.ts';
import { isGitFile } from './git-files.ts';
import { findReal, isInside, type ResourcePath, readResourcePath } from './match-path.ts';

/** The input of a policy decision: an approval request and its origin. */
export interface PolicyRequest {
  request: Pick<ApprovalRequest, 'toolName' | 'kind' | 'title' | 'input' | 'elevated'>;
  agent: string;
  cwd: string;
  /** The session, for answers that were remembered for it. */
  session?: string;
  /** False if the agent runs remotely, where the meaning of its paths is unknown. */
  isLocal: boolean;
}

/** Everything that a request asks for, parsed once. */
export interface RequestedResource {
  agent: string;
  session: string | undefined;
  tool: string;
  kind: ToolKind;
  /** Kinds that its fields imply: a request of unknown kind with a command is one to execute. */
  shown: readonly ToolKind[];
  commands: readonly string[];
  paths: readonly ResourcePath[];
  addresses: readonly string[];
  /** `server/tool`, and the agent's own name of it. */
  names: readonly string[];
  /** Every text in it. */
  texts: readonly string[];
  /** Names of unknown fields and of requests beyond a use of the tool. */
  further: readonly string[];
  /** A part of it was cut or redacted before it arrived here. */
  isBlurred: boolean;
  /** It would change a file of agent-mux itself. */
  touchesOwnFiles: boolean;
  /** The session's folder, as given and with all links resolved. */
  folder: string;
  realFolder: string | undefined;
  home: string;
  isLocal: boolean;
  /** Identifies exactly this request. */
  fingerprint: string;
  /** False if the request does not contain what it would write, so that no fingerprint identifies it. */
  isExact: boolean;
}

/** Further or deeper parts are not parsed; nothing of such a request is allowed. */
const MAX_PARTS = 10_000;
const DEEPEST = 64;
const CHANGES: ReadonlySet<ToolKind> = new Set<ToolKind>(['edit', 'delete', 'move']);
const OF_FILES: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'search', ...CHANGES]);
/** Kinds whose input is not inspected: allowing the tool allows any input. */
const ANY_INPUT: ReadonlySet<ToolKind> = new Set<ToolKind>(['think', 'mcp', 'other']);
/** Content that makes a request a different one, even with the same path or location. */
const BY_CONTENT: ReadonlySet<ToolKind> = new Set<ToolKind>([...CHANGES, 'search', 'fetch']);
const PATCH_LINE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

export function readResource(options: PolicyRequest, env: NodeJS.ProcessEnv): RequestedResource {
  const { request, agent, cwd, session, isLocal } = options;
  const kind = request.kind ?? 'other';
  const found = collect(request.input, kind);
  // A search without a path searches the session's folder.
  if (kind === 'search' && found.paths.length === 0) found.paths.push('.');
  const paths = found.paths.map((raw) => readResourcePath(raw, cwd, isLocal));
  const realFolder = isLocal ? findReal(cwd) : undefined;
  // Details outside of the tool's input may contain only the program name: `touch` for `touch a.txt`.
  const isName = (one: string) => found.commands.some((whole) => whole === one || whole.startsWith(`${one} `));
  const commands = [...new Set([...found.commands, ...found.detailCommands.filter((one) => !isName(one))])];
  const isOutside = (path: ResourcePath) => realFolder === undefined || !isInside(realFolder, path);
  const folders = found.folders.map((raw) => readResourcePath(raw, cwd, isLocal));
  const further = new Set(found.further);
  if (request.elevated) further.add('elevated');
  // A pattern may name files outside; a rule that only says "edits" means the session's own folder.
  if (paths.some(isOutside)) further.add('outside');
  // Git runs programs that these files name, so a rule for edits does not cover them.
  if (CHANGES.has(kind) && paths.some((path) => isGitFile(path, realFolder ?? cwd))) further.add('git');
  if (isLocal && folders.some(isOutside)) further.add('cwd');
  if (kind !== 'execute' && kind !== 'mcp' && commands.length > 0) further.add('command');
  if (kind === 'execute' && commands.length === 0) further.add('command');
  if (CHANGES.has(kind) && paths.length === 0) further.add('path');
  const subjects = [...commands, ...found.paths, ...found.addresses];
  const isBlurred = found.isBlurred || subjects.some((text) => text.includes(REDACTED));
  const shown: ToolKind[] = [
    ...(commands.length > 0 ? (['execute'] as const) : []),
    ...(found.addresses.length > 0 ? (['fetch'] as const) : []),
  ];
  const names = kind === 'mcp' ? namesOf(request.toolName) : [];
  const content = BY_CONTENT.has(kind) ? toJson(contentOf(request.input)) : null;
  const exact = [
    agent,
    request.toolName,
    kind,
    commands,
    paths.map(({ full, real }) => real ?? full),
    folders.map(({ full, real }) => real ?? full),
    found.addresses,
    found.unknown,
    [...further].sort(),
    ANY_INPUT.has(kind) || subjects.length === 0 ? [request.title, request.input ?? null] : null,
    content,
  ];
  return {
    agent,
    session,
    tool: request.toolName,
    kind,
    shown,
    commands,
    paths,
    addresses: found.addresses,
    names,
    texts: [...found.texts, request.title],
    further: [...further],
    isBlurred,
    touchesOwnFiles: CHANGES.has(kind) && paths.some((path) => isOwnFile(path, realFolder, env)),
    folder: cwd,
    realFolder,
    home: findReal(homeOf(env)) ?? homeOf(env),
    isLocal,
    fingerprint: createHash('sha256').update(toJson(exact)).digest('hex'),
    isExact: (kind !== 'edit' || found.hasContent) && !content?.includes(REDACTED),
  };
}

/** All of an input, without what agents phrase differently each time. */
function contentOf(input: unknown): unknown {
  if (!isRecord(input)) return input ?? null;
  return Object.entries(input)
    .filter(([name]) => !isAboutRequest(name) || name === 'type')
    .map(([name, value]) => [name, name === 'request' || name === 'input' ? contentOf(value) : value])
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
}

interface Found {
  commands: string[];
  detailCommands: string[];
  paths: string[];
  addresses: string[];
  folders: string[];
  texts: string[];
  further: string[];
  /** Unknown fields with their values. */
  unknown: [string, unknown][];
  /** The request shows what would be written. */
  hasContent: boolean;
  isBlurred: boolean;
}

/** Walks all of an input once. */
class Collector {
  readonly found: Found = {
    commands: [],
    detailCommands: [],
    paths: [],
    addresses: [],
    folders: [],
    texts: [],
    further: [],
    unknown: [],
    hasContent: false,
    isBlurred: false,
  };
  readonly #kind: ToolKind;
  #parts = 0;

  constructor(kind: ToolKind) {
    this.#kind = kind;
  }

  /** `isDetail`: the agent's description of the request, not the tool's input. */
  add(name: string, value: unknown, depth: number, isDetail: boolean): void {
    this.#parts += 1;
    if (isContent(name)) this.found.hasContent = true;
    if (depth > DEEPEST || this.#parts > MAX_PARTS) this.found.isBlurred = true;
    else if (Array.isArray(value)) this.#addList(name, value, depth, isDetail);
    else if (isRecord(value)) this.#addRecord(name, value, depth, isDetail);
    else if (typeof value === 'string') this.#addText(name, value, isDetail);
    else if (!isNothing(value) && !isHarmless(name, value, this.#kind)) this.#addUnknown(name, value);
  }

  #addList(name: string, list: readonly unknown[], depth: number, isDetail: boolean): void {
    const isArgv = COMMANDS.has(name) && list.length > 0 && list.every((word) => typeof word === 'string');
    if (isArgv) this.#addText(name, shellCommand(list.map(String)), isDetail);
    else for (const entry of list) this.add(name, entry, depth + 1, isDetail);
  }

  #addRecord(name: string, value: Record<string, unknown>, depth: number, isDetail: boolean): void {
    if (Object.hasOwn(value, '$blob')) this.found.isBlurred = true;
    if (isAboutRequest(name)) {
      this.found.texts.push(...textsIn(value));
      return;
    }
    const isKnown = name === '' || CONTAINERS.has(name) || PATHS.has(name) || isHarmless(name, value, this.#kind);
    if (!isKnown) this.#addUnknown(name, value);
    for (const [key, entry] of Object.entries(value)) this.add(key, entry, depth + 1, isDetail || name === 'request');
  }

  #addText(name: string, value: string, isDetail: boolean): void {
    const { found } = this;
    const kind = this.#kind;
    if (value === '') return;
    found.texts.push(value);
    if (CHANGES.has(kind) && value.trimStart().startsWith('*** Begin Patch')) {
      for (const [, path = ''] of value.matchAll(PATCH_LINE)) found.paths.push(path.trim());
      found.hasContent = true;
      return;
    }
    if (isHarmless(name, value, kind) || (isDetail && name === 'content') || kind === 'mcp' || kind === 'think') return;
    if (kind === 'execute' && FOLDERS.has(name)) found.folders.push(value);
    else if (COMMANDS.has(name)) (isDetail ? found.detailCommands : found.commands).push(value);
    else if (PATHS.has(name)) found.paths.push(value);
    else if (ADDRESSES.has(name)) (value.startsWith('file://') ? found.paths : found.addresses).push(value);
    else if ((name === '' || SUBJECTS.has(name)) && kind === 'execute') found.commands.push(value);
    else if ((name === '' || SUBJECTS.has(name)) && OF_FILES.has(kind)) found.paths.push(value);
    else if ((name === '' || SUBJECTS.has(name)) && kind === 'fetch') found.addresses.push(value);
    else this.#addUnknown(name, value);
  }

  #addUnknown(name: string, value: unknown): void {
    if (ANY_INPUT.has(this.#kind)) return;
    this.found.hasContent = true;
    if (!this.found.further.includes(name)) this.found.further.push(name);
    this.found.unknown.push([name, value]);
  }
}

function collect(input: unknown, kind: ToolKind): Found {
  const collector = new Collector(kind);
  collector.add('', input, 0, false);
  return collector.found;
}

/**
 * Containers of other fields. `request`: details that an agent adds to the tool's input (`withDetails` of the
 * adapters).
 */
const CONTAINERS: ReadonlySet<string> = new Set(['request', 'input', 'content', 'edits', 'changes']);

function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return [];
  return Object.values(value).flatMap((entry) => textsIn(entry, depth + 1));
}

/** Values that request nothing. */
function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === false || value === '';
}

/** `mcp__github__get_issue` is `github/get_issue`. */
function namesOf(toolName: string): string[] {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(toolName) ?? [];
  return server !== undefined && tool !== undefined ? [`${server}/${tool}`, toolName] : [toolName];
}

/**
 * Files whose writer could allow everything. Worktrees of the daemon are in the state folder but are not among them.
 */
function isOwnFile({ real, full }: ResourcePath, folder: string | undefined, env: NodeJS.ProcessEnv): boolean {
  const path = real ?? full;
  const isIn = (folder: string) => isWithin(folder, path) || isWithin(findReal(folder) ?? folder, path);
  const state = stateFolder(env);
  const realState = findReal(state) ?? state;
  const isWorktree =
    folder !== undefined && folder !== realState && isWithin(realState, folder) && isWithin(folder, path);
  return (
    path.split(/[\\/]/).some((part) => part.toLowerCase() === '.agent-mux') ||
    isIn(dirname(userConfigFile(env))) ||
    isIn(join(state, 'policy')) ||
    (isIn(state) && !isWorktree)
  );
}
