import type { EventBody, ParseContext, ResolvedRunOptions } from '@agent-mux/core';
import { decodeLine, type StreamDialect, streamStateOf } from '../claude-stream/index.ts';
import { type Json, record, word } from '../shared/json.ts';
import { decodeStderr, FAILURES } from './errors.ts';

/** Maximum wait for an approval: Qwen Code accepts no greater limit, and defaults to a minute. */
const APPROVAL_LIMIT_MS = 600_000;
const EDITS: readonly string[] = ['write_file', 'edit', 'notebook_edit'];
/** Output of a process that ends because of `--max-session-turns`; it prints no result then. */
const MAX_TURNS_EXIT_CODE = 53;

/** Qwen Code 0.24. */
export const QWEN_DIALECT: StreamDialect = {
  versionField: 'qwen_code_version',
  permissionModeField: 'permission_mode',
  // The result counts the whole process, and a side request that gathers memories.
  usage: 'assistant',
  inputIncludesCache: true,
  echoHasOtherId: true,
  isErrorText: (text) => /^\[API Error: .*\]$/s.test(text),
  permissionModes: {
    prompt: 'default',
    'accept-edits': 'auto-edit',
    plan: 'plan',
    deny: 'default',
    yolo: 'yolo',
  },
  questionTool: 'ask_user_question',
  answersByIndex: true,
  suggestsAnswersOnly: true,
  isDenial: (text) => /^\[Operation Cancelled\]|permission was declined|denied by permission rules/.test(text),
  isInterruption: (result) => /^Operation cancelled\b/.test(word(record(result.error).message) ?? ''),
  subagentTools: ['agent'],
  skillTool: 'skill',
  planTools: ['todo_write'],
  failures: FAILURES,
  announcesSubagents: false,
  changedPath: (toolName, input) =>
    EDITS.includes(toolName) ? (word(input.file_path) ?? word(input.notebook_path)) : undefined,
  // A failed command is an error result.
  exitCode: (toolName) => (toolName === 'run_shell_command' ? 0 : undefined),
  canSteer: false,
  initialize: { subtype: 'initialize', hooks: null, timeout: { canUseTool: APPROVAL_LIMIT_MS } },
  greeting,
};

function greeting(options: ResolvedRunOptions): Json {
  return options.thinkingEffort ? { effort: options.thinkingEffort } : {};
}

/** One line of a one-shot process, or of any process's stderr. */
export function parseQwenLine(line: string, context: ParseContext): EventBody[] | EventBody | null {
  if (context.source === 'stderr') return decodeStderr(line);
  return decodeLine(line, streamStateOf(context, { resumes: false }), QWEN_DIALECT)?.events ?? null;
}

export function parseQwenEnd(exitCode: number | null): EventBody[] {
  return exitCode === MAX_TURNS_EXIT_CODE ? [{ type: 'turn_end', status: 'max_turns' }] : [];
}
