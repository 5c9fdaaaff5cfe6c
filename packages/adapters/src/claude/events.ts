import type { EventBody, ParseContext } from '@agent-mux/core';
import { decodeLine, type StreamDialect } from '../claude-stream/index.ts';
import { streamStateOf } from '../claude-stream/plain.ts';
import { isRecord, number, records, texts, word } from '../shared/json.ts';
import { decodeStderr, FAILURES } from './errors.ts';

/** Claude Code 2.1.325. */
export const CLAUDE_DIALECT: StreamDialect = {
  versionField: 'claude_code_version',
  permissionModeField: 'permissionMode',
  usage: 'stream',
  inputIncludesCache: false,
  echoHasOtherId: false,
  permissionModes: {
    prompt: 'default',
    'accept-edits': 'acceptEdits',
    plan: 'plan',
    deny: 'dontAsk',
    yolo: 'bypassPermissions',
  },
  questionTool: 'AskUserQuestion',
  subagentTools: ['Agent'],
  skillTool: 'Skill',
  planTools: [],
  failures: FAILURES,
  announcesSubagents: true,
  fileChange,
  exitCode,
  canSteer: true,
  initialize: { subtype: 'initialize' },
};

/** `Write` says whether it created or updated; `Edit` always updates. Both bring the hunks. */
function fileChange(toolName: string, native: unknown): Extract<EventBody, { type: 'file_change' }> | undefined {
  if (!isRecord(native)) return undefined;
  const path = word(native.filePath);
  const change = toolName === 'Edit' ? 'update' : toolName === 'Write' ? native.type : undefined;
  if (!path || (change !== 'create' && change !== 'update')) return undefined;
  const diff = unifiedDiff(native.structuredPatch);
  return { type: 'file_change', path, change, ...(diff ? { diff } : {}) };
}

function unifiedDiff(hunks: unknown): string {
  return records(hunks)
    .map((hunk) => {
      const from = `-${number(hunk.oldStart)},${number(hunk.oldLines)}`;
      const to = `+${number(hunk.newStart)},${number(hunk.newLines)}`;
      return [`@@ ${from} ${to} @@`, ...texts(hunk.lines)].join('\n');
    })
    .join('\n');
}

/** A failed command is an error result; any other exited with 0, unless its exit code was not treated as a failure. */
function exitCode(toolName: string, _output: string, native: unknown): number | undefined {
  if (toolName !== 'Bash' || !isRecord(native)) return undefined;
  const plain = native.interrupted === false && !native.backgroundTaskId && !native.returnCodeInterpretation;
  return plain ? 0 : undefined;
}

/** One line of a one-shot process, or of any process's stderr. */
export function parseClaudeLine(line: string, context: ParseContext): EventBody[] | EventBody | null {
  if (context.source === 'stderr') return decodeStderr(line);
  return decodeLine(line, streamStateOf(context), CLAUDE_DIALECT)?.events ?? null;
}
