import type { EventBody, ParseContext } from '@agent-mux/core';
import { decodeOneshot, type PiDialect, type PiState, type RequestedTool } from '../pi-family/index.ts';
import { withDetails } from '../shared/approval-input.ts';
import { type Json, word } from '../shared/json.ts';
import { decodeStderr, FAILURES } from './errors.ts';
import { mcpPrefixes } from './launch.ts';
import { kindOfOmpCall, TOOL_KINDS } from './tool-kinds.ts';

/** omp 18.2. */
export const OMP_DIALECT: PiDialect = {
  // A background command starts a separate run when it is done.
  isSettled: (line) => line.type === 'agent_end' && line.isTerminal !== false,
  askedTool,
  allow: { value: 'Approve' },
  deny: { value: 'Deny' },
  toolKinds: TOOL_KINDS,
  kindOfCall: kindOfOmpCall,
  isRefusal: (text) => REFUSED.test(text),
  failures: FAILURES,
  mcpPrefixes,
  clearsQueue: false,
  reportsIdleInput: true,
};

const REFUSED = /^Tool call denied by user|^Tool "[^"]*" (?:requires approval|is blocked by)/;
const ASKED = /^Allow tool: (\S+)/;

/** The request names the tool but not the call: calls of one tool are requested in order. */
function askedTool(request: Json, state: PiState): RequestedTool | undefined {
  const toolName = request.method === 'select' ? ASKED.exec(word(request.title) ?? '')?.[1] : undefined;
  if (!toolName) return undefined;
  const asked = new Set(Object.values(state.asks).map((ask) => ask.toolCallId));
  const call = Object.entries(state.tools).find(
    ([id, tool]) => tool.name === toolName && tool.ready && !tool.running && !asked.has(id),
  );
  // The text of the request is what is approved, in case it is for another call.
  const words = (word(request.title) ?? '').split('\n').slice(1).join('\n');
  const input = withDetails(call?.[1].input, { words });
  return { toolName, title: toolName, input, ...(call ? { toolCallId: call[0] } : {}) };
}

/** One line of a one-shot process, or of any process's stderr. */
export function parseOmpLine(line: string, context: ParseContext): EventBody[] | EventBody | null {
  return context.source === 'stderr' ? decodeStderr(line) : decodeOneshot(line, context, OMP_DIALECT);
}
