import type { ApprovalOption, EventBody, Question, SummaryLine } from '../contract/events.ts';
import { isRecord } from '../values.ts';
import { changeOf, pathOf } from './changes.ts';
import { escapeControls } from './escape-controls.ts';

/** A longer title is shortened and shown in full among the lines. */
const TITLE_LIMIT = 200;
/** Fields up to this length come first, so that long ones do not hide them. */
const SHORT_FIELD = 200;
/** Maximum prefix before the value of a field in a title that only repeats it. */
const SHORT_PREFIX = 20;
/** Maximum nesting depth; deeper values are replaced with a note. */
const DEEPEST = 64;

export interface RequestSummary {
  title: string;
  /** The tool and the kind of the request. */
  about: string;
  lines: SummaryLine[];
  options: ApprovalOption[];
}

type Approval = Pick<
  Extract<EventBody, { type: 'approval_request' }>,
  'title' | 'toolName' | 'kind' | 'input' | 'options'
>;

/**
 * Summarizes an approval for the person who decides: all of its input including nested fields, with invisible
 * characters escaped. `call` is the input of the announced tool call, if known; fields that the request omits are shown
 * too. Nothing is cut; a view that shows only a part must say so.
 */
export function summarizeRequest(request: Approval, call?: unknown): RequestSummary {
  const title = escapeControls(request.title);
  const characters = [...title];
  const isLong = characters.length > TITLE_LIMIT;
  const blocks = [
    ...(isLong && !repeatsField(request.title, request.input) ? leafBlocks('title', request.title) : []),
    ...inputBlocks(request.input),
    ...blocksOf('call', findBeyond(request.input, call), pathOf(request.input), 0),
  ];
  return {
    title: isLong
      ? `${characters.slice(0, TITLE_LIMIT).join('')}… (${characters.length - TITLE_LIMIT} more characters, see below)`
      : title,
    about: [request.toolName, ...(request.kind && request.kind !== 'other' ? [request.kind] : [])]
      .map(escapeControls)
      .join(', '),
    lines: [...blocks.filter(isShort), ...blocks.filter((block) => !isShort(block))].flat(),
    options: request.options.map((option) => ({ ...option, label: escapeControls(option.label) })),
  };
}

/** Summarizes a question in the same way. Options keep their order, since answers refer to it. */
export function summarizeQuestion(question: Question): { lines: SummaryLine[]; options: Question['options'] } {
  const [first = '', ...rest] = [...(question.header ? [question.header] : []), ...question.question.split('\n')];
  return {
    lines: [
      { kind: 'field', text: escapeControls(first) },
      ...rest.map((line): SummaryLine => ({ kind: 'text', text: escapeControls(line) })),
    ],
    options: question.options.map(({ label, description }) => ({
      label: escapeControls(label),
      ...(description === undefined ? {} : { description: escapeControls(description) }),
    })),
  };
}

/** Lines that are kept or dropped together. */
type Block = SummaryLine[];

function isShort(block: Block): boolean {
  return block.length === 1 && (block[0]?.text.length ?? 0) <= SHORT_FIELD;
}

/**
 * The agent's details of the request (`request`, added by adapters) are shown like fields of the tool. An edit that
 * appears twice, as the tool's input and as a diff, is shown once.
 */
function inputBlocks(input: unknown): Block[] {
  if (!isRecord(input) || !isRecord(input.request)) return blocksOf('', input, undefined, 0);
  const { request, ...own } = input;
  const path = pathOf(own);
  const details = Object.entries(request).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.filter((part) => !isSameChange(part, own)) : value,
  ]);
  const isLeft = ([, value]: unknown[]) => !Array.isArray(value) || value.length > 0;
  return [...blocksOf('', own, path, 0), ...blocksOf('', Object.fromEntries(details.filter(isLeft)), path, 0)];
}

/** Whether a part describes the same change and nothing else. */
function isSameChange(part: unknown, own: Record<string, unknown>): boolean {
  if (!isRecord(part)) return false;
  const [path, change, ownChange] = [pathOf(part), changeOf(part), changeOf(own)];
  if (!change || !ownChange || path === undefined || path !== pathOf(own)) return false;
  return (
    Object.entries(part).every(([name, value]) => change.fields.includes(name) || value === path) &&
    JSON.stringify(change.lines) === JSON.stringify(ownChange.lines)
  );
}

