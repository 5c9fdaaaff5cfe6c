import type { AcpDialect } from '../acp/dialect.ts';
import { amount, isRecord, type Json, record, records, text } from '../shared/json.ts';
import { readGeminiError } from './errors.ts';
import { geminiMcpTool } from './events.ts';

/** `gemini --acp` 0.61.0. */
export const GEMINI_ACP: AcpDialect = {
  modes: { prompt: 'default', 'accept-edits': 'autoEdit', plan: 'plan', deny: 'default', yolo: 'yolo' },
  model: { by: 'set_model' },
  usage: 'turn',
  readUsage: (result: Json) => {
    const tokens = record(record(record(result._meta).quota).token_count);
    if (!isRecord(record(result._meta).quota)) return null;
    const inputTokens = amount(tokens.input_tokens) ?? null;
    const outputTokens = amount(tokens.output_tokens) ?? null;
    return { inputTokens, outputTokens, cacheReadTokens: null, cacheCreationTokens: null, totalTokens: null };
  },
  isNoise: (chunk) => chunk.startsWith('[MODE_UPDATE] '),
  // A thought is `**Subject**` and its text; without a subject the stars remain.
  readThought: (chunk) => chunk.replace(/^\*\*\*\*\n/, ''),
  // The call id is `<tool name>__<id of the call>`; the update contains neither name nor input.
  toolName: (update: Json) => /^(.+?)__/.exec(text(update.toolCallId) ?? '')?.[1],
  toolInput: (update: Json) => {
    const title = text(update.title);
    if (title === undefined) return undefined;
    const path =
      text(records(update.locations)[0]?.path) ??
      text(records(update.content).find((part) => part.type === 'diff')?.path);
    return { title, ...(path === undefined ? {} : { path }) };
  },
  mcpTool: geminiMcpTool,
  rejectionIsSilent: true,
  replayEndsWith: (update: Json) => update.sessionUpdate === 'available_commands_update',
  readError: readGeminiError,
};
