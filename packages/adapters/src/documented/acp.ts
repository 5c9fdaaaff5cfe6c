import { type AgentCapabilities, type AgentMode, NO_CAPABILITIES } from '@agent-mux/core';
import { acpCodec } from '../acp/codec.ts';
import type { AcpDialect } from '../acp/dialect.ts';

/**
 * Capabilities of the protocol itself. The documentation must say if sessions outlive the process or accept MCP
 * servers.
 */
const BY_PROTOCOL: AgentCapabilities = {
  ...NO_CAPABILITIES,
  supportsMultiTurn: true,
  nativeSessionIds: true,
  execModel: 'interactive',
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  systemPrompt: { append: 'prefix' },
  supportsNativeTools: true,
  supportsInterrupt: true,
};

/** Sessions that `session/load` or `session/resume` restores in another process. */
export const KEPT_SESSIONS = { canResume: true, resumeAttach: true, sessionPersistence: 'file' } as const;

/** The agent sends its thinking as `agent_thought_chunk`. */
export const STREAMED_THOUGHTS = { supportsThinking: true, supportsThinkingStreaming: true } as const;

export function acpMode(
  documented: Partial<AgentCapabilities> & Pick<AgentCapabilities, 'approvalModes'>,
  dialect: AcpDialect = {},
  remark = '',
): AgentMode {
  return {
    name: 'acp',
    driver: 'acp',
    summary: `one process, many turns, over the Agent Client Protocol${remark}`,
    capabilities: { ...BY_PROTOCOL, ...documented },
    live: { transport: 'stdio', codec: acpCodec(dialect), waitForSession: true },
  };
}
