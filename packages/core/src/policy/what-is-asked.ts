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
import { type AskedPath, findReal, isInside, readAskedPath } from './match-path.ts';

/** What policy is asked about: an approval, and where it was asked. */
export interface PolicyRequest {
  request: Pick<ApprovalRequest, 'toolName' | 'kind' | 'title' | 'input' | 'beyond'>;
  agent: string;
  cwd: string;
  /** Which session, for answers that were remembered for it. */
  session?: string;
  /** False: it runs elsewhere, and what its paths mean is not known here. */
  isLocal: boolean;
}

/** All that a request asks for, read once. */
export interface Asked {
  agent: string;
  session: string | undefined;
  tool: string;
  kind: ToolKind;
  /** What its fields show beside that: a request of no known kind with a command in it is one to execute. */
  shown: readonly ToolKind[];
  commands: readonly string[];
  paths: readonly AskedPath[];
  addresses: readonly string[];
  /** `server/tool`, and the agent's own name of it. */
  names: readonly string[];
  /** Every text in it. */
  texts: readonly string[];
  /** By their names: fields that nobody here understands, and what goes beyond a use of the tool. */
  further: readonly string[];
  /** A part of it was cut or taken out before it came here. */
  isBlurred: boolean;
  /** A file of agent-mux itself would be changed. */
  touchesOwnFiles: boolean;
  /** The session's folder, as it was given and with all links followed. */
  folder: string;
  realFolder: string | undefined;
  home: string;
  isLocal: boolean;
  /** Exactly this, and nothing else. */
  fingerprint: string;
  /** False: what it would write is not in the request, so that no fingerprint says what was asked. */
  isExact: boolean;
}

/** More parts, or deeper ones, are not looked at; nothing of such a request is allowed. */
const MOST_PARTS = 10_000;
const DEEPEST = 64;
const CHANGES: ReadonlySet<ToolKind> = new Set<ToolKind>(['edit', 'delete', 'move']);
const OF_FILES: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'search', ...CHANGES]);
/** Their input is their own business: who allows the tool allows what it is told. */
const ANY_INPUT: ReadonlySet<ToolKind> = new Set<ToolKind>(['think', 'mcp', 'other']);
/** The same path with another content, or the same place with another question, is another request. */
const BY_CONTENT: ReadonlySet<ToolKind> = new Set<ToolKind>([...CHANGES, 'search', 'fetch']);
const PATCH_LINE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

export function readAsked(given: PolicyRequest, env: NodeJS.ProcessEnv): Asked {
  const { request, agent, cwd, session, isLocal } = given;
  const kind = request.kind ?? 'other';
  const found = collect(request.input, kind);
  // What is searched without a place is searched here.
  if (kind === 'search' && found.paths.length === 0) found.paths.push('.');
  const paths = found.paths.map((said) => readAskedPath(said, cwd, isLocal));
  const realFolder = isLocal ? findReal(cwd) : undefined;
  // What is said beside the tool's input may be only the name of its program: `touch` beside `touch a.txt`.
  const isName = (one: string) => found.commands.some((whole) => whole === one || whole.startsWith(`${one} `));
  const commands = [...new Set([...found.commands, ...found.besideCommands.filter((one) => !isName(one))])];
  const isOutside = (path: AskedPath) => realFolder === undefined || !isInside(realFolder, path);
  const folders = found.folders.map((said) => readAskedPath(said, cwd, isLocal));
  const further = new Set(found.further);
  if (request.beyond) further.add('beyond');
  // A pattern may name what is outside; a rule that only says "edits" means the session's own folder.
  if (paths.some(isOutside)) further.add('outside');
  // Git runs programs that these files name, so a rule for edits does not mean them.
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

/** All of an input, without what agents word differently each time. */
function contentOf(input: unknown): unknown {
  if (!isRecord(input)) return input ?? null;
  return Object.entries(input)
    .filter(([name]) => !isAboutRequest(name) || name === 'type')
    .map(([name, value]) => [name, name === 'request' || name === 'input' ? contentOf(value) : value])
    .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1));
}

interface Found {
  commands: string[];
  besideCommands: string[];
  paths: string[];
  addresses: string[];
  folders: string[];
  texts: string[];
  further: string[];
  /** The fields that nobody understands, with what they say. */
  unknown: [string, unknown][];
  /** It shows what would be written. */
  hasContent: boolean;
  isBlurred: boolean;
}

