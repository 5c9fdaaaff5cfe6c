import type { AcpDialect } from '../acp/dialect.ts';
import { type Json, record, word } from '../shared/json.ts';
import { splitToolName } from '../shared/mcp-servers.ts';
import { readGooseError, readGooseProse } from './errors.ts';
import { GOOSE_MODES } from './launch.ts';

/** The extension whose tools have no prefix. */
const UNPREFIXED = 'developer';

/** `goose acp` 1.34.0. */
export const GOOSE_ACP: AcpDialect = {
  modes: GOOSE_MODES,
  model: { by: 'config', configId: 'model' },
  // Only the last request of a turn is counted: less than the turn has used.
  readUsage: () => null,
  readProse: readGooseProse,
  readError: (message) => [readGooseError(message)],
  // The title is prose; a summary of several calls comes as an update of one that has ended.
  toolName: (update: Json) => {
    if (update.sessionUpdate !== 'tool_call') return undefined;
    const call = record(record(record(update._meta).goose).toolCall);
    const tool = word(call.toolName);
    const extension = word(call.extensionName);
    if (tool === undefined) return undefined;
    if (extension === undefined || extension === UNPREFIXED || tool.startsWith(`${extension}__`)) return tool;
    return `${extension}__${tool}`;
  },
  // It names tools of built-in extensions like this, too.
  mcpTool: splitToolName,
};
