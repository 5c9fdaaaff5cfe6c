import { type EventBody, type ParseContext, stripSequences } from '@agent-mux/core';
import { decodeLine, type StreamDialect, streamStateOf } from '../claude-stream/index.ts';
import { parseRecord, record, records, text, word } from '../shared/json.ts';
import { textAfter } from '../shared/text-after.ts';
import { readGrokFailure, retryEvent } from './errors.ts';

const EDITS: readonly string[] = ['write', 'search_replace'];

/** Grok Build 1.0.41, `--output-format streaming-messages-json`. */
const GROK_STREAM: StreamDialect = {
  versionField: 'version',
  permissionModeField: 'permissionMode',
  usage: 'stream',
  inputIncludesCache: false,
  echoHasOtherId: false,
  permissionModes: {},
  isDenial: (output) => /was not executed: Denied by permission policy/.test(output),
  resultContent,
  exitCode,
  // They run in the background, and their end is not reported.
  subagentTools: [],
  planTools: ['todo_write'],
  failures: [{ text: /./, event: ({ text: said }) => readGrokFailure(said) }],
  announcesSubagents: false,
  changedPath: (toolName, input) => (EDITS.includes(toolName) ? word(input.file_path) : undefined),
  canSteer: false,
  initialize: {},
};

/** A result is JSON within a string: the ACP content of a failed call, the tool's own output of one that ran. */
function resultContent(content: unknown): unknown {
  if (typeof content !== 'string') return content;
  if (content.startsWith('{')) {
    const output = record(parseRecord(content));
    return text(output.output_for_prompt) ?? text(output.text) ?? content;
  }
  if (!content.startsWith('[{')) return content;
  const blocks = records(record(parseRecord(`{"blocks":${content}}`)).blocks);
  const parts = blocks.map((block) => text(record(block.content).text));
  return blocks.length > 0 && parts.every((part) => part !== undefined) ? parts.join('\n') : content;
}

/** `exit: 3`, the first line of a command's output. */
function exitCode(toolName: string, output: string): number | undefined {
  const code = toolName === 'run_terminal_command' ? /^exit: (-?\d+)\n/.exec(output)?.[1] : undefined;
  return code === undefined ? undefined : Number(code);
}

export function parseGrokLine(line: string, context: ParseContext): EventBody[] | null {
  if (context.source === 'stderr') return decodeLog(line, context);
  const events = decodeLine(line, streamStateOf(context, { resumes: false }), GROK_STREAM)?.events ?? null;
  if (events?.some(({ type }) => type === 'turn_end')) context.adapterState.ended = true;
  return events;
}

/**
 * The log, which reports retries; the stream does not. It shows a broken connection only once, as a rebuilt client: if
 * it breaks again, the text streamed before stays in the answer.
 */
function decodeLog(coloured: string, context: ParseContext): EventBody[] | null {
  // Over ACP the protocol reports it.
  if (context.options.mode === 'acp') return null;
  const state = context.adapterState;
  const line = stripSequences(coloured);
  const status = /\bstatus(?:_code)?=(429|5\d\d)\b/.exec(textAfter('ERROR ', line))?.[1];
  if (status !== undefined) return [...announceSession(context), retryEvent(`status ${status}`, nextAttempt(state))];
  if (textAfter('rebuilt sampling client ', line).includes('for retry')) {
    if (state.attempts !== undefined) return null;
    const reason = 'the connection broke';
    return [...announceSession(context), { type: 'message_discard', reason }, retryEvent(reason, nextAttempt(state))];
  }
  const session = /: Session '([0-9a-f-]{36})' created/.exec(line)?.[1];
  if (session !== undefined) state.session = session;
  // Used only if no result comes.
  const failure = /^Error: (.+)/.exec(line)?.[1];
  if (/^Session .* not found locally/.test(line)) state.failure = line;
  else if (failure !== undefined) state.failure ??= failure;
  return null;
}

function nextAttempt(state: Record<string, unknown>): number {
  const attempt = (typeof state.attempts === 'number' ? state.attempts : 0) + 1;
  state.attempts = attempt;
  return attempt;
}

/** The stream names its session with the first output of the model, which may never come. */
function announceSession(context: ParseContext): EventBody[] {
  const stream = streamStateOf(context, { resumes: false });
  if (stream.announced) return [];
  stream.announced = true;
  stream.sessionId = text(context.adapterState.session) ?? context.options.sessionId;
  return [{ type: 'session_start', ...(stream.sessionId ? { sessionId: stream.sessionId } : {}) }];
}

export function endGrok(context: ParseContext, exit: { code: number | null }): EventBody[] {
  const { ended, failure } = context.adapterState;
  if (ended || exit.code === 0 || typeof failure !== 'string') return [];
  return [readGrokFailure(failure), { type: 'turn_end', status: 'failed' }];
}