/** Goes through all of an input once. */
class Collector {
  readonly found: Found = {
    commands: [],
    besideCommands: [],
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

  /** `isBeside`: it is what the agent says of the request, not what the tool gets. */
  take(name: string, value: unknown, depth: number, isBeside: boolean): void {
    this.#parts += 1;
    if (isContent(name)) this.found.hasContent = true;
    if (depth > DEEPEST || this.#parts > MOST_PARTS) this.found.isBlurred = true;
    else if (Array.isArray(value)) this.#takeList(name, value, depth, isBeside);
    else if (isRecord(value)) this.#takeRecord(name, value, depth, isBeside);
    else if (typeof value === 'string') this.#takeText(name, value, isBeside);
    else if (!isNothing(value) && !isHarmless(name, value, this.#kind)) this.#takeUnknown(name, value);
  }

  #takeList(name: string, list: readonly unknown[], depth: number, isBeside: boolean): void {
    const isArgv = COMMANDS.has(name) && list.length > 0 && list.every((word) => typeof word === 'string');
    if (isArgv) this.#takeText(name, shellCommand(list.map(String)), isBeside);
    else for (const entry of list) this.take(name, entry, depth + 1, isBeside);
  }

  #takeRecord(name: string, value: Record<string, unknown>, depth: number, isBeside: boolean): void {
    if (Object.hasOwn(value, '$blob')) this.found.isBlurred = true;
    if (isAboutRequest(name)) {
      this.found.texts.push(...textsIn(value));
      return;
    }
    const isKnown = name === '' || CONTAINERS.has(name) || PATHS.has(name) || isHarmless(name, value, this.#kind);
    if (!isKnown) this.#takeUnknown(name, value);
    for (const [key, entry] of Object.entries(value)) this.take(key, entry, depth + 1, isBeside || name === 'request');
  }

  #takeText(name: string, value: string, isBeside: boolean): void {
    const { found } = this;
    const kind = this.#kind;
    if (value === '') return;
    found.texts.push(value);
    if (CHANGES.has(kind) && value.trimStart().startsWith('*** Begin Patch')) {
      for (const [, path = ''] of value.matchAll(PATCH_LINE)) found.paths.push(path.trim());
      found.hasContent = true;
      return;
    }
    if (isHarmless(name, value, kind) || (isBeside && name === 'content') || kind === 'mcp' || kind === 'think') return;
    if (kind === 'execute' && FOLDERS.has(name)) found.folders.push(value);
    else if (COMMANDS.has(name)) (isBeside ? found.besideCommands : found.commands).push(value);
    else if (PATHS.has(name)) found.paths.push(value);
    else if (ADDRESSES.has(name)) (value.startsWith('file://') ? found.paths : found.addresses).push(value);
    else if ((name === '' || SUBJECTS.has(name)) && kind === 'execute') found.commands.push(value);
    else if ((name === '' || SUBJECTS.has(name)) && OF_FILES.has(kind)) found.paths.push(value);
    else if ((name === '' || SUBJECTS.has(name)) && kind === 'fetch') found.addresses.push(value);
    else this.#takeUnknown(name, value);
  }

  #takeUnknown(name: string, value: unknown): void {
    if (ANY_INPUT.has(this.#kind)) return;
    this.found.hasContent = true;
    if (!this.found.further.includes(name)) this.found.further.push(name);
    this.found.unknown.push([name, value]);
  }
}

function collect(input: unknown, kind: ToolKind): Found {
  const collector = new Collector(kind);
  collector.take('', input, 0, false);
  return collector.found;
}

/** What only holds other fields. `request`: what an agent says beside the tool's input (see `withDetails` of the adapters). */
const CONTAINERS: ReadonlySet<string> = new Set(['request', 'input', 'content', 'edits', 'changes']);

function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return [];
  return Object.values(value).flatMap((entry) => textsIn(entry, depth + 1));
}

/** Not asked for. */
function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === false || value === '';
}

/** `mcp__github__get_issue` is `github/get_issue`. */
function namesOf(toolName: string): string[] {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(toolName) ?? [];
  return server !== undefined && tool !== undefined ? [`${server}/${tool}`, toolName] : [toolName];
}

/** Whoever may write these may allow everything. A worktree that the daemon has made lies in the state folder, and is none of them. */
function isOwnFile({ real, full }: AskedPath, folder: string | undefined, env: NodeJS.ProcessEnv): boolean {
  const path = real ?? full;
  const isIn = (place: string) => isWithin(place, path) || isWithin(findReal(place) ?? place, path);
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
