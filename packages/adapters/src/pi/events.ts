import type { EventBody, ParseContext } from '@agent-mux/core';
import { decodeOneshot, type PiDialect, type RequestedTool } from '../pi-family/index.ts';
import { type Json, parseRecord, word } from '../shared/json.ts';
import { decodeStderr, FAILURES } from './errors.ts';
import { GATE_TITLE, REFUSAL } from './gate.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

/** pi 0.87. */
export const PI_DIALECT: PiDialect = {
  isSettled: (line) => line.type === 'agent_settled',
  askedTool,
  allow: { confirmed: true },
  deny: { confirmed: false },
  toolKinds: TOOL_KINDS,
  isRefusal: (text) => text.startsWith(REFUSAL),
  failures: FAILURES,
  clearsQueue: true,
  reportsIdleInput: false,
};

/** The question of the gate that we load. */
function askedTool(request: Json): RequestedTool | undefined {
  const title = word(request.title);
  if (request.method !== 'confirm' || !title?.startsWith(GATE_TITLE)) return undefined;
  const toolName = title.slice(GATE_TITLE.length);
  const about = parseRecord(word(request.message) ?? '');
  const toolCallId = word(about?.toolCallId);
  return {
    toolName,
    title: toolName,
    input: about ? about.input : request.message,
    ...(toolCallId ? { toolCallId } : {}),
  };
}

/** One line of a one-shot process, or of any process's stderr. */
export function parsePiLine(line: string, context: ParseContext): EventBody[] | EventBody | null {
  return context.source === 'stderr' ? decodeStderr(line) : decodeOneshot(line, context, PI_DIALECT);
}