/** Fields of the announced call that the request does not repeat. */
function findBeyond(input: unknown, call: unknown): unknown {
  if (call === undefined || call === null || readsAs(call, input)) return undefined;
  if (!isRecord(input) || !isRecord(call)) return call;
  const more = Object.entries(call).filter(([name, value]) => !readsAs(value, input[name]));
  return more.length === 0 ? undefined : Object.fromEntries(more);
}

function readsAs(one: unknown, other: unknown): boolean {
  const read = (value: unknown) => JSON.stringify(blocksOf('', value, undefined, 0));
  return read(one) === read(other);
}

/** `Run: <command>` adds nothing to the field. */
function repeatsField(title: string, input: unknown): boolean {
  if (!isRecord(input)) return false;
  return Object.values(input).some(
    (value) => typeof value === 'string' && title.endsWith(value) && title.length - value.length <= SHORT_PREFIX,
  );
}

function blocksOf(name: string, value: unknown, path: string | undefined, depth: number): Block[] {
  if (value === undefined) return [];
  if (depth > DEEPEST) return [[field(name, `nested deeper than ${DEEPEST} levels, not shown`)]];
  if (Array.isArray(value)) {
    if (value.length === 1 && isPlain(value[0])) return leafBlocks(name, value[0]);
    if (value.every(isPlain)) return [[field(name, escapeControls(JSON.stringify(value)))]];
    return value.flatMap((one, index) => blocksOf(`${name}[${index}]`, one, path, depth + 1));
  }
  if (isRecord(value)) return recordBlocks(name, value, path, depth);
  return leafBlocks(name, value);
}

function recordBlocks(name: string, value: Record<string, unknown>, above: string | undefined, depth: number): Block[] {
  const names = Object.keys(value);
  if (names.length === 0) return name === '' ? [] : [[field(name, '{}')]];
  const path = pathOf(value) ?? above;
  const change = changeOf(value);
  const others = names.filter((one) => !change?.fields.includes(one) && !isListOfOne(one, value));
  return [
    ...others.flatMap((one) => blocksOf(joinName(name, one), value[one], path, depth + 1)),
    ...(change ? [changeBlock(name, path, change.lines)] : []),
  ];
}

/** `commands: ["ls"]` next to `command: "ls"`. */
function isListOfOne(name: string, value: Record<string, unknown>): boolean {
  const list = value[name];
  const single = /^(.+)s$/.exec(name)?.[1];
  return single !== undefined && Array.isArray(list) && list.length === 1 && list[0] === (value[single] ?? undefined);
}

const KINDS = { '+': 'added', '-': 'removed', ' ': 'same' } as const;

function changeBlock(
  name: string,
  path: string | undefined,
  lines: readonly { sign: keyof typeof KINDS; text: string }[],
): Block {
  const what = [
    'change',
    ...(path === undefined ? [] : ['of', escapeControls(path)]),
    ...(name === '' ? [] : [`(${name})`]),
  ];
  return [
    { kind: 'field', text: `${what.join(' ')}:${lines.length === 0 ? ' nothing' : ''}` },
    ...lines.map(({ sign, text }): SummaryLine => ({ kind: KINDS[sign], text: escapeControls(text) })),
  ];
}

function leafBlocks(name: string, value: unknown): Block[] {
  const text = typeof value === 'string' ? value : String(value);
  if (!text.includes('\n'))
    return [[field(name, text === text.trim() && text !== '' ? escapeControls(text) : quoteVisible(text))]];
  return [
    [field(name, ''), ...text.split('\n').map((line): SummaryLine => ({ kind: 'text', text: escapeControls(line) }))],
  ];
}

function field(name: string, text: string): SummaryLine {
  return { kind: 'field', text: `${name || 'input'}:${text === '' ? '' : ` ${text}`}` };
}

/** Quotes text with leading or trailing spaces. */
function quoteVisible(text: string): string {
  return `"${escapeControls(text)}"`;
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\n');
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}

/** Quotes ambiguous names. */
function joinName(parent: string, name: string): string {
  if (!/^[\w$-]+$/.test(name)) return `${parent}[${escapeControls(JSON.stringify(name))}]`;
  return parent === '' ? name : `${parent}.${name}`;
}
